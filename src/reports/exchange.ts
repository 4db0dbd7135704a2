import type { CallOutcome } from '../client/call.ts';
import { statusOf } from '../client/exchange.ts';
import { operationOf, type SignupOutcome, type SignupStep } from '../client/signup.ts';
import { excerptOf, quoted } from '../text.ts';
import { marks, padEnd, type Style } from './human.ts';
import { type Redactor, reveal } from './redact.ts';

/** One call as the JSON documents show it. */
export function callReport({ exchange, reading, diagnosis }: CallOutcome<unknown>) {
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

/** A callback as JSON documents show it. */
export function stepDocument(step: SignupStep): Readonly<Record<string, unknown>> {
  const { http_status, code, message, diagnosis } = callReport(step);
  return {
    used_type: step.usedType,
    http_status,
    duration_ms: durationOf(step),
    code,
    message,
    ...(diagnosis && { diagnosis }),
    ...(step.notes.length > 0 && { notes: step.notes }),
  };
}

/** What `POST /_authcli/signup` returns of the sign-up that it ordered, without its secrets. */
export function orderedSignupDocument(outcome: SignupOutcome, secrets: Redactor) {
  const { ptnCd, key, steps, ok, diagnosis } = outcome;
  secrets.addFromPeer(key);
  return secrets.json({
    ptn_cd: reveal(ptnCd),
    key_fingerprint: key?.toString() ?? null,
    steps: steps.map((step) => ({ operation: operationOf(step), ...stepDocument(step) })),
    signed_up: ok,
    ...(diagnosis && { diagnosis }),
  }) as Readonly<Record<string, unknown>>;
}
