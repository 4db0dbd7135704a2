import { harmRank } from '../conformance/check.ts';
import { statuses } from '../conformance/result.ts';
import { stackNames } from '../diagnosis/diagnosis.ts';
import { counted, escapeControls } from '../text.ts';
import type { CheckDocument, VerifyDocument } from './verify-document.ts';

/** "31 passed, 1 failed (1 known), 2 skipped" */
export function countsOf({ summary, checks }: VerifyDocument): string {
  return statuses
    .filter((status) => summary[status] > 0)
    .map((status) => {
      const known = checks.filter((check) => check.status === status && check.known).length;
      const isTolerated = known > 0 && (status === 'failed' || status === 'incomplete');
      return `${summary[status]} ${status}${isTolerated ? ` (${known} known)` : ''}`;
    })
    .join(', ');
}

/** ", requirements 1", to be put behind what was verified. */
export function requirementsIn({ requirements }: Pick<VerifyDocument, 'requirements'>): string {
  return requirements === undefined ? '' : `, requirements ${requirements}`;
}

export function groupsOf(
  checks: readonly CheckDocument[],
): readonly (readonly [group: string, checks: readonly CheckDocument[]])[] {
  const groups = new Map<string, CheckDocument[]>();
  for (const check of checks) {
    const group = check.id.slice(0, check.id.indexOf('/'));
    groups.set(group, [...(groups.get(group) ?? []), check]);
  }
  return [...groups];
}

/** What is said of a failure or warning, in each report. */
export function factsOf(
  check: CheckDocument,
  { stack }: Pick<VerifyDocument, 'stack'>,
): readonly (readonly [name: string, text: string, isCode?: boolean])[] {
  const { section, sentence, expected, observed, diagnosis, fix, known } = check;
  const until = known?.until === undefined ? '' : ` (until ${known.until})`;
  const call = stack && diagnosis?.calls[stack];
  const facts = [
    [`Section ${section}`, sentence],
    ['Expected', expected],
    ['Observed', observed],
    ['Diagnosis', diagnosis && `${diagnosis.code}: ${diagnosis.message}`],
    ['Log', [diagnosis?.evidence?.source ?? [], diagnosis?.evidence?.log ?? []].flat().join('\n')],
    ['Fix', fix],
    [stackNames[stack ?? 'java'], call, true],
    ['Known', known && escapeControls(`${known.reason}${until}`)],
  ] as const;
  return facts.flatMap(([name, text, isCode]) => (text ? [[name, text, isCode] as const] : []));
}

/** What repeats the request of a failure, and its check. */
export function commandsOf({ repeat }: CheckDocument): readonly string[] {
  return [repeat?.curl, repeat?.command].filter((line) => line !== undefined);
}

/** The failures, then the warnings; of each the worst first. */
export function troubled({ checks }: Pick<VerifyDocument, 'checks'>): readonly CheckDocument[] {
  const of = (wanted: CheckDocument['status']) => checks.filter(({ status }) => status === wanted);
  return [of('failed'), of('warned')].flatMap((some) =>
    some.toSorted((a, b) => harmRank(a.harm) - harmRank(b.harm)),
  );
}

/** Failures and warnings that have one cause and one fix. */
export function causesOf(document: VerifyDocument): readonly (readonly CheckDocument[])[] {
  const groups = new Map<string, CheckDocument[]>();
  const { checks, controls } = document;
  const explaining = controls.filter(
    ({ id, status }) => status === 'failed' && checks.some(({ lacks }) => lacks === id),
  );
  for (const check of troubled({ checks: [...checks, ...explaining] })) {
    const { diagnosis, observed = '', fix = '' } = check;
    const { calls = {} } = diagnosis ?? {};
    // The same code does it right: it is the same mistake, however it was noticed.
    const right = Object.keys(calls).length > 0 ? calls : fix;
    const key = JSON.stringify([diagnosis?.code ?? observed, right]);
    groups.set(key, [...(groups.get(key) ?? []), check]);
  }
  return [...groups.values()];
}

/** Checks that were not judged for one reason. */
interface Unjudged {
  readonly status: 'incomplete' | 'skipped';
  readonly reason: string;
  readonly ids: readonly string[];
}

/** What was not judged, and is not known; what was skipped for a failure belongs to that. */
export function unjudgedIn({ checks }: Pick<VerifyDocument, 'checks'>): readonly Unjudged[] {
  const groups = new Map<string, Unjudged>();
  for (const { id, status, reason = '', lacks, known } of checks) {
    const isIncomplete = status === 'incomplete' && known === undefined;
    if (!isIncomplete && (status !== 'skipped' || lacks !== undefined)) continue;
    const key = JSON.stringify([status, reason]);
    const { ids } = groups.get(key) ?? { ids: [] };
    groups.set(key, { status, reason, ids: [...ids, id] });
  }
  return [...groups.values()];
}

/** Whether checks ran, and nothing failed or was left untested that is not known. */
export function isGood(document: VerifyDocument): boolean {
  const { checks, unreachable, interrupted, stale, summary } = document;
  const isWrong = checks.some(
    ({ status, known }) => (status === 'failed' || status === 'incomplete') && known === undefined,
  );
  const hasRun = summary.passed + summary.failed + summary.warned > 0;
  return hasRun && !isWrong && !interrupted && unreachable === undefined && stale.length === 0;
}

/** Why the run is inconclusive, or fails although its checks may pass, and what it says nothing of. */
export function remarksOf(document: VerifyDocument): readonly string[] {
  const { unreachable, interrupted, stale, expired } = document;
  const isWhole = !interrupted && unreachable === undefined;
  const untested = unjudgedIn(document).filter(({ status }) => status === 'incomplete');
  return [
    ...(isWhole ? untested.map(unjudgedText) : []),
    ...(unreachable ? [`The endpoint could not be reached: ${unreachable.message}`] : []),
    ...(interrupted ? ['The run was interrupted; the remaining checks were skipped.'] : []),
    ...stale.map(
      ({ check }) => `The known failure ${check} no longer fails: remove it from the list.`,
    ),
    ...expired.map(({ check, until }) => `The known failure ${check} was accepted until ${until}.`),
    ...(isWhole && document.sign_in ? ['The sign-in was not checked.'] : []),
  ];
}

/** "2 requirements were not tested (a, b): It signs up …" */
export function unjudgedText({ status, reason, ids }: Unjudged): string {
  const were = ids.length === 1 ? 'was' : 'were';
  const what = status === 'incomplete' ? 'requirement' : 'check';
  const how = status === 'incomplete' ? 'not tested' : 'skipped';
  return `${counted(ids.length, what)} ${were} ${how} (${ids.join(', ')}): ${reason}`;
}

/** How many requests of the application the emulated service received. */
export function receivedIn({ checks, controls }: VerifyDocument): number {
  const exchanges = [...checks, ...controls].flatMap((check) => check.exchanges);
  return exchanges.filter((exchange) => exchange.received).length;
}

/** "12 requests"; with sign-ins "12 requests, 38 received" or "38 requests received". */
export function trafficOf(document: VerifyDocument): string {
  const { requests } = document;
  const received = receivedIn(document);
  if (received === 0) return counted(requests, 'request');
  if (requests === 0) return `${counted(received, 'request')} received`;
  return `${counted(requests, 'request')}, ${received} received`;
}

/** Seconds with two decimals. */
export function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(2);
}

/** How long valid requests took that got a response, in milliseconds. */
export interface Latency {
  readonly requests: number;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

/** The latencies of a run, by operation. */
export function latenciesOf(document: Timed): Readonly<Record<string, Latency>> {
  return Object.fromEntries(
    [...durationsOf(document)].map(([operation, values]) => [operation, latencyOf(values)]),
  );
}

type Exchanges = Pick<CheckDocument, 'exchanges'>;

/** The part of a run that shows how long its requests took. */
interface Timed {
  readonly checks: readonly Exchanges[];
  readonly controls: readonly Exchanges[];
}

/** How long each valid request of a run took that got a response, by operation. */
export function durationsOf({ checks, controls }: Timed): ReadonlyMap<string, readonly number[]> {
  const durations = new Map<string, number[]>();
  for (const { operation, intent, http_status: status, duration_ms: ms } of [
    ...checks,
    ...controls,
  ].flatMap(({ exchanges }) => exchanges)) {
    if (intent !== 'right' || status === null) continue;
    const known = durations.get(operation);
    if (known === undefined) durations.set(operation, [ms]);
    else known.push(ms);
  }
  return durations;
}

/** Of at least one duration, in any order. */
export function latencyOf(durations: readonly number[]): Latency {
  const sorted = [...durations].sort((a, b) => a - b);
  const at = (share: number): number => percentile(sorted, share);
  return { requests: sorted.length, p50: at(0.5), p95: at(0.95), max: at(1) };
}

/** The value that `share` (0 to 1) of the ascending, non-empty `values` don't exceed (nearest rank). */
function percentile(values: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(share * values.length));
  return values[rank - 1] ?? Number.NaN;
}
