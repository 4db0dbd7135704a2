import type { Secret } from '../crypto/secret.ts';
import type { Diagnosis } from '../errors.ts';
import type { KeyExchangeResult, RegistrationResult } from '../protocol/callbacks.ts';
import type { ResponseReading } from '../protocol/response.ts';
import type { Exchange } from './exchange.ts';

/** One call of the interface: what went over the wire, and what it means. */
export interface CallOutcome<T> {
  readonly exchange: Exchange;
  /** What the response contains; absent if none came, or a redirect. */
  readonly reading?: ResponseReading<T>;
  /** Set exactly when the response is right and its `code` is "0000". */
  readonly result?: T;
  readonly ok: boolean;
  /** Why not; beside `ok`, a weakness. */
  readonly diagnosis?: Diagnosis;
  /** Oddities, as sentences. */
  readonly notes: readonly string[];
}

/** The key exchange, its wrapped key decrypted. */
export interface KeyExchangeOutcome extends CallOutcome<KeyExchangeResult> {
  readonly usedType: '1';
  /** The per-user key, also if it came damaged but readable. */
  readonly key?: Secret;
  /** Everything found out about the wrapped key and the key inside, the outermost first. */
  readonly diagnoses: readonly Diagnosis[];
}

export interface RegistrationOutcome extends CallOutcome<RegistrationResult> {
  readonly usedType: '2';
}
