import { decodeUtf8, encodeBase64 } from '../bytes.ts';
import type { Secret } from '../crypto/secret.ts';
import type { Calls } from '../errors.ts';
import { Recent } from '../latest-results.ts';
import { parseJsonText } from '../protocol/json.ts';
import type { Handled, Operation } from './handling.ts';
import type { EmulatorRequest } from './http.ts';

/** One side of a recorded exchange, as JSON shows it. */
export interface JournalMessage {
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, or its Base64 where it is not UTF-8; cut after {@link shownBodyCharacters}. */
  readonly body: string;
  readonly body_encoding: 'utf-8' | 'base64';
  readonly body_bytes: number;
  /** The body as JSON, if it is JSON and wasn't cut. */
  readonly json?: unknown;
}

/** One call that an emulator received, and its response. */
export interface JournalEntry {
  /** Counts from 1; a reset doesn't restart it. */
  readonly seq: number;
  /** ISO 8601 in UTC. */
  readonly received_at: string;
  readonly duration_ms: number;
  readonly operation?: Operation;
  readonly ptn_cd?: string;
  readonly client_id?: string;
  /** The `code` that the response was intended to carry. */
  readonly code?: string;
  /** Why it was refused, and what to change on the calling side. */
  readonly diagnosis?: {
    readonly code: string;
    readonly message: string;
    readonly hint: string;
    readonly calls: Calls;
  };
  readonly faults: readonly string[];
  readonly request: JournalMessage & Required<Pick<EmulatorRequest, 'method' | 'path' | 'query'>>;
  readonly answer: JournalMessage & { readonly status: number; readonly broken_off?: string };
}

/** What hides secrets: keys, passcodes, tokens, user information. */
export interface Redaction {
  /** Hides it from now on. */
  addFromPeer(secret: Secret): void;
  json(value: unknown): unknown;
  /** The beginning of a text, redacted before it is cut. */
  head(text: string, maxUnits: number): string;
}

export const openly: Redaction = {
  addFromPeer: () => {},
  json: (value) => value,
  head: (text, maxUnits) => text.slice(0, maxUnits),
};

const shownBodyCharacters = 65_536;
/** Of all bodies that are retained; each may have a megabyte. */
const maxRetainedBytes = 67_108_864;

/** Which entries to read: those that meet every condition. */
export interface JournalFilter {
  readonly ptnCd?: string;
  readonly operation?: string;
  readonly path?: string;
  readonly code?: string;
  /** Only entries in which this fault acted. */
  readonly fault?: string;
  /** Only entries with a greater `seq`. */
  readonly after?: number;
  /** Only the latest N. */
  readonly last?: number;
}

/** A call as it is retained; it is described and redacted when it is read. */
export interface RecordedCall extends Handled {
  readonly seq: number;
  readonly request: EmulatorRequest;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly durationMs: number;
}

/** The latest calls, for a test to assert on. */
export class Journal {
  readonly #redaction: Redaction;
  readonly #calls: Recent<number, RecordedCall>;
  #total = 0;

  /** @param limit how many calls are retained; fewer where bodies are large */
  constructor(redaction: Redaction, limit = 1000) {
    this.#redaction = redaction;
    const bytesOf = ({ request, response }: RecordedCall) =>
      request.body.length + response.body.length;
    this.#calls = new Recent(limit, maxRetainedBytes, bytesOf);
  }

  get total(): number {
    return this.#total;
  }

  record(call: Omit<RecordedCall, 'seq'>): RecordedCall {
    this.#total += 1;
    const recorded = { ...call, seq: this.#total };
    this.#calls.set(recorded.seq, recorded);
    for (const secret of call.facts.secrets) this.#redaction.addFromPeer(secret);
    return recorded;
  }

  show(call: RecordedCall): JournalEntry {
    const entry = this.#redaction.json(describeCall(call)) as JournalEntry;
    const request = { ...entry.request, body: this.#bodyOf(call.request) };
    return { ...entry, request, answer: { ...entry.answer, body: this.#bodyOf(call.response) } };
  }

  #bodyOf({ body }: Pick<EmulatorRequest, 'body'>): string {
    return this.#redaction.head(decodeUtf8(body) ?? encodeBase64(body), shownBodyCharacters);
  }

  /** The entries that meet `filter`, oldest first. */
  read(filter: JournalFilter = {}): readonly JournalEntry[] {
    const fitting = [...this.#calls.values()].filter((call) => fits(call, filter));
    const skipped = Math.max(0, fitting.length - (filter.last ?? fitting.length));
    return fitting.slice(skipped).map((call) => this.show(call));
  }

  /** Forgets every call; returns how many there were. */
  reset(): number {
    const { size } = this.#calls;
    this.#calls.clear();
    return size;
  }
}

const textFilters = ['ptnCd', 'operation', 'path', 'code'] as const;

function fits({ seq, request, facts }: RecordedCall, filter: JournalFilter): boolean {
  const { fault, after = 0 } = filter;
  const found = { ...facts, path: request.path };
  const areSame = textFilters.every((name) => [undefined, found[name]].includes(filter[name]));
  return areSame && (fault === undefined || facts.faults.includes(fault)) && seq > after;
}

function describeCall({ request, response, facts, ...call }: RecordedCall): JournalEntry {
  const { method, path, query = '' } = request;
  const { refusal } = facts;
  return {
    seq: call.seq,
    received_at: new Date(call.receivedAt).toISOString(),
    duration_ms: call.durationMs,
    operation: facts.operation,
    ptn_cd: facts.ptnCd,
    client_id: facts.clientId,
    code: facts.code,
    diagnosis: refusal && {
      code: refusal.code,
      message: refusal.message,
      hint: refusal.fix,
      calls: {},
    },
    faults: facts.faults,
    request: { method, path, query, ...describeMessage(request) },
    answer: {
      status: response.status,
      broken_off: response.delivery?.breakOff,
      ...describeMessage(response),
    },
  };
}

function describeMessage(message: Pick<EmulatorRequest, 'headers' | 'body'>): JournalMessage {
  const text = decodeUtf8(message.body);
  const isWhole = text !== undefined && text.length <= shownBodyCharacters;
  const json = isWhole ? parseJsonText(text) : undefined;
  return {
    headers: message.headers,
    body: '', // redacted as a whole, then cut
    body_encoding: text === undefined ? 'base64' : 'utf-8',
    body_bytes: message.body.length,
    json,
  };
}
