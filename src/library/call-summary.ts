import type { CallOutcome } from '../client/call.ts';
import { type Exchange, statusOf } from '../client/exchange.ts';
import type { Operation } from '../emulator/handling.ts';
import type { Diagnosis } from '../errors.ts';

/** One request of a flow, and how it was answered. */
export interface CallSummary {
  readonly operation: Operation;
  /** Whether the call did what it was for. */
  readonly ok: boolean;
  /** Absent where no answer came. */
  readonly httpStatus?: number;
  /** `code` and `message` as they came; absent where the answer has none. */
  readonly code?: string;
  readonly message?: string;
  readonly durationMs: number;
  /** Why it isn't ok; beside `ok`, a weakness that the call had all the same. */
  readonly diagnosis?: Diagnosis;
  /** What is odd and harmless, as sentences. */
  readonly notes: readonly string[];
  /** Request and answer as they went over the wire, secrets and all. */
  readonly exchange: Exchange;
}

/** What callers read of one call. */
export function summariseCall(operation: Operation, outcome: CallOutcome<unknown>): CallSummary {
  const { ok, exchange, reading, diagnosis, notes } = outcome;
  return {
    operation,
    ok,
    httpStatus: statusOf(exchange),
    code: reading?.code,
    message: reading?.message,
    durationMs: exchange.durationMs,
    ...(diagnosis && { diagnosis }),
    notes,
    exchange,
  };
}
