import type { CheckDocument, VerifyDocument } from './verify-document.ts';

/** Words that several reports of a run share. */

/** "31 passed, 1 failed (1 known), 2 skipped": what is none is left out. */
export function countsOf({ summary, checks }: VerifyDocument): string {
  const known = checks.filter((check) => check.status === 'failed' && check.known).length;
  const failed = known === 0 ? 'failed' : `failed (${known} known)`;
  const counts = [
    [summary.passed, 'passed'],
    [summary.failed, failed],
    [summary.warned, 'warned'],
    [summary.skipped, 'skipped'],
  ] as const;
  return counts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
}

/** The checks by their group, in the order of the document. */
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

/** Checks that don't hold, those that count first. */
export function troubled({ checks }: VerifyDocument): readonly CheckDocument[] {
  const failed = checks.filter(({ status }) => status === 'failed');
  return [...failed, ...checks.filter(({ status }) => status === 'warned')];
}

/** Whether the run proves what it was for: something was judged, and nothing failed that isn't known. */
export function isGood(document: VerifyDocument): boolean {
  const { checks, unreachable, interrupted, stale, summary } = document;
  const isWrong = checks.some(({ status, known }) => status === 'failed' && known === undefined);
  const hasRun = summary.passed + summary.failed + summary.warned > 0;
  return hasRun && !isWrong && !interrupted && unreachable === undefined && stale.length === 0;
}

/** Why nothing can be said of the application, or why the run fails although its checks may hold. */
export function remarksOf(document: VerifyDocument): readonly string[] {
  const { unreachable, interrupted, stale, expired } = document;
  return [
    ...(unreachable ? [`The endpoint could not be reached: ${unreachable.message}`] : []),
    ...(interrupted ? ['The run was interrupted: what had not ended is skipped.'] : []),
    ...stale.map(
      ({ check }) => `The known failure ${check} no longer fails: take it off the list.`,
    ),
    ...expired.map(
      ({ check, until }) => `The known failure ${check} was put up with until ${until}.`,
    ),
  ];
}

/** How many requests the emulated service received of the application. */
export function receivedIn({ checks, controls }: VerifyDocument): number {
  const exchanges = [...checks, ...controls].flatMap((check) => check.exchanges);
  return exchanges.filter((exchange) => exchange.received).length;
}

/** "12 requests"; where an application has signed in, "12 requests, 38 received" or "38 requests received". */
export function trafficOf(document: VerifyDocument): string {
  const { requests } = document;
  const received = receivedIn(document);
  if (received === 0) return counted(requests, 'request');
  if (requests === 0) return `${counted(received, 'request')} received`;
  return `${counted(requests, 'request')}, ${received} received`;
}

/** "1 request", "12 requests". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Seconds with two decimals. */
export function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(2);
}

/** What was verified, for people: the URL, or the command line that signed in. */
export function targetOf({ url }: Pick<VerifyDocument, 'url'>): string {
  const [, line] = /^command:(.*)$/.exec(url) ?? [];
  return line === undefined ? url : decodeURIComponent(line);
}

/** The command that made the document: "authcli verify", "authcli verify-service". */
export function commandOf({ repeat }: Pick<VerifyDocument, 'repeat'>): string {
  return /^authcli [a-z-]+/.exec(repeat)?.[0] ?? 'authcli verify';
}
