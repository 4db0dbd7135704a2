import { counted, escapeControls } from '../../text.ts';
import type { Detail, Hello, LearnedSetting, Row, Update } from '../wire.ts';
import { ask, detailView, h, marks } from './detail.ts';

/** The rows of the list by their ids, oldest first; what they show is searched. */
const rows = new Map<number, { readonly row: Row; readonly element: HTMLElement }>();
const [list, detail, search, failures] = [
  byId('list', HTMLElement),
  byId('detail', HTMLElement),
  byId('search', HTMLInputElement),
  byId('failures', HTMLInputElement),
];
let run: string | undefined;
let chosen: number | undefined;

/** An element that page.html contains. */
function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new TypeError(`the page has no ${id}`);
}

function greet({ run: next, side, url, about }: Hello): void {
  if (run !== undefined && run !== next) drop(Number.POSITIVE_INFINITY);
  run = next;
  const name = side === 'relay' ? 'relay' : `emulated ${side}`;
  document.title = `authcli: ${name}`;
  for (const [id, text] of Object.entries({ side: name, url, about }))
    byId(id, HTMLElement).textContent = escapeControls(text);
}

function update({ rows: fresh, from, learned }: Update): void {
  for (const row of fresh) {
    if (rows.has(row.id)) continue;
    const element = rowElement(row);
    rows.set(row.id, { row, element });
    list.prepend(element);
  }
  drop(from);
  showLearned(learned);
}

function rowElement(row: Row): HTMLElement {
  const { id, at, outcome, way, what, ptnCd, status, code, diagnosis, faults } = row;
  const button = h(
    'button',
    { type: 'button', class: `row is-${outcome}` },
    h('span', { class: 'muted' }, new Date(at).toTimeString().slice(0, 8)),
    h('span', { class: 'mark' }, marks[outcome]),
    h(
      'span',
      { class: 'muted', title: way === 'in' ? 'received' : 'sent' },
      way === 'in' ? '←' : '→',
    ),
    h('span', {}, what),
    h('code', {}, ptnCd ?? '—'),
    h('code', { class: 'why' }, diagnosis ?? faults[0] ?? ''),
    h('code', { class: 'muted' }, code ?? (status === null ? '—' : String(status))),
  );
  button.addEventListener('click', () => void choose(id));
  return h('li', {}, button);
}

function drop(from: number): void {
  for (const [id, { element }] of rows) {
    if (id >= from) continue;
    element.remove();
    rows.delete(id);
    if (id === chosen) detail.replaceChildren();
  }
  filter();
}

/** Shows the rows that contain every word of the search, and counts them. */
function filter(): void {
  const words = search.value.toLowerCase().split(/\s+/);
  let [shown, failed] = [0, 0];
  for (const { row, element } of rows.values()) {
    const text = `${element.textContent} ${row.remark}`.toLowerCase();
    const hasFailed = row.outcome !== 'good';
    element.hidden =
      (failures.checked && !hasFailed) || !words.every((word) => text.includes(word));
    if (!element.hidden) shown += 1;
    if (hasFailed) failed += 1;
  }
  const all = counted(rows.size, 'exchange');
  byId('count', HTMLElement).textContent =
    `${shown === rows.size ? all : `${shown} of ${all}`}, ${failed} failed`;
}

async function choose(id: number): Promise<void> {
  const { row, element } = rows.get(id) ?? {};
  if (row === undefined) return;
  chosen = id;
  list.querySelector('[aria-current]')?.removeAttribute('aria-current');
  element?.firstElementChild?.setAttribute('aria-current', 'true');
  const content = await ask<Detail>('GET', `exchange?id=${id}`).then(
    (found) => detailView(row, found),
    (error: unknown) => h('p', {}, String(error)),
  );
  if (chosen !== id) return;
  detail.replaceChildren(content);
  content.querySelector('h2')?.focus();
}

/** What relayed traffic has shown, its evidence as a tooltip. */
function showLearned(learned: readonly LearnedSetting[]): void {
  const box = byId('learned', HTMLDetailsElement);
  box.hidden = learned.length === 0;
  box
    .querySelector('dl')
    ?.replaceChildren(
      ...learned.flatMap(({ setting, value, confidence, evidence }) => [
        h('dt', {}, setting),
        h('dd', { title: escapeControls(evidence) }, h('code', {}, value), ` ${confidence}`),
      ]),
    );
}

const states = {
  live: 'live',
  waiting: 'authcli does not respond. The page reconnects when it is back.',
  'other-run':
    'authcli was restarted, and this page belongs to the earlier run: open the address it printed.',
} as const;

function show(state: keyof typeof states): void {
  document.body.dataset.state = state;
  byId('connection', HTMLElement).textContent = states[state];
}

const reconnectMs = 1500;

/** Listens to the emulator or relay, and reconnects. */
function connect(): void {
  const source = new EventSource('events');
  source.addEventListener('hello', ({ data }) => {
    show('live');
    greet(JSON.parse(data) as Hello);
  });
  source.addEventListener('update', ({ data }) => update(JSON.parse(data) as Update));
  source.addEventListener('error', async () => {
    if (source.readyState !== EventSource.CLOSED) return show('waiting');
    // refused, not lost: the browser does not reconnect by itself
    source.close();
    setTimeout(connect, reconnectMs);
    const response = await fetch('events/').catch(() => undefined);
    show(response?.status === 403 ? 'other-run' : 'waiting');
  });
}

search.addEventListener('input', filter);
failures.addEventListener('change', filter);
byId('clear', HTMLButtonElement).addEventListener('click', () => {
  ask('POST', 'clear', {}).then(
    () => drop(Number.POSITIVE_INFINITY),
    () => show('waiting'),
  );
});
connect();
