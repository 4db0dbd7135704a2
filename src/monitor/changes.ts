import { dayMs } from '../protocol/expiry.ts';
import type { CertificateDocument, Change } from '../reports/change-document.ts';
import { isChange } from '../reports/change-document.ts';
import { type ComparedCheck, diffRuns, type VerifyDiff } from '../reports/verify-diff.ts';
import { Flapping } from './flapping.ts';

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

const endpointId = 'endpoint';

/**
 * Compares each run with what was reported last, so that every change is reported once: another status or diagnosis
 * code of a check, an endpoint that can't be reached, another or an ending certificate. Checks of a run that
 * reached nothing are not compared: those of the last one that did are.
 */
export class Changes {
  #reported = nothingReported;
  readonly #flapping = new Map<string, Flapping>();
  readonly #begun = new Set<string>();
  readonly #ended = new Set<string>();

  /** What is to be reported of the next run; undefined for nothing. */
  observe(observation: Observation): Finding | undefined {
    this.#watchFlapping(observation);
    const reported = this.#reported;
    const next = this.#next(observation);
    const isFirst = reported.endpoint === null;
    const change: Change = {
      ...differenceOf(reported, next, isFirst),
      endpoint: endpointChange(reported, next),
      certificate: certificateChange(reported, next, observation.at),
      flapping: [...this.#begun].map((id) => ({ id, ...countsOf(this.#flapping.get(id)) })),
      settled: [...this.#ended].map((id) => ({ id, status: statusIn(next, id) })),
    };
    const commit = (): void => {
      this.#reported = next;
      this.#begun.clear();
      this.#ended.clear();
    };
    if (isChange(change)) return { change, commit };
    commit();
    return undefined;
  }

  #watchFlapping({ unreachable, checks }: Observation): void {
    const values = new Map<string, string>([[endpointId, unreachable ?? 'reachable']]);
    if (unreachable === undefined) {
      for (const { id, status, diagnosis } of checks) {
        values.set(id, `${status} ${diagnosis?.code ?? ''}`);
      }
      for (const id of this.#flapping.keys()) if (!values.has(id)) this.#flapping.delete(id);
    }
    for (const [id, value] of values) {
      const flapping = this.#flapping.get(id) ?? new Flapping();
      this.#flapping.set(id, flapping);
      const event = flapping.observe(value);
      if (event === undefined) continue;
      // Both between two reports cancel out.
      const [add, drop] =
        event === 'began' ? [this.#begun, this.#ended] : [this.#ended, this.#begun];
      if (!drop.delete(id)) add.add(id);
    }
  }

  /** What is reported once this run is: what flaps stays as it was. */
  #next({ at, unreachable, checks, certificate }: Observation): Reported {
    const reported = this.#reported;
    const isSteady = (id: string) => this.#flapping.get(id)?.isFlapping !== true;
    const before = new Map(reported.checks.map((check) => [check.id, check]));
    const seen = checks.map((check) =>
      isSteady(check.id) ? check : (before.get(check.id) ?? check),
    );
    const shown = certificate ?? reported.certificate;
    return {
      endpoint: isSteady(endpointId) ? (unreachable ?? 'reachable') : reported.endpoint,
      checks: unreachable === undefined ? seen : reported.checks,
      certificate: shown,
      step: shown === undefined ? reported.step : stepOf(daysLeft(shown, at)),
    };
  }
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

function countsOf(flapping: Flapping | undefined) {
  return { changes: flapping?.changes ?? 0, runs: flapping?.runs ?? 0 };
}

function statusIn({ endpoint, checks }: Reported, id: string): string {
  if (id === endpointId) return endpoint ?? '';
  return checks.find((check) => check.id === id)?.status ?? '';
}
