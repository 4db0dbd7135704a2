import { EventEmitter } from 'node:events';
import { RecentItems } from '../emulator/recent-items.ts';
import { type NewRecord, sizeOfRecord, type WatchedRecord } from './rows.ts';

const limits = { count: 2000, bytes: 67_108_864 };

/** The latest exchanges of a run, numbered. Emits `change`, and `close` at the end. */
export class Feed extends EventEmitter<{ change: []; close: [] }> {
  readonly #records = new RecentItems<WatchedRecord>(limits, sizeOfRecord);
  #last = 0;

  constructor() {
    super();
    this.setMaxListeners(0); // one for each page
  }

  add(record: NewRecord): void {
    this.#last += 1;
    this.#records.add({ ...record, id: this.#last });
    this.emit('change');
  }

  /** The retained records with a number above `id`, oldest first. */
  after(id: number): readonly WatchedRecord[] {
    return this.#records.items.filter((record) => record.id > id);
  }

  find(id: number): WatchedRecord | undefined {
    return this.#records.items.find((record) => record.id === id);
  }

  /** The number of the oldest retained record, or of the next one. */
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
