import type { RandomBytes } from '../bytes.ts';
import type { Secret } from '../crypto/secret.ts';
import type { EmulatorRequest, EmulatorResponse } from './http.ts';

export interface Environment {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
}

export type Operation = 'key-exchange' | 'registration' | 'token' | 'authenticate';

/** Which fault is on, for how long and for whom. */
export interface Activation {
  readonly name: string;
  /** The number of calls in which the fault changes something; default: until it is switched off. */
  readonly times?: number;
  /** The only user whose calls it changes; default: every user. */
  readonly ptnCd?: string;
}

/** What the journal shows beside request and response. */
export interface CallFacts {
  operation?: Operation;
  ptnCd?: string;
  clientId?: string;
  /** The `code` of the response before any fault changed it. */
  code?: string;
  refusal?: Refusal;
  key?: Secret;
  /** The faults that changed something in this call, in the order in which they acted. */
  faults: readonly string[];
  /** The secrets that this call made or received, for redaction. */
  secrets: readonly Secret[];
}

export interface Handled {
  readonly response: EmulatorResponse;
  readonly facts: CallFacts;
}

/** One side of the interface as a function. No request makes it reject. */
export type Handler = (request: EmulatorRequest) => Promise<Handled>;

export interface CodeEntry {
  readonly code: string;
  readonly meaning: string;
  /** What to change on the calling side. */
  readonly fix: string;
  readonly status: number;
}

/** Why a request is refused: the `code` and `message` of the response, and what isn't sent. */
export interface Refusal extends Omit<CodeEntry, 'meaning'> {
  /** The name of the row in the side's table of codes. */
  readonly name: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal by the table's row `name`; the message is about this request. */
export function refusal<Name extends string>(
  codes: Readonly<Record<Name, CodeEntry>>,
  name: Name,
  message: string = codes[name].meaning,
  headers?: Readonly<Record<string, string>>,
): Refusal {
  const { code, fix, status } = codes[name];
  return { name, code, message, fix, status, headers };
}
