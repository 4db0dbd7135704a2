import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundleInto } from '../support/bundled.ts';
import { type exploreAnew, rightSides } from './right-sides.ts';
import type { HardeningOptions, SectionResult } from './section.ts';
import { trialFolder } from './worker.ts';

/** What a part of the exploration found. */
type Part = { readonly name: string } & Awaited<ReturnType<typeof exploreAnew>>;

/** `explore` finds nothing wrong with right applications, whatever is drawn: a false alarm misleads. */
export async function exploredSequences({
  quick,
  times = quick ? 6 : 10_000,
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
  const script = join(folder, 'explore-worker.mjs');
  const parts: Part[] = [];
  const failures: string[] = [];
  try {
    await bundleInto(script, 'esm', 'test/hardening/explore-worker.ts');
    const processes = availableParallelism();
    const work = async (index: number) => {
      const argv = [script, ...[times, index, processes].map(String)];
      const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
      createInterface(child.stdout).on('line', (line) => parts.push(JSON.parse(line)));
      const [status] = await once(child, 'close');
      if (status !== 0) failures.push(`process ${index} ended with ${status}`);
    };
    await Promise.all(Array.from({ length: processes }, (_, index) => work(index)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { parts, failures };
}
