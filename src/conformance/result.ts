import type { CallOutcome, KeyExchangeOutcome } from '../client/call.ts';
import type { Exchange } from '../client/exchange.ts';
import type { Secret } from '../crypto/secret.ts';
import type { Diagnosis } from '../errors.ts';
import type { Capability, Check, CheckFacts, Fault } from './check.ts';

/**
 * `incomplete`: a `must` that could not be tested, and no failure of another check is why. A failed
 * `should` is `warned`; in a strict run a `should` counts as a `must`.
 */
export const statuses = ['passed', 'failed', 'warned', 'incomplete', 'skipped'] as const;

export type Status = (typeof statuses)[number];

export interface CheckResult {
  readonly check: CheckFacts;
  readonly status: Status;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly exchanges: readonly RecordedExchange[];
  readonly fault?: Fault;
  /** Why it was not judged. */
  readonly reason?: string;
  /** The id of the other check because of which it was not judged. */
  readonly lacks?: string;
  readonly notes: readonly string[];
  readonly provides?: readonly Capability[];
}

export interface RunResult {
  /** Undefined if only a command was verified. */
  readonly url?: URL;
  readonly clientId: string;
  /** In the canonical notation. */
  readonly cipher: string;
  readonly seed: string;
  readonly strict: boolean;
  readonly startedAt: number;
  readonly durationMs: number;
  /** The selected checks, in the order of the catalogue. */
  readonly checks: readonly CheckResult[];
  /** Checks that ran only because others need them. */
  readonly controls: readonly CheckResult[];
  readonly exchanges: readonly RecordedExchange[];
  /** How many were sent, those of experiments included. */
  readonly requests: number;
  /** The user codes that keys were exchanged for. */
  readonly users: readonly string[];
  /** Why no request got a response; absent if one did, or if none was sent. */
  readonly unreachable?: Diagnosis;
  readonly interrupted: boolean;
}

/** Counts the checks of a run; controls are not counted. */
export function summarise(checks: readonly Pick<CheckResult, 'status'>[]) {
  const summary = { passed: 0, failed: 0, warned: 0, incomplete: 0, skipped: 0 };
  for (const { status } of checks) summary[status] += 1;
  return summary;
}

export type RunEvent =
  | {
      readonly type: 'run-started';
      readonly checks: readonly Check[];
      readonly controls: readonly Check[];
    }
  /** The first request isn't handled yet, and is sent again; with the status of the latest response. */
  | { readonly type: 'waiting'; readonly leftMs: number; readonly status: number | undefined }
  | { readonly type: 'check-started'; readonly check: CheckFacts }
  | { readonly type: 'exchange'; readonly recorded: RecordedExchange }
  /** A key or passcode that must be hidden from now on. */
  | { readonly type: 'secret'; readonly value: Secret }
  | { readonly type: 'check-ended'; readonly result: CheckResult; readonly isControl: boolean };

export type EmitEvent = (event: RunEvent) => void;

/** A key, its user, and when it was requested (ms since the epoch). */
export interface DrawnKey {
  readonly key: string;
  readonly ptnCd: string;
  readonly drawnAt: number;
}

export interface RecordedExchange {
  readonly check: string;
  readonly operation: 'key-exchange' | 'registration' | 'token' | 'authenticate' | 'sign-in';
  /** Whether the request, or the response to a received one, was valid or malformed on purpose. */
  readonly intent: 'right' | 'wrong';
  /** The application sent it to the emulated service. */
  readonly isReceived?: true;
  /** The user of a valid request. */
  readonly ptnCd?: string;
  /** The name of the malformed request, or of the scenario in which it was received. */
  readonly malformed?: string;
  readonly exchange: Exchange;
  /** The response as it was read; `ok` says nothing about a wrapped key. */
  readonly outcome: CallOutcome<object>;
  /** No other request was under way at the same time. */
  readonly alone: boolean;
}

export class RunRecord {
  readonly exchanges: RecordedExchange[] = [];
  /** The exchanges of sign-ins, which are not callbacks. */
  readonly signIns: RecordedExchange[] = [];
  /** Every valid key exchange with its user code, in the order of arrival. */
  readonly keyExchanges: { readonly ptnCd: string; readonly outcome: KeyExchangeOutcome }[] = [];
  /** The user codes that keys were exchanged for. */
  readonly users = new Set<string>();
  /** Diagnosis codes that a check has reported; others ignore them, so that each is reported once. */
  readonly reported = new Set<string>();
  /** The first registration that was refused, and the cause that experiments found. */
  examined: { readonly failed: CallOutcome<object>; readonly diagnosis?: Diagnosis } | undefined;
  /** Why registrations fail, where a search has found it. */
  registrationCause: Diagnosis | undefined;
  /** Whether plain sign-ups fail for some users, once a valid request was refused. */
  survey: Promise<Diagnosis | undefined> | undefined;
  readonly #underWay = new Set<{ alone: boolean }>();

  /** The per-user keys of the run, in the order of arrival. */
  get keys(): readonly DrawnKey[] {
    return this.keyExchanges.flatMap(({ ptnCd, outcome: { key, exchange } }) =>
      key === undefined ? [] : { ptnCd, key: key.reveal(), drawnAt: exchange.startedAt },
    );
  }

  get all(): RecordedExchange[] {
    return [...this.exchanges, ...this.signIns];
  }

  get malformed(): ReadonlySet<string> {
    return new Set(this.exchanges.flatMap(({ malformed }) => malformed ?? []));
  }

  /** Runs `send`, and returns whether it was the only one under way. */
  async watch<T>(send: () => Promise<T>): Promise<{ readonly value: T; readonly alone: boolean }> {
    const mine = { alone: this.#underWay.size === 0 };
    for (const other of this.#underWay) other.alone = false;
    this.#underWay.add(mine);
    try {
      return { value: await send(), alone: mine.alone };
    } finally {
      this.#underWay.delete(mine);
    }
  }
}
