import type { CertificateDocument, VerifyDocument } from '../conformance/document.ts';
import { catalogue } from '../diagnosis/catalogue.ts';
import type { CertificateFacts } from '../diagnosis/connection.ts';
import { type Diagnosis, isDiagnosisCode } from '../errors.ts';
import { dayMs } from '../protocol/expiry.ts';
import { counted, escapeControls, firstOf } from '../text.ts';
import { marks, type Style, verdict } from './human.ts';
import { type ComparedCheck, diffLines, diffRuns, type VerifyDiff } from './verify-diff.ts';
import { countsOf, latenciesOf, seconds, trafficOf } from './verify-words.ts';

/*
 * What is said of runs that are made again and again: each in a line, and what is new since the last report.
 */

export const monitorSchema = 'authcli/monitor/1';
export const changeSchema = 'authcli/change/1';

/** How a run ended: `error` means that it could not be made. */
export type RunStatus = 'passed' | 'failed' | 'unreachable' | 'interrupted' | 'error';

/** With the first end of a certificate of the chain; undefined without certificates, and if none names its end. */
export function certificateDocument(
  chain: readonly CertificateFacts[],
): CertificateDocument | undefined {
  const end = Math.min(...chain.map(({ validTo }) => validTo));
  const [own] = chain;
  if (own === undefined || !Number.isFinite(end)) return undefined;
  return { subject: own.subject, issuer: own.issuer, valid_to: new Date(end).toISOString() };
}

/** What differs from what was last reported, and what it means (schemas/change-1.json). */
export interface Change extends VerifyDiff {
  /** `reachable`, or the diagnosis code of why it is not; before is null if nothing was known. */
  readonly endpoint: { readonly before: string | null; readonly after: string } | null;
  /** `replaced`: another one is used; `expires`: fewer days are left than at the last report. */
  readonly certificate: {
    readonly what: 'replaced' | 'expires';
    readonly days_left: number;
    readonly before: CertificateDocument | null;
    readonly after: CertificateDocument;
  } | null;
  /** Of the first new failure; null where nothing fails that did not. */
  readonly cause: string | null;
  readonly fix: string | null;
  readonly text: string;
}

type Differences = Omit<Change, 'cause' | 'fix' | 'text'>;

/** What is compared of the document of a run. */
export interface Observation {
  readonly target: string;
  readonly started_at: string;
  readonly unreachable?: Pick<Diagnosis, 'code' | 'message' | 'hint'> | undefined;
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
  { target, started_at: at, unreachable, checks, certificate = reported.certificate }: Observation,
): { readonly change: Change | undefined; readonly next: Reported } {
  const end = certificate && Date.parse(certificate.valid_to);
  const left = end === undefined ? undefined : Math.floor((end - Date.parse(at)) / dayMs);
  const reached = left === undefined ? reported.step : steps.find((step) => left <= step);
  const next = {
    endpoint: unreachable?.code ?? 'reachable',
    checks: unreachable === undefined ? checks : reported.checks,
    certificate,
    step: reached ?? Number.POSITIVE_INFINITY,
  };
  const diff = diffRuns(reported.checks, next.checks);
  const isSame = next.endpoint === (reported.endpoint ?? 'reachable');
  const found: Differences = {
    ...(reported.checks.length === 0 ? { ...diff, added: [] } : diff),
    endpoint: isSame ? null : { before: reported.endpoint, after: next.endpoint },
    certificate: certificateChange(reported, next, left),
  };
  const summary = changeSummary(found);
  if (summary === '') return { change: undefined, next };
  const failures =
    found.endpoint !== null && unreachable !== undefined
      ? [{ checks: [], code: unreachable.code, cause: unreachable.message, fix: unreachable.hint }]
      : newFailures(found, checks);
  const { cause = null, fix = null } = failures[0] ?? {};
  const text = changeText(`${target}: ${summary}.`, failures, found.fixed);
  return { change: { ...found, cause, fix, text }, next };
}

/** Why checks fail, or with no check why no request got a response. */
interface NewFailure {
  readonly checks: ComparedCheck[];
  readonly code: string | undefined;
  readonly cause: string;
  readonly fix: string;
}

/** What fails that did not, or for another cause; checks with the same diagnosis are one failure. */
function newFailures({ broke, changed }: VerifyDiff, checks: readonly ComparedCheck[]) {
  const failed = [...broke, ...changed].map(({ id }) => checks.find((check) => check.id === id));
  const failures: NewFailure[] = [];
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

/** A change in a few words: "endpoint unreachable (refused), 2 checks broke"; empty for none. */
export function changeSummary(change: Differences): string {
  const { endpoint, certificate, broke, fixed, changed, added, removed } = change;
  const checks = [
    [broke, 'broke'],
    [fixed, 'fixed'],
    [changed, 'changed'],
    [added, 'new'],
    [removed, 'gone'],
  ] as const;
  return [
    ...(endpoint === null ? [] : [endpointText(endpoint)]),
    ...checks.flatMap(([{ length }, what]) =>
      length === 0 ? [] : `${counted(length, 'check')} ${what}`,
    ),
    ...(certificate === null ? [] : [certificateText(certificate)]),
  ].join(', ');
}

/** At most as many causes, and checks of one, in a line. */
const shownInLine = 3;

/** The change in one line, in authcli's own words: whoever posts it to a chat lets nobody else speak there. */
function changeText(summary: string, failures: readonly NewFailure[], fixed: VerifyDiff['fixed']) {
  const causes = failures.map(({ checks, code = '' }) => {
    const [first] = checks;
    const title = isDiagnosisCode(code) ? catalogue[code].title : (first?.title ?? code);
    return first === undefined ? `${title}.` : `${namesOf(checks)}: ${title}.`;
  });
  const more = causes.length - shownInLine;
  const others = more > 0 ? [`And ${counted(more, 'other cause')}.`] : [];
  const again = fixed.length > 0 ? [`${namesOf(fixed)}: passed.`] : [];
  const parts = [summary, ...causes.slice(0, shownInLine), ...others, ...again];
  return escapeControls(parts.join(' '));
}

function namesOf(checks: readonly { readonly id: string }[]): string {
  return firstOf(
    checks.map(({ id }) => id),
    shownInLine,
  );
}

export function changeLines(change: Change, style: Style): readonly string[] {
  const { endpoint, certificate } = change;
  const isUp = endpoint?.after === 'reachable';
  const warned =
    certificate && `${style.warn('!')} ${escapeControls(certificateText(certificate))}`;
  return [
    ...(endpoint === null ? [] : [`  ${verdict(isUp, endpointText(endpoint), style)}`]),
    ...(warned === null ? [] : [`  ${warned}`]),
    ...diffLines(change, style),
  ];
}

function endpointText({ before, after }: NonNullable<Change['endpoint']>): string {
  if (after === 'reachable') return `endpoint reachable again (was ${before})`;
  return before === null || before === 'reachable'
    ? `endpoint unreachable (${after})`
    : `endpoint still unreachable (${after}, was ${before})`;
}

function certificateText(change: NonNullable<Change['certificate']>): string {
  const { what, days_left: days, after, before } = change;
  const left = days < 0 ? 'has expired' : `expires in ${counted(days, 'day')}`;
  const end = after.valid_to.slice(0, 10);
  if (what === 'expires') return `certificate ${left} (${end})`;
  const former = before === null ? '' : `, the one before until ${before.valid_to.slice(0, 10)}`;
  return `certificate replaced: it ${left} (${end})${former}`;
}

/** One of several runs, as a line of JSON, which schemas/monitor-1.json describes. */
export function toRunEvent(
  run: number,
  status: RunStatus,
  document: VerifyDocument,
  change: Change | undefined,
) {
  const { started_at: at, duration_ms, requests, requirements, summary } = document;
  const { unreachable, certificate } = document;
  return {
    event: 'run',
    run,
    at,
    status,
    duration_ms,
    requests,
    requirements,
    summary,
    latency_ms: latenciesOf(document),
    ...(unreachable && { unreachable: unreachable.code }),
    ...(certificate && { certificate }),
    change: change ?? null,
  };
}

/** The run in one line: "2027-01-31T06:00:00Z ✓ 16 passed; 6 requests in 0.05 s, slowest 12 ms". */
export function runLine(
  status: RunStatus,
  document: VerifyDocument,
  change: Change | undefined,
  style: Style,
): string {
  const { started_at: at, duration_ms: duration, unreachable } = document;
  const mark = status === 'passed' ? style.good(marks.good) : style.bad(marks.bad);
  const found =
    unreachable === undefined ? countsOf(document) : `unreachable (${unreachable.code})`;
  const slowest = Math.max(-1, ...Object.values(latenciesOf(document)).map(({ max }) => max));
  const traffic = `${trafficOf(document)} in ${seconds(duration)} s`;
  const details = slowest < 0 ? traffic : `${traffic}, slowest ${Math.round(slowest)} ms`;
  const what = change === undefined ? '' : `; ${escapeControls(changeSummary(change))}`;
  const cut = status === 'interrupted' ? 'interrupted: ' : '';
  return `${toTheSecond(at)} ${mark} ${cut}${found}; ${details}${style.bold(what)}`;
}

/** The line of a run that could not be made. */
export function errorLine(at: string, message: string, style: Style): string {
  return `${toTheSecond(at)} ${style.bad(marks.bad)} no run: ${escapeControls(message)}`;
}

function toTheSecond(iso: string): string {
  return iso.replace(/\.\d+Z$/, 'Z');
}
