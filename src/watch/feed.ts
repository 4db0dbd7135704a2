import { Kept } from '../emulator/kept.ts';
import { type NewRecord, sizeOfRecord, type WatchedRecord } from './record.ts';

const limits = { count: 2000, bytes: 67_108_864 };

/** The latest exchanges of a run, numbered, and those who wait for the next. */
export class Feed {
  readonly #kept = new Kept<WatchedRecord>(limits, sizeOfRecord);
  readonly #listeners = new Set<() => void>();
  #last = 0;
  #isClosed = false;

  /** Numbers `record`, keeps it, and wakes the listeners. */
  add(record: NewRecord): void {
    this.#last += 1;
    this.#kept.add({ ...record, id: this.#last });
    this.wake();
  }

  /** The kept records with a number above `id`, oldest first. */
  after(id: number): readonly WatchedRecord[] {
    return this.#kept.items.filter((record) => record.id > id);
  }

  find(id: number): WatchedRecord | undefined {
    return this.#kept.items.find((record) => record.id === id);
  }

  /** The number of the oldest record that is kept, or that the next one will have. */
  get first(): number {
    return this.#kept.items[0]?.id ?? this.#last + 1;
  }

  /** Forgets everything; numbers go on. */
  clear(): void {
    this.#kept.clear();
    this.wake();
  }

  /** Nothing more will come: streams end, so that nobody waits for them. */
  close(): void {
    this.#isClosed = true;
    this.wake();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Tells the listeners that something changed. */
  wake(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Has `listener` called whenever something changed, until what is returned is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
