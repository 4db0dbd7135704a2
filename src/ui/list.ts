import type { RowList } from '../watch/view/row-list.ts';
import { scrollTo, visibleRows } from '../watch/view/visible.ts';
import type { Row } from '../watch/view/wire.ts';
import { h } from './dom.ts';
import { clockTime, outcomeMarks, outcomeNames } from './words.ts';

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

  /** Shows what came above without moving what is being looked at. */
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
    const rowHeight =
      Number.parseFloat(getComputedStyle(this.#box).getPropertyValue('--row')) || 32;
    return { top: this.#box.scrollTop, height: this.#box.clientHeight, rowHeight };
  }

  #make(row: Row): HTMLElement {
    const { id, outcome, way, what, ptnCd, status, code, durationMs, diagnosis, faults } = row;
    const why = diagnosis ?? faults[0];
    const element = h(
      'div',
      {
        id: `row-${id}`,
        role: 'option',
        class: `row is-${outcome}`,
        'aria-selected': id === this.#chosen ? 'true' : 'false',
        onclick: () => this.#choose(row, true),
      },
      h('span', { class: 'time' }, clockTime(row.at)),
      h('span', { class: 'mark', title: outcomeNames[outcome] }, outcomeMarks[outcome]),
      h(
        'span',
        { class: 'way', title: way === 'in' ? 'received' : 'sent' },
        way === 'in' ? '←' : '→',
      ),
      h('span', { class: 'what' }, what),
      h('span', { class: 'user' }, ptnCd ?? '—'),
      h('span', { class: 'why' }, why !== undefined && why !== code ? why : ''),
      h('span', { class: 'status' }, status === null ? '—' : String(status)),
      h('span', { class: 'code' }, code ?? '—'),
      h('span', { class: 'ms' }, `${durationMs} ms`),
    );
    this.#drawn.set(id, element);
    this.#space.append(element);
    return element;
  }
}
