import type { LoadDocument } from './load-document.ts';

/** What is done over and over, in words. */
export const words = {
  signup: { one: 'sign-up', many: 'sign-ups' },
  signin: { one: 'sign-in', many: 'sign-ins' },
} as const;

/** Whether it is as it should be: something ended, nothing was missed, and no more failed than may. */
export function isGood({ attempted, failed, thresholds, interrupted }: LoadDocument): boolean {
  const isTolerated = thresholds.some(({ threshold }) => threshold.startsWith('errors'));
  const kept = thresholds.every((threshold) => threshold.kept);
  return attempted > 0 && kept && !interrupted && (failed === 0 || isTolerated);
}

/** The verdict in one line. */
export function loadVerdict(document: LoadDocument): string {
  const { succeeded, attempted, scenario, thresholds, interrupted } = document;
  const { many } = words[scenario];
  const missed = thresholds.filter(({ kept }) => !kept).length;
  const checked = scenario === 'signup' && succeeded > 0 ? ', each key unwrapped and checked' : '';
  const count = `${succeeded} of ${attempted} ${many} succeeded${checked}`;
  if (interrupted) return `The run was interrupted: ${count}.`;
  if (missed > 0) return `${count}; ${missed} of ${thresholds.length} thresholds missed.`;
  return `${count}.`;
}

/** The rate for people: whole numbers from a hundred on, else three digits that mean something. */
export function perSecond({ signups_per_second: rate }: LoadDocument): string {
  return rate >= 100 ? String(Math.round(rate)) : String(Number(rate.toPrecision(3)));
}
