import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type exploreAnew, rightSides } from './right-sides.ts';
import type { HardeningOptions, SectionResult } from './section.ts';
import { trialFolder, workerIn } from './worker.ts';

/** What a part of the exploration found. */
type Part = { readonly name: string } & Awaited<ReturnType<typeof exploreAnew>>;

/** `explore` finds nothing wrong with right applications, whatever is drawn: a false alarm misleads. */
export async function exploredSequences({
  quick,
  times = quick ? 6 : 1000,
}: HardeningOptions): Promise<SectionResult> {
  const { parts, failures } = await exploreInProcesses(times);
  const rows = rightSides.map((name) => {
    const own = parts.filter((part) => part.name === name);
    const tried = own.reduce((sum, part) => sum + part.tried, 0);
    const blamed = own.filter((part) => part.failures.length > 0).length;
    const what = `explored: ${name}`;
    return { what, tried, outcome: 'not blamed', count: tried - blamed, atLeast: times };
  });
  return { rows, failures: [...failures, ...parts.flatMap((part) => part.failures)] };
}

/** Sequences are computed, not waited for: a process for each core. */
async function exploreInProcesses(times: number) {
  const folder = trialFolder();
  try {
    const start = await workerIn(folder, 'test/hardening/explore-worker.ts');
    const processes = availableParallelism();
    const workers = Array.from({ length: processes }, (_, index) =>
      start(...[times, index, processes].map(String)),
    );
    const failures: string[] = [];
    for (const [index, { ended }] of workers.entries()) {
      const status = await ended;
      if (status !== 0) failures.push(`process ${index} ended with ${status}`);
    }
    const parts = workers.flatMap(({ lines }) => lines.map((line): Part => JSON.parse(line)));
    return { parts, failures };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
