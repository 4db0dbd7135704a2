import { dayMs } from '../../protocol/expiry.ts';
import {
  type CertificateDocument,
  type Change,
  type ComparedCheck,
  diffRuns,
  isChange,
} from '../../reports/verify-diff.ts';

/** What one run found, as far as it is compared. */
export interface Observation {
  readonly at: number;
  /** The diagnosis code of why no request got a response. */
  readonly unreachable?: string | undefined;
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
  { at, unreachable, checks, certificate = reported.certificate }: Observation,
): { readonly change: Change | undefined; readonly next: Reported } {
  const left = certificate && Math.floor((Date.parse(certificate.valid_to) - at) / dayMs);
  const reached = left === undefined ? reported.step : steps.find((step) => left <= step);
  const next: Reported = {
    endpoint: unreachable ?? 'reachable',
    checks: unreachable === undefined ? checks : reported.checks,
    certificate,
    step: reached ?? Number.POSITIVE_INFINITY,
  };
  const diff = diffRuns(reported.checks, next.checks);
  const isSame = next.endpoint === (reported.endpoint ?? 'reachable');
  const change: Change = {
    ...(reported.checks.length === 0 ? { ...diff, added: [] } : diff),
    endpoint: isSame ? null : { before: reported.endpoint, after: next.endpoint ?? '' },
    certificate: certificateChange(reported, next, left),
  };
  return { change: isChange(change) ? change : undefined, next };
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
