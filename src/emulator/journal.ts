import { decodeUtf8, encodeBase64 } from '../bytes.ts';
import type { Secret } from '../crypto/secret.ts';
import { parseJsonText } from '../protocol/json.ts';
import type { Handled, Operation } from './handling.ts';
import type { EmulatorRequest } from './http.ts';
import { Kept } from './kept.ts';

/** One side of a recorded exchange, as JSON shows it. */
export interface JournalMessage {
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, or its Base64 where it is no UTF-8; cut after {@link shownBodyCharacters}. */
  readonly body: string;
  readonly body_encoding: 'utf-8' | 'base64';
  readonly body_bytes: number;
  /** The body as JSON, where it is JSON and wasn't cut. */
  readonly json?: unknown;
}

/** One call that an emulator received and how it was answered. */
export interface JournalEntry {
  /** Counts from 1 and never starts again, not even after a reset. */
  readonly seq: number;
  /** ISO 8601 in UTC. */
  readonly received_at: string;
  readonly duration_ms: number;
  readonly operation?: Operation;
  readonly ptn_cd?: string;
  readonly client_id?: string;
  /** The `code` that the answer was meant to carry. */
  readonly code?: string;
  /** Why it was refused, and what to change on the calling side; absent where it was accepted. */
  readonly diagnosis?: { readonly code: string; readonly message: string; readonly hint: string };
  /** The faults that changed something in this call. */
  readonly faults: readonly string[];
  readonly request: JournalMessage & {
    readonly method: string;
    readonly path: string;
    readonly query: string;
  };
  readonly answer: JournalMessage & { readonly status: number; readonly broken_off?: string };
}

/**
 * What the journal may show of a JSON-like value.
 *
 * @param secrets what is secret in this entry: keys, passcodes, tokens, user information
 */
export type Redact = (value: unknown, secrets: readonly Secret[]) => unknown;

const shownBodyCharacters = 65_536;
/** Bodies may have a megabyte each; so much of them is kept, in bytes. */
const keptBytes = 67_108_864;

/** Which entries to read; every condition given must hold. */
export interface JournalFilter {
  readonly ptnCd?: string;
  readonly operation?: string;
  readonly path?: string;
  readonly code?: string;
  /** Only entries that a fault acted in, or this fault. */
  readonly fault?: string;
  /** Only entries with a greater `seq`. */
  readonly after?: number;
  /** Only so many, the latest. */
  readonly last?: number;
}

/** A call as it is kept: described and redacted only when it is read, so that recording costs nothing under load. */
export interface RecordedCall extends Handled {
  readonly seq: number;
  readonly request: EmulatorRequest;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly durationMs: number;
}

/** The latest calls, for a test to assert on. */
export class Journal {
  readonly #redact: Redact;
  readonly #kept: Kept<RecordedCall>;
  #total = 0;

  /** @param options `limit`: how many calls are kept; older ones are dropped, sooner where bodies are large */
  constructor({ limit = 1000, redact }: { readonly limit?: number; readonly redact: Redact }) {
    this.#redact = redact;
    this.#kept = new Kept({ count: limit, bytes: keptBytes }, sizeOfCall);
  }

  /** How many calls were recorded since the emulator started, dropped ones too. */
  get total(): number {
    return this.#total;
  }

  record(call: Omit<RecordedCall, 'seq'>): RecordedCall {
    this.#total += 1;
    const recorded = { ...call, seq: this.#total };
    this.#kept.add(recorded);
    return recorded;
  }

  /**
   * The entry of a recorded call, redacted. The secrets of every kept call for the same user count,
   * so that a key that was made in one call is hidden in the others too.
   */
  show(call: RecordedCall): JournalEntry {
    return this.#redact(describeCall(call), this.secretsOf(call)) as JournalEntry;
  }

  /** What is secret in a recorded call: its own secrets, and those of every kept call for the same user. */
  secretsOf({ facts: { ptnCd, secrets } }: RecordedCall): readonly Secret[] {
    const same = this.#kept.items.filter(({ facts }) => facts.ptnCd === ptnCd);
    const all = [...secrets, ...same.flatMap(({ facts }) => facts.secrets)];
    return [...new Map(all.map((secret) => [secret.reveal(), secret])).values()];
  }

  /** The kept entries that `filter` lets through, oldest first. */
  read(filter: JournalFilter = {}): readonly JournalEntry[] {
    const fitting = this.#kept.items.filter((call) => fits(call, filter));
    const skipped = Math.max(0, fitting.length - (filter.last ?? fitting.length));
    return fitting.slice(skipped).map((call) => this.show(call));
  }

  /** Forgets every kept call; how many there were. */
  reset(): number {
    return this.#kept.clear();
  }
}

/** The bytes of both bodies of a recorded call. */
export function sizeOfCall({ request, answer }: RecordedCall): number {
  return request.body.length + answer.body.length;
}

function fits({ seq, request, facts }: RecordedCall, filter: JournalFilter): boolean {
  return (
    agrees(filter.ptnCd, facts.ptnCd) &&
    agrees(filter.operation, facts.operation) &&
    agrees(filter.path, request.path) &&
    agrees(filter.code, facts.code) &&
    (filter.fault === undefined || facts.faults.includes(filter.fault)) &&
    seq > (filter.after ?? 0)
  );
}

function agrees(wanted: string | undefined, found: string | undefined): boolean {
  return wanted === undefined || wanted === found;
}

function describeCall({ request, answer, facts, ...call }: RecordedCall): JournalEntry {
  const { method, path, query = '' } = request;
  const brokenOff = answer.delivery?.breakOff;
  return {
    seq: call.seq,
    received_at: new Date(call.receivedAt).toISOString(),
    duration_ms: call.durationMs,
    operation: facts.operation,
    ptn_cd: facts.ptnCd,
    client_id: facts.clientId,
    code: facts.code,
    diagnosis: facts.refusal && {
      code: facts.refusal.code,
      message: facts.refusal.message,
      hint: facts.refusal.mend,
    },
    faults: facts.faults,
    request: { method, path, query, ...describeMessage(request) },
    answer: {
      status: answer.status,
      ...(brokenOff !== undefined && { broken_off: brokenOff }),
      ...describeMessage(answer),
    },
  };
}

function describeMessage(message: Pick<EmulatorRequest, 'headers' | 'body'>): JournalMessage {
  const text = decodeUtf8(message.body);
  const body = text ?? encodeBase64(message.body);
  return {
    headers: message.headers,
    body: body.slice(0, shownBodyCharacters),
    body_encoding: text === undefined ? 'base64' : 'utf-8',
    body_bytes: message.body.length,
    ...(text !== undefined && parseShown(text)),
  };
}

function parseShown(text: string): { readonly json?: unknown } {
  const json = text.length > shownBodyCharacters ? undefined : parseJsonText(text);
  return json === undefined ? {} : { json };
}
