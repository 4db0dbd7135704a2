import type { RowFilter } from './filter.ts';
import type { Row } from './wire.ts';

/** The rows that the page knows, the newest first, and those of them that the search lets through. */
export class RowList {
  readonly #limit: number;
  #filter: RowFilter = () => true;
  #all: readonly Row[] = [];
  #shown: readonly Row[] = [];

  /** @param limit how many rows are kept; older ones are dropped */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get all(): readonly Row[] {
    return this.#all;
  }

  get shown(): readonly Row[] {
    return this.#shown;
  }

  /** Takes rows in, each once, and drops those with an id below `from`. */
  add(rows: readonly Row[], from = 0): void {
    const known = new Set(this.#all.map(({ id }) => id));
    const fresh = rows.filter(({ id }) => !known.has(id));
    const all =
      fresh.length === 0 ? this.#all : [...this.#all, ...fresh].sort((a, b) => b.id - a.id);
    this.#all = all.filter(({ id }) => id >= from).slice(0, this.#limit);
    this.#shown = this.#all.filter(this.#filter);
  }

  search(filter: RowFilter): void {
    this.#filter = filter;
    this.#shown = this.#all.filter(filter);
  }

  clear(): void {
    this.#all = [];
    this.#shown = [];
  }

  /** The row that is so many steps below the one with `id` among those shown (above, where negative); where none is chosen, they are counted from above the first. */
  step(id: number | undefined, steps: number): Row | undefined {
    const at = this.#shown.findIndex((row) => row.id === id);
    const last = this.#shown.length - 1;
    return this.#shown[Math.min(last, Math.max(0, at + steps))];
  }

  /** What belongs to the same user as the row with `id`, oldest first: at most so many, around it. */
  flowOf(id: number, most = 6): readonly Row[] {
    const row = this.#all.find((candidate) => candidate.id === id);
    if (row === undefined) return [];
    if (row.ptnCd === null) return [row];
    const same = this.#all.filter(({ ptnCd }) => ptnCd === row.ptnCd).reverse();
    const start = Math.max(0, Math.min(same.indexOf(row) - 3, same.length - most));
    return same.slice(start, start + most);
  }
}
