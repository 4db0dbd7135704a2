import { dayMs } from '../protocol/expiry.ts';
import {
  type CertificateDocument,
  type Change,
  type ComparedCheck,
  diffRuns,
  isChange,
  type VerifyDiff,
} from '../reports/verify-diff.ts';

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
interface Reported {
  readonly endpoint: string | null;
  readonly checks: readonly ComparedCheck[];
  readonly certificate: CertificateDocument | undefined;
  /** Which of `steps` the days left of the certificate have reached. */
  readonly step: number;
}

const nothingReported: Reported = {
  endpoint: null,
  checks: [],
  certificate: undefined,
  step: Number.POSITIVE_INFINITY,
};

export interface Finding {
  readonly change: Change;
  /** To be called once it was reported; else the next run reports it again, as it is then. */
  readonly commit: () => void;
}

/**
 * Compares each run with what was reported last, so that every change is reported once: another status or diagnosis
 * code of a check, an endpoint that can't be reached, another or an ending certificate. Checks of a run that
 * reached nothing are not compared: those of the last one that did are.
 */
export class Changes {
  #reported = nothingReported;

  /** What is to be reported of the next run; undefined for nothing. */
  observe(observation: Observation): Finding | undefined {
    const reported = this.#reported;
    const next = observed(reported, observation);
    const isFirst = reported.endpoint === null;
    const change: Change = {
      ...differenceOf(reported, next, isFirst),
      endpoint: endpointChange(reported, next),
      certificate: certificateChange(reported, next, observation.at),
    };
    const commit = (): void => {
      this.#reported = next;
    };
    if (isChange(change)) return { change, commit };
    commit();
    return undefined;
  }
}

/** What is reported once this run is. */
function observed(
  reported: Reported,
  { at, unreachable, checks, certificate = reported.certificate }: Observation,
): Reported {
  return {
    endpoint: unreachable ?? 'reachable',
    checks: unreachable === undefined ? checks : reported.checks,
    certificate,
    step: certificate === undefined ? reported.step : stepOf(daysLeft(certificate, at)),
  };
}

/** Whole days until the end of a certificate; negative once it has expired. */
export function daysLeft({ valid_to: end }: CertificateDocument, now: number): number {
  return Math.floor((Date.parse(end) - now) / dayMs);
}

/** An ending certificate is reported when this many days are left. */
const steps = [-1, 0, 1, 3, 7, 14, 30];

/** The step that the days left have reached; infinite above all. */
function stepOf(days: number): number {
  return steps.find((step) => days <= step) ?? Number.POSITIVE_INFINITY;
}

/** Of the first run only what failed: that the others pass is not news. */
function differenceOf(before: Reported, after: Reported, isFirst: boolean): VerifyDiff {
  const diff = diffRuns(before.checks, after.checks);
  return isFirst || before.checks.length === 0 ? { ...diff, added: [] } : diff;
}

function endpointChange(before: Reported, after: Reported): Change['endpoint'] {
  if (after.endpoint === null || before.endpoint === after.endpoint) return null;
  if (before.endpoint === null && after.endpoint === 'reachable') return null;
  return { before: before.endpoint, after: after.endpoint };
}

function certificateChange(before: Reported, after: Reported, now: number): Change['certificate'] {
  const { certificate } = after;
  if (certificate === undefined) return null;
  const former = before.certificate ?? null;
  const change = { days_left: daysLeft(certificate, now), before: former, after: certificate };
  if (former !== null && !isSame(former, certificate)) return { what: 'replaced', ...change };
  return after.step < before.step ? { what: 'expires', ...change } : null;
}

function isSame(one: CertificateDocument, other: CertificateDocument): boolean {
  const names = ['subject', 'issuer', 'valid_to'] as const;
  return names.every((name) => one[name] === other[name]);
}
