import { verifySignin } from '../conformance/signin-support.ts';
import { troubles } from '../conformance/support.ts';
import { rightPrograms } from '../support/signin-mistakes.ts';
import { signinProgram } from '../support/signin-program.ts';
import { signinStyles } from '../support/signin-styles.ts';
import type { HardeningOptions, Row, SectionResult } from './section.ts';
import { inParallel } from './worker.ts';

/** A right sign-in, which is made anew for each run. */
interface RightSignin {
  readonly name: string;
  readonly make: () => Parameters<typeof verifySignin>[0];
}

const rightSignins: readonly RightSignin[] = [
  ...rightPrograms.map((name) => ({ name, make: () => signinProgram(name) })),
  ...Object.entries(signinStyles).map(([name, make]) => ({ name, make })),
];

/** How often each is verified, unless it is said. */
const usualTimes = 3;

/**
 * Right sign-ins in many styles, each verified again and again, one run at a time and four: no check
 * may blame or skip any of them.
 */
export async function signinStyleTrials(options: HardeningOptions): Promise<SectionResult> {
  const { quick, times = quick ? 1 : usualTimes } = options;
  const every = (count: number) => rightSignins.filter((_, index) => index % count === 0);
  const failures: string[] = [];
  const rows: Row[] = [];
  for (const [width, signins] of [
    [1, quick ? every(14) : rightSignins],
    [4, quick ? every(3) : rightSignins],
  ] as const) {
    const runs = Array.from({ length: times }, () => signins).flat();
    let passed = 0;
    await inParallel(runs, width, async ({ name, make }) => {
      const found = troubles(await verifySignin(make()));
      if (found.length === 0) passed += 1;
      else failures.push(`${name}, ${width} at a time: ${found.join('; ')}`);
    });
    rows.push({
      what: `right sign-ins, ${width} at a time`,
      tried: runs.length,
      outcome: 'passed',
      count: passed,
      atLeast: rightSignins.length,
    });
  }
  return { rows, failures };
}
