import type { Diagnosis } from '../../errors.ts';
import { dayMs } from '../../protocol/expiry.ts';
import {
  type CertificateDocument,
  type Change,
  type ComparedCheck,
  changeText,
  type Differences,
  diffRuns,
  isChange,
  type NewFailure,
} from '../../reports/verify-diff.ts';

/** What one run found, as far as it is compared. */
export interface Observation {
  readonly target: string;
  readonly at: number;
  /** Why no request got a response. */
  readonly unreachable?: Pick<Diagnosis, 'code' | 'message' | 'hint'> | undefined;
  readonly checks: readonly ComparedCheck[];
  /** Undefined without https, and where it could not be read. */
  readonly certificate?: CertificateDocument | undefined;
}

/** What was last reported. */
export interface Reported {
  readonly endpoint: string | null;
  readonly checks: readonly ComparedCheck[];
  readonly certificate: CertificateDocument | undefined;
  /** Which of `steps` the days left of the certificate have reached. */
  readonly step: number;
}

export const nothingReported: Reported = {
  endpoint: null,
  checks: [],
  certificate: undefined,
  step: Number.POSITIVE_INFINITY,
};

/** An ending certificate is reported when this many days are left. */
const steps = [-1, 0, 1, 3, 7, 14, 30];

/**
 * What is new since the last report, undefined for nothing, and what is reported once that is: another status or
 * diagnosis code of a check, an endpoint that can't be reached, another or an ending certificate. Checks of a run that
 * reached nothing are not compared: those of the last one that did are. Of the first run only what failed is new.
 */
export function compareRun(
  reported: Reported,
  { target, at, unreachable, checks, certificate = reported.certificate }: Observation,
): { readonly change: Change | undefined; readonly next: Reported } {
  const left = certificate && Math.floor((Date.parse(certificate.valid_to) - at) / dayMs);
  const reached = left === undefined ? reported.step : steps.find((step) => left <= step);
  const next: Reported = {
    endpoint: unreachable?.code ?? 'reachable',
    checks: unreachable === undefined ? checks : reported.checks,
    certificate,
    step: reached ?? Number.POSITIVE_INFINITY,
  };
  const diff = diffRuns(reported.checks, next.checks);
  const isSame = next.endpoint === (reported.endpoint ?? 'reachable');
  const found: Differences = {
    ...(reported.checks.length === 0 ? { ...diff, added: [] } : diff),
    endpoint: isSame ? null : { before: reported.endpoint, after: next.endpoint ?? '' },
    certificate: certificateChange(reported, next, left),
  };
  if (!isChange(found)) return { change: undefined, next };
  const failures =
    found.endpoint !== null && unreachable !== undefined
      ? [{ checks: [], code: unreachable.code, cause: unreachable.message, fix: unreachable.hint }]
      : newFailures(found, checks);
  const { cause = null, fix = null } = failures[0] ?? {};
  return { change: { ...found, cause, fix, text: changeText(target, found, failures) }, next };
}

/** What fails that did not, or for another cause; checks with the same diagnosis are one failure. */
function newFailures(
  { broke, changed }: Differences,
  checks: readonly ComparedCheck[],
): readonly NewFailure[] {
  const failed = [...broke, ...changed].map(({ id }) => checks.find((check) => check.id === id));
  const failures: (NewFailure & { checks: ComparedCheck[] })[] = [];
  for (const check of failed) {
    if (check?.fix === undefined) continue;
    const { diagnosis, observed = '', fix } = check;
    const { code, message: cause = observed } = diagnosis ?? {};
    const same = failures.find((failure) => code !== undefined && failure.code === code);
    if (same) same.checks.push(check);
    else failures.push({ checks: [check], code, cause, fix });
  }
  return failures;
}

function certificateChange(
  reported: Reported,
  { certificate: after, step }: Reported,
  left: number | undefined,
): Change['certificate'] {
  const before = reported.certificate ?? null;
  if (after === undefined || left === undefined) return null;
  const names = ['subject', 'issuer', 'valid_to'] as const;
  if (before !== null && names.some((name) => before[name] !== after[name]))
    return { what: 'replaced', days_left: left, before, after };
  return step < reported.step ? { what: 'expires', days_left: left, before, after } : null;
}
