import type { CheckDocument, VerifyDocument } from '../conformance/document.ts';
import { statuses } from '../conformance/result.ts';
import { stackNames } from '../diagnosis/diagnosis.ts';
import { counted, escapeControls, grouped } from '../text.ts';

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

export function groupsOf(checks: readonly CheckDocument[]) {
  return [...grouped(checks, ({ id }) => id.slice(0, id.indexOf('/')))];
}

/** What is said of a failure or warning, in each report. */
export function factsOf(check: CheckDocument, { stack }: Pick<VerifyDocument, 'stack'>) {
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

const worstFirst = ['lets-in', 'leaks', undefined];

/** The failures, then the warnings; of each the worst first. */
export function troubled({ checks }: Pick<VerifyDocument, 'checks'>): readonly CheckDocument[] {
  const of = (wanted: CheckDocument['status']) => checks.filter(({ status }) => status === wanted);
  return [of('failed'), of('warned')].flatMap((some) =>
    some.toSorted((a, b) => worstFirst.indexOf(a.harm) - worstFirst.indexOf(b.harm)),
  );
}

/** Failures and warnings that have one cause and one fix. */
export function causesOf(document: VerifyDocument): readonly (readonly CheckDocument[])[] {
  const { checks, controls } = document;
  const explaining = controls.filter(
    ({ id, status }) => status === 'failed' && checks.some(({ lacks }) => lacks === id),
  );
  const causeOf = ({ diagnosis, observed, fix }: CheckDocument) => {
    const { calls = {} } = diagnosis ?? {};
    // The same code does it right: it is the same mistake, however it was noticed.
    const right = Object.keys(calls).length > 0 ? calls : fix;
    return JSON.stringify([diagnosis?.code ?? observed, right]);
  };
  const failed = troubled({ checks: [...checks, ...explaining] });
  return [...grouped(failed, causeOf).values()];
}

type Unjudged = ReturnType<typeof unjudgedIn>[number];

/** What was not judged, by its reason, and is not known; what was skipped for a failure belongs to that. */
export function unjudgedIn({ checks }: Pick<VerifyDocument, 'checks'>) {
  const unjudged = checks.flatMap(({ id, status, reason = '', lacks, known }) => {
    if (status === 'incomplete') return known === undefined ? { id, status, reason } : [];
    return status === 'skipped' && lacks === undefined ? { id, status, reason } : [];
  });
  const groups = grouped(unjudged, ({ status, reason }) => JSON.stringify([status, reason]));
  return [...groups.values()].flatMap((group) => {
    const ids = group.map(({ id }) => id);
    return group.slice(0, 1).map(({ status, reason }) => ({ status, reason, ids }));
  });
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

/** "12 requests"; with sign-ins "12 requests, 38 received" or "38 requests received". */
export function trafficOf(document: VerifyDocument): string {
  const { requests, checks, controls } = document;
  const exchanges = [...checks, ...controls].flatMap((check) => check.exchanges);
  const received = exchanges.filter((exchange) => exchange.received).length;
  if (received === 0) return counted(requests, 'request');
  if (requests === 0) return `${counted(received, 'request')} received`;
  return `${counted(requests, 'request')}, ${received} received`;
}

/** Seconds with two decimals. */
export function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(2);
}

/** How long valid requests took that got a response, in milliseconds (nearest rank), by operation. */
export function latenciesOf({ checks, controls }: Pick<VerifyDocument, 'checks' | 'controls'>) {
  const timed = [...checks, ...controls]
    .flatMap(({ exchanges }) => exchanges)
    .filter(({ intent, http_status: status }) => intent === 'right' && status !== null);
  const latencies = [...grouped(timed, ({ operation }) => operation)].map(([operation, some]) => {
    const ascending = some.map(({ duration_ms: ms }) => ms).sort((a, b) => a - b);
    const at = (share: number) => ascending[Math.ceil(share * some.length) - 1] ?? Number.NaN;
    const latency = { requests: some.length, p50: at(0.5), p95: at(0.95), max: at(1) };
    return [operation, latency] as const;
  });
  return Object.fromEntries(latencies);
}
