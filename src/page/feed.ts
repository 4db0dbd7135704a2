import { EventEmitter } from 'node:events';
import type { Headers } from '../client/exchange.ts';
import type { Secret } from '../crypto/secret.ts';
import { RecentItems } from '../emulator/recent-items.ts';
import type { Diagnosis } from '../errors.ts';
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
export interface Cause extends Omit<Diagnosis, 'code'> {
  readonly kind: Finding['kind'];
  readonly code: string;
  readonly title?: string;
  readonly section?: string;
}

const limits = { count: 2000, bytes: 67_108_864 };

/** The latest exchanges of a run, numbered. Emits `change`, and `close` at the end. */
export class Feed extends EventEmitter<{ change: []; close: [] }> {
  readonly #records = new RecentItems<Watched & { readonly id: number }>(
    limits,
    ({ request, response }) => request.body.length + (response?.body.length ?? 0),
  );
  #last = 0;

  constructor() {
    super();
    this.setMaxListeners(0); // one for each page
  }

  add(watched: Watched): void {
    this.#last += 1;
    this.#records.add({ ...watched, id: this.#last });
    this.emit('change');
  }

  /** The rows with a number above `id`, oldest first. */
  after(id: number): readonly Row[] {
    const later = this.#records.items.filter((record) => record.id > id);
    return later.map((record) => ({ id: record.id, ...record.row }));
  }

  find(id: number): Watched | undefined {
    return this.#records.items.find((record) => record.id === id);
  }

  /** The number of the oldest retained exchange, or of the next one. */
  get first(): number {
    return this.#records.items[0]?.id ?? this.#last + 1;
  }

  /** Drops everything; numbers continue. */
  clear(): void {
    this.#records.clear();
    this.emit('change');
  }

  /** Ends the streams. */
  close(): void {
    this.emit('close');
  }
}
