import type { CallOutcome } from '../client/call.ts';
import { statusOf } from '../client/exchange.ts';
import type { Diagnosis } from '../errors.ts';
import { escapeControls, shorten } from '../text.ts';
import { marks, padEnd, type Style } from './human.ts';

/** What scripts read of one call: how it was answered, and what is wrong with it. */
export interface CallReport {
  readonly http_status: number | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly diagnosis?: Diagnosis;
}

/** One call as the JSON documents show it. */
export function callReport({ exchange, reading, diagnosis }: CallOutcome<unknown>): CallReport {
  return {
    http_status: statusOf(exchange) ?? null,
    code: reading?.code ?? null,
    message: reading?.message ?? null,
    ...(diagnosis && { diagnosis }),
  };
}

/** How long the call took, in whole milliseconds. */
export function durationOf({ exchange }: CallOutcome<unknown>): number {
  return Math.round(exchange.durationMs);
}

/** One call for people, in a line: "✓ key exchange  HTTP 200  code 0000  12 ms". */
export function callLine(title: string, outcome: CallOutcome<unknown>, style: Style): string {
  const { http_status: status, code, message } = callReport(outcome);
  const mark = outcome.ok ? style.good(marks.good) : style.bad(marks.bad);
  const parts = [
    status === null ? 'no answer' : `HTTP ${status}`,
    code === null ? undefined : `code ${shown(code, 20)}`,
    `${durationOf(outcome)} ms`,
    message ? style.dim(`"${shown(message, 60)}"`) : undefined,
  ].filter((part) => part !== undefined);
  return `  ${mark} ${padEnd(title, 14)}${parts.join('  ')}`;
}

function shown(text: string, max: number): string {
  return shorten(escapeControls(text), max);
}
