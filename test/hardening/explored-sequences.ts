import { SimulatedTime, sendOverConnections, simulatedApplication } from '../explore/simulated.ts';
import { brief, exploreHandler } from '../explore/support.ts';
import type { HardeningOptions, SectionResult } from './section.ts';

/** Sequences per application: its state is in memory, and grows. */
const perApplication = 500;

/** `explore` finds nothing wrong with the right application, whatever is drawn: a false alarm misleads. */
export async function exploredSequences({
  quick,
  times = quick ? 20 : 10_000,
}: HardeningOptions): Promise<SectionResult> {
  const failures: string[] = [];
  let tried = 0;
  for (let part = 0; tried < times && failures.length === 0; part += 1) {
    const time = new SimulatedTime();
    const found = await exploreHandler(undefined, {
      send: sendOverConnections(simulatedApplication([], time), time),
      seed: `hardening ${part}`,
      runs: Math.min(perApplication, times - tried),
    });
    tried += found.sequences;
    if (found.failures.length > 0) failures.push(`seed "${found.seed}": ${brief(found)}`);
    if (found.sequences === 0) failures.push(`seed "${found.seed}": no sequence was run`);
  }
  return {
    rows: [
      {
        what: 'explored sequences, right application',
        tried,
        outcome: 'not blamed',
        count: tried - failures.length,
        atLeast: times,
      },
    ],
    failures,
  };
}
