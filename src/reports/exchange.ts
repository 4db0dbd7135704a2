import { statusOf } from '../client/exchange.ts';
import type { CallOutcome } from '../client/outcome.ts';
import type { Diagnosis } from '../errors.ts';
import { excerptOf, quoted } from '../text.ts';
import { marks, padEnd, type Style } from './human.ts';

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

/** In whole milliseconds. */
export function durationOf({ exchange }: CallOutcome<unknown>): number {
  return Math.round(exchange.durationMs);
}

/** "✓ key exchange  HTTP 200  code 0000  12 ms" */
export function callLine(title: string, outcome: CallOutcome<unknown>, style: Style): string {
  const { http_status: status, code, message } = callReport(outcome);
  const mark = outcome.ok ? style.good(marks.good) : style.bad(marks.bad);
  const parts = [
    status === null ? 'no response' : `HTTP ${status}`,
    code === null ? undefined : `code ${excerptOf(code, 20)}`,
    `${durationOf(outcome)} ms`,
    message ? style.dim(quoted(message)) : undefined,
  ].filter((part) => part !== undefined);
  return `  ${mark} ${padEnd(title, 14)}${parts.join('  ')}`;
}
