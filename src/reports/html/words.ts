import type { CheckDocument, ExchangeDocument, VerifyDocument } from '../verify-document.ts';

/** Words that several sections of the page share. */

/** How each status is marked, beside its colour. */
export const statusMarks = { passed: '✓', failed: '✗', warned: '!', skipped: '–' } as const;

const operationNames = {
  'key-exchange': 'key exchange',
  registration: 'registration',
  token: 'token',
  authenticate: 'authenticate',
  'sign-in': 'sign-in at the application',
} as const;

/** "key exchange", and whether it was spoilt. */
export function requestTitle({ operation, intent, received }: ExchangeDocument): string {
  const name = operationNames[operation];
  if (intent === 'right') return received ? `${name}, received` : name;
  return received ? `${name}, received in a sign-in to refuse` : `${name}, wrong on purpose`;
}

/** How a request was spoilt: "missing ptn cd"; of one that was received, what went wrong on purpose. */
export function spoiling({ malformed }: ExchangeDocument): string | undefined {
  return malformed?.replaceAll('-', ' ');
}

/** `HTTP 200, code "0000"`, or why there is no answer. */
export function answerTitle({ http_status: status, code, failure }: ExchangeDocument): string {
  if (status === null) return `no answer: ${failure ?? 'unknown'}`;
  return [`HTTP ${status}`, code !== null && `code "${code}"`, failure].filter(Boolean).join(', ');
}

const groupNames: Readonly<Record<string, string>> = {
  'key-exchange': 'Key exchange',
  registration: 'Registration complete',
  protocol: 'Protocol',
  signin: 'Sign-in',
  service: 'Service',
};

/** The name of a group of checks for people. */
export function groupTitle(group: string): string {
  return groupNames[group] ?? group;
}

/** The anchor of a check in the page. */
export function anchorOf({ id }: CheckDocument): string {
  return id.replace(/[^a-z0-9]+/gi, '-');
}

/** The verdict in one line, and how it is coloured. */
export function verdictOf(document: VerifyDocument): {
  text: string;
  tone: CheckDocument['status'];
} {
  const { summary, checks, unreachable, interrupted, stale } = document;
  const known = checks.filter((check) => check.status === 'failed' && check.known).length;
  const failed = summary.failed - known;
  const all = counted(checks.length, 'check');
  if (unreachable) return { text: 'The endpoint could not be reached', tone: 'failed' };
  if (failed > 0) return { text: `${failed} of ${all} failed`, tone: 'failed' };
  if (interrupted) return { text: 'The run was interrupted', tone: 'skipped' };
  if (stale.length > 0) return { text: 'A known failure no longer fails', tone: 'failed' };
  if (summary.passed + summary.warned + known === 0) {
    return { text: 'Nothing could be judged', tone: 'skipped' };
  }
  if (known > 0)
    return { text: `Nothing new failed; ${counted(known, 'known failure')}`, tone: 'warned' };
  if (summary.warned > 0) {
    return { text: `No check failed; ${counted(summary.warned, 'warning')}`, tone: 'warned' };
  }
  const count = summary.skipped === 0 ? `All ${all}` : `${summary.passed} of ${all}`;
  return { text: `${count} passed`, tone: 'passed' };
}

/** "1 check", "2 checks". */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
