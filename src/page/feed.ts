import { EventEmitter } from 'node:events';
import type { Headers } from '../client/exchange.ts';
import type { Secret } from '../crypto/secret.ts';
import type { Diagnosis } from '../errors.ts';
import { Recent } from '../latest-results.ts';
import type { Finding, Row } from './wire.ts';

/** One exchange as the page shows it, whoever saw it; nothing in it is redacted yet. */
export interface Watched {
  readonly row: Omit<Row, 'id'>;
  readonly request: WatchedMessage;
  readonly response: WatchedMessage | null;
  readonly key: Secret | undefined;
  /** What was decrypted already, by field. */
  readonly texts?: Readonly<Partial<Record<string, Secret>>>;
  readonly notes: readonly string[];
  /** Why it failed, the nearest cause first; found out only when somebody looks. */
  readonly causes: () => readonly Cause[];
}

export interface WatchedMessage {
  readonly start: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly notes: readonly string[];
}

/** A diagnosis, or a requirement that was broken without one. */
export interface Cause extends Omit<Diagnosis, 'code' | 'confidence'> {
  readonly kind: Finding['kind'];
  readonly code: string;
  readonly title?: string;
  readonly section?: string;
}

const most = 2000;
const mostBytes = 67_108_864;

/** The latest exchanges of a run, numbered. Emits `change`, and `close` at the end. */
export class Feed extends EventEmitter<{ change: []; close: [] }> {
  readonly #records = new Recent<number, Watched>(
    most,
    mostBytes,
    ({ request, response }) => request.body.length + (response?.body.length ?? 0),
  );
  #last = 0;

  constructor() {
    super();
    this.setMaxListeners(0); // one for each page
  }

  add(watched: Watched): void {
    this.#last += 1;
    this.#records.set(this.#last, watched);
    this.emit('change');
  }

  /** The rows with a number above `id`, oldest first. */
  after(id: number): readonly Row[] {
    const later = [...this.#records].filter(([number]) => number > id);
    return later.map(([number, { row }]) => ({ id: number, ...row }));
  }

  find(id: number): Watched | undefined {
    return this.#records.get(id);
  }

  /** The number of the oldest retained exchange, or of the next one. */
  get first(): number {
    const [oldest = this.#last + 1] = this.#records.keys();
    return oldest;
  }

  /** Drops everything; numbers continue. */
  clear(): void {
    this.#records.clear();
    this.emit('change');
  }

  close(): void {
    this.emit('close');
  }
}
