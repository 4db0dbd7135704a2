import { type RowList, scrollTo, visibleRows } from '../view.ts';
import type { Row, RowOutcome } from '../wire.ts';
import { h } from './dom.ts';

/** How each outcome is marked, and its name. */
export const outcomes: Readonly<Record<RowOutcome, readonly [mark: string, name: string]>> = {
  good: ['✓', 'succeeded'],
  bad: ['✗', 'failed'],
  fault: ['!', 'changed by an active fault'],
  none: ['⌀', 'no response'],
};

/** Local time with seconds. */
export function clockTime(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/** The list of exchanges: only the rows that can be seen are in the page, however many there are. */
export class ListView {
  readonly #box: HTMLElement;
  readonly #space: HTMLElement;
  readonly #rows: RowList;
  readonly #choose: (row: Row, isOpened: boolean) => void;
  readonly #drawn = new Map<number, HTMLElement>();
  #chosen: number | undefined;

  constructor(box: HTMLElement, rows: RowList, choose: (row: Row, isOpened: boolean) => void) {
    this.#box = box;
    this.#rows = rows;
    this.#choose = choose;
    this.#space = h('div', { class: 'space', role: 'presentation' });
    box.append(this.#space);
    box.addEventListener('scroll', () => this.draw(), { passive: true });
    new ResizeObserver(() => this.redraw()).observe(box);
  }

  get chosen(): number | undefined {
    return this.#chosen;
  }

  /** Marks a row and brings it into view. */
  mark(id: number | undefined): void {
    this.#chosen = id;
    const index = this.#rows.shown.findIndex((row) => row.id === id);
    const top = index === -1 ? undefined : scrollTo(index, this.#view());
    if (top !== undefined) this.#box.scrollTop = top;
    this.redraw();
  }

  /** Shows rows that were added above without moving the visible ones. */
  grow(added: number): void {
    const { rowHeight, top } = this.#view();
    const isAtTop = top < rowHeight;
    this.#space.style.height = `${this.#rows.shown.length * rowHeight}px`;
    if (!isAtTop) this.#box.scrollTop = top + added * rowHeight;
    this.draw();
  }

  redraw(): void {
    this.#drawn.clear();
    this.#space.replaceChildren();
    this.draw();
  }

  draw(): void {
    const view = this.#view();
    const { shown } = this.#rows;
    this.#space.style.height = `${shown.length * view.rowHeight}px`;
    const { first, end } = visibleRows(shown.length, view);
    const wanted = new Map(
      shown.slice(first, end).map((row, index) => [row.id, { row, at: first + index }]),
    );
    for (const [id, element] of this.#drawn) {
      if (wanted.has(id)) continue;
      element.remove();
      this.#drawn.delete(id);
    }
    for (const [id, { row, at }] of wanted) {
      const element = this.#drawn.get(id) ?? this.#make(row);
      element.style.transform = `translateY(${at * view.rowHeight}px)`;
      element.setAttribute('aria-posinset', String(at + 1));
      element.setAttribute('aria-setsize', String(shown.length));
    }
    const isDrawn = this.#chosen !== undefined && this.#drawn.has(this.#chosen);
    if (isDrawn) this.#box.setAttribute('aria-activedescendant', `row-${this.#chosen}`);
    else this.#box.removeAttribute('aria-activedescendant');
  }

  #view() {
    const rowHeight = Number.parseFloat(getComputedStyle(this.#box).getPropertyValue('--row'));
    return { top: this.#box.scrollTop, height: this.#box.clientHeight, rowHeight };
  }

  #make(row: Row): HTMLElement {
    const { id, outcome, way, what, ptnCd, status, code, durationMs, diagnosis, faults } = row;
    const why = diagnosis ?? faults[0];
    const [mark, title] = outcomes[outcome];
    const [arrow, direction] = way === 'in' ? ['←', 'received'] : ['→', 'sent'];
    const element = h(
      'div',
      {
        id: `row-${id}`,
        role: 'option',
        class: `row is-${outcome}`,
        'aria-selected': String(id === this.#chosen),
        onclick: () => this.#choose(row, true),
      },
      h('span', { class: 'time small muted' }, clockTime(row.at)),
      h('span', { class: 'mark', title }, mark),
      h('span', { class: 'small muted', title: direction }, arrow),
      h('span', { class: 'what' }, what),
      h('code', { class: 'user' }, ptnCd ?? '—'),
      h('code', { class: 'why' }, why !== undefined && why !== code ? why : ''),
      h('span', { class: 'status small muted' }, String(status ?? '—')),
      h('code', { class: 'code' }, code ?? '—'),
      h('span', { class: 'ms small muted' }, `${durationMs} ms`),
    );
    this.#drawn.set(id, element);
    this.#space.append(element);
    return element;
  }
}
