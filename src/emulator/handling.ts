import type { RandomBytes } from '../bytes.ts';
import type { Secret } from '../crypto/secret.ts';
import type { EmulatorAnswer, EmulatorRequest } from './http.ts';

/** What a handler takes from the world outside. */
export interface Environment {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
}

/** The four operations of the interface (section 4). */
export type Operation = 'key-exchange' | 'registration' | 'token' | 'authenticate';

/** Why a request is refused: what the answer says in `code` and `message`. */
export interface Refusal {
  /** The name of the refusal in the side's table of codes. */
  readonly name: string;
  readonly code: string;
  readonly message: string;
  /** What to change on the calling side; it is not sent. */
  readonly mend: string;
  readonly status: number;
  /** Headers that the refusal needs, such as `allow`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a handler learned from one request; the journal shows it beside request and answer. */
export interface CallFacts {
  operation?: Operation;
  ptnCd?: string;
  clientId?: string;
  /** The `code` that the answer was meant to carry. */
  code?: string;
  /** Why it was refused. */
  refusal?: Refusal;
  /** The per-user key that the call is about, once it is known. */
  key?: Secret;
  /** The faults that changed something in this call, in the order in which they acted. */
  faults: readonly string[];
  /** The secrets that this call made or was given, for redaction. */
  secrets: readonly Secret[];
}

export interface Handled {
  readonly answer: EmulatorAnswer;
  readonly facts: CallFacts;
}

/** One side of the interface as a function. Never rejects for what a request holds. */
export type Handler = (request: EmulatorRequest) => Promise<Handled>;

/** One row of a side's table of codes. */
export interface CodeEntry {
  /** What stands in `code`. */
  readonly code: string;
  /** What it means, for people who look it up. */
  readonly meaning: string;
  /** What to change on the calling side. */
  readonly mend: string;
  readonly status: number;
}

/** A refusal by the table's row `name`, with a message about this very request. */
export function refusal<Name extends string>(
  codes: Readonly<Record<Name, CodeEntry>>,
  name: Name,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Refusal {
  const { code, mend, status } = codes[name];
  return { name, code, message, mend, status, headers };
}
