import type { RowFilter } from './filter.ts';
import type { Row } from './wire.ts';

/** The rows of the page, the newest first, and those that match the search. */
export class RowList {
  readonly #limit: number;
  #filter: RowFilter = () => true;
  #all: readonly Row[] = [];
  #shown: readonly Row[] = [];

  /** @param limit how many rows are retained; older ones are dropped */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get all(): readonly Row[] {
    return this.#all;
  }

  get shown(): readonly Row[] {
    return this.#shown;
  }

  /** Adds rows, each once, and drops those with an id below `from`. */
  add(rows: readonly Row[], from = 0): void {
    const known = new Set(this.#all.map(({ id }) => id));
    const fresh = rows.filter(({ id }) => !known.has(id) && id >= from);
    const all = [...this.#all.filter(({ id }) => id >= from), ...fresh];
    this.#all = all.sort((a, b) => b.id - a.id).slice(0, this.#limit);
    this.#shown = this.#all.filter(this.#filter);
  }

  search(filter: RowFilter): void {
    this.#filter = filter;
    this.add([]);
  }

  clear(): void {
    this.add([], Number.POSITIVE_INFINITY);
  }

  /** The shown row `steps` below the one with `id`; without an `id`, counted from above the first. */
  step(id: number | undefined, steps: number): Row | undefined {
    const at = this.#shown.findIndex((row) => row.id === id);
    const last = this.#shown.length - 1;
    return this.#shown[Math.min(last, Math.max(0, at + steps))];
  }

  /** At most `most` rows of the same user around the row with `id`, oldest first. */
  flowOf(id: number, most = 6): readonly Row[] {
    const row = this.#all.find((candidate) => candidate.id === id);
    if (row === undefined) return [];
    if (row.ptnCd === null) return [row];
    const same = this.#all.filter(({ ptnCd }) => ptnCd === row.ptnCd).reverse();
    const start = Math.max(0, Math.min(same.indexOf(row) - 3, same.length - most));
    return same.slice(start, start + most);
  }
}
