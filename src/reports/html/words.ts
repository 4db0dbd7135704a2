import { counted } from '../../text.ts';
import type { CheckDocument, ExchangeDocument, VerifyDocument } from '../verify-document.ts';
import { html, type Markup } from './markup.ts';

export const statusMarks = { passed: '✓', failed: '✗', warned: '!', skipped: '–' } as const;

const operationNames = {
  'key-exchange': 'key exchange',
  registration: 'registration',
  token: 'token',
  authenticate: 'authenticate',
  'sign-in': 'sign-in at the application',
} as const;

/** "key exchange, invalid on purpose" */
export function requestTitle({ operation, intent, received }: ExchangeDocument): string {
  const name = operationNames[operation];
  if (intent === 'right') return received ? `${name}, received` : name;
  return received
    ? `${name}, received in a sign-in that must be rejected`
    : `${name}, invalid on purpose`;
}

/** How a request or the response to a received one was malformed: "missing ptn cd". */
export function malformation({ malformed }: ExchangeDocument): string | undefined {
  return malformed?.replaceAll('-', ' ');
}

/** `HTTP 200, code "0000"`, or why there is no response. */
export function responseTitle({ http_status: status, code, failure }: ExchangeDocument): string {
  if (status === null) return `no response: ${failure ?? 'unknown'}`;
  return [`HTTP ${status}`, code !== null && `code "${code}"`, failure].filter(Boolean).join(', ');
}

const groupNames: Readonly<Record<string, string>> = {
  'key-exchange': 'Key exchange',
  registration: 'Registration complete',
  protocol: 'Protocol',
  signin: 'Sign-in',
  service: 'Service',
};

export function groupTitle(group: string): string {
  return groupNames[group] ?? group;
}

export function anchorOf({ id }: CheckDocument): string {
  return id.replace(/[^a-z0-9]+/gi, '-');
}

/** The verdict in one line, and its colour. */
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
  if (summary.passed + summary.warned + known === 0)
    return { text: 'No check could be judged', tone: 'skipped' };
  if (known > 0)
    return { text: `Nothing new failed; ${counted(known, 'known failure')}`, tone: 'warned' };
  if (summary.warned > 0)
    return { text: `No check failed; ${counted(summary.warned, 'warning')}`, tone: 'warned' };
  const count = summary.skipped === 0 ? `All ${all}` : `${summary.passed} of ${all}`;
  return { text: `${count} passed`, tone: 'passed' };
}

/** `0.8 ms`, `12 ms`, `1.24 s`, `2 min 5 s` */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 9.95) return `${trim(milliseconds.toFixed(1))} ms`;
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_995) return `${trim((milliseconds / 1000).toFixed(2))} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The value that `share` (0 to 1) of the ascending, non-empty `values` don't exceed (nearest rank). */
export function percentile(values: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(share * values.length));
  return values[rank - 1] ?? Number.NaN;
}

function trim(decimal: string): string {
  return decimal.replace(/\.?0+$/, '');
}

/** A command line that breaks between words: a browser would break it at the hyphens of a flag. */
export function commandLine(text: string): Markup {
  const parts = text.split(/( +)/).map((word) => {
    const isWhole = word.includes('-') && word.length <= 32;
    return isWhole ? html`<span class="word">${word}</span>` : word;
  });
  return html`${parts}`;
}

/** `2026-11-22 14:00:00 UTC` */
export function timeElement(iso: string): Markup {
  const shown = iso.replace(/^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2}).*$/, '$1 $2 UTC');
  return html`<time datetime="${iso}">${shown}</time>`;
}
