import { counted, escapeControls } from '../../text.ts';
import { parseSearch, RowList } from '../view.ts';
import type { Hello, Row, Update } from '../wire.ts';
import { api, type Connected, connect, messageOf } from './api.ts';
import { detailView } from './detail.ts';
import { FaultDialog, SignupDialog } from './dialogs.ts';
import { button, byId, copyable, copyButton, h } from './dom.ts';
import { startKeys } from './keys.ts';
import { ListView } from './list.ts';
import { startTheme } from './theme.ts';

/** The emulator retains fewer, so details of older rows are gone. */
const mostRows = 4000;

const rows = new RowList(mostRows);
const list = byId('list', HTMLElement);
const detail = byId('detail', HTMLElement);
const search = byId('search', HTMLInputElement);
const failures = byId('failures', HTMLButtonElement);
const follow = byId('follow', HTMLButtonElement);
const notice = byId('notice', HTMLElement);
const view = new ListView(list, rows, (row, isOpened) => void choose(row, isOpened));
const faults = new FaultDialog(say);
const signup = new SignupDialog(say, lookAt);
let hello: Hello | undefined;
let silence: number | undefined;
/** Within this time a sign-up that was sent is in the list. */
const arrivalMs = 150;
/** The user whose exchange is shown as soon as it arrives. */
let awaited: string | undefined;

function say(text: string): void {
  notice.textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => {
    notice.textContent = '';
  }, 6000);
}

function isOn(toggle: HTMLButtonElement): boolean {
  return toggle.getAttribute('aria-pressed') === 'true';
}

function applySearch(): void {
  const text = `${search.value}${isOn(failures) ? ' is:failed' : ''}`;
  rows.search(parseSearch(text));
  list.scrollTop = 0;
  view.redraw();
  count();
}

function count(): void {
  const { all, shown } = rows;
  const failed = all.filter(({ outcome }) => outcome !== 'good').length;
  const parts = [
    all.length === shown.length
      ? counted(all.length, 'exchange')
      : `${shown.length} of ${counted(all.length, 'exchange')}`,
    failed > 0 && `${failed} failed`,
  ].filter((part) => part !== false);
  byId('count', HTMLElement).textContent = parts.join(', ');
  byId('empty', HTMLElement).hidden = all.length > 0;
  byId('nothing', HTMLElement).hidden = all.length === 0 || shown.length > 0;
}

async function choose(row: Row, isOpened: boolean): Promise<void> {
  view.mark(row.id);
  if (isOpened) document.body.classList.add('reading');
  try {
    const found = await api.detail(row.id);
    if (view.chosen === row.id) show(detailView(row, found, contextOf(row)));
  } catch (error) {
    if (view.chosen === row.id) show(h('p', { class: 'muted' }, messageOf(error)));
  }
  // On a narrow screen the exchange replaces the list.
  if (isOpened && !list.checkVisibility()) focusTitle();
}

function show(content: HTMLElement): void {
  detail.replaceChildren(content);
  detail.scrollTop = 0;
}

function focusTitle(): void {
  document.getElementById('detail-title')?.focus();
}

/** Who is on the left and on the right of a sequence. */
const peers = {
  service: ['your application', 'emulated service'],
  application: ['the service', 'emulated application'],
  relay: ['the service', 'your application'],
} as const;

function contextOf(row: Row) {
  const side = hello?.side ?? 'application';
  const isRelay = side === 'relay';
  return {
    flow: rows.flowOf(row.id),
    names: peers[side],
    say,
    close: closeDetail,
    isRelay,
  };
}

function closeDetail(): void {
  document.body.classList.remove('reading');
  list.focus();
}

function greet(next: Hello): void {
  const isNew = hello !== undefined && hello.run !== next.run;
  hello = next;
  if (isNew) {
    forget();
    say('authcli was restarted. Earlier exchanges are gone.');
  }
  const name = next.side === 'relay' ? 'relay' : `emulated ${next.side}`;
  document.title = `authcli: ${name}`;
  document.body.dataset.side = next.side;
  byId('side', HTMLElement).textContent = name;
  byId('url', HTMLElement).textContent = next.url;
  byId('about', HTMLElement).textContent =
    `${next.clientId && `client ${next.clientId} · `}${next.cipher} · authcli ${next.version}`;
  byId('try', HTMLElement).replaceChildren(
    ...next.tryIt.flatMap(({ about, line }) => [h('p', {}, about), copyable(line)]),
  );
}

function lookAt(ptnCd: string): void {
  // Earlier exchanges of the same user may be in the list already.
  setTimeout(() => {
    awaited = ptnCd;
    showAwaited();
  }, arrivalMs);
}

function showAwaited(): void {
  const row = awaited === undefined ? undefined : rows.all.find(({ ptnCd }) => ptnCd === awaited);
  if (row === undefined) return;
  awaited = undefined;
  void choose(row, true);
}

/** What relayed traffic has shown, its evidence as a tooltip. */
function showLearned(learned: Update['learned']): void {
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

function update({ rows: fresh, from, faults: active, learned }: Update): void {
  const before = rows.shown.length;
  rows.add(fresh, from);
  if (view.chosen !== undefined && view.chosen < from) forgetChosen();
  view.grow(Math.max(0, rows.shown.length - before));
  count();
  showLearned(learned);
  if (hello !== undefined) faults.show(active, hello);
  if (fresh.length > 0) showAwaited();
  const [newest] = rows.shown;
  if (fresh.length > 0 && isOn(follow) && newest !== undefined) void choose(newest, false);
}

function forgetChosen(): void {
  view.mark(undefined);
  detail.replaceChildren(h('p', { class: 'muted hint' }, 'Select an exchange to see its details.'));
}

function forget(): void {
  rows.clear();
  forgetChosen();
  count();
}

const states: Readonly<Record<Connected, string>> = {
  live: 'live',
  waiting: 'authcli does not respond. The page reconnects when it is back.',
  'other-run':
    'authcli was restarted, and this page belongs to the earlier run: open the address it printed.',
};

function connected(state: Connected): void {
  document.body.dataset.state = state;
  const line = byId('connection', HTMLElement);
  if (line.textContent !== states[state]) line.textContent = states[state];
}

byId('copy-url', HTMLElement).append(
  copyButton('Copy', () => hello?.url ?? '', { 'aria-label': 'Copy the address', class: 'more' }),
);
const nextTheme = startTheme(byId('theme', HTMLButtonElement));
const help = byId('help', HTMLDialogElement);
byId('help-close', HTMLButtonElement).addEventListener('click', () => help.close());
byId('open-help', HTMLButtonElement).addEventListener('click', () => help.showModal());
byId('open-faults', HTMLButtonElement).addEventListener('click', openFaults);
byId('open-signup', HTMLButtonElement).addEventListener('click', openSignup);
byId('clear', HTMLButtonElement).addEventListener('click', () => {
  api.clear().then(forget, (error: unknown) => say(messageOf(error)));
});
for (const toggle of [failures, follow]) {
  toggle.addEventListener('click', () => {
    toggle.setAttribute('aria-pressed', String(!isOn(toggle)));
    applySearch();
  });
}
search.addEventListener('input', applySearch);
byId('nothing', HTMLElement).append(
  button('Show all', () => {
    search.value = '';
    failures.setAttribute('aria-pressed', 'false');
    applySearch();
  }),
);

function openSignup(): void {
  if (hello !== undefined && hello.side !== 'relay') signup.open(hello);
}

function openFaults(): void {
  if (hello?.side !== 'relay') void faults.open();
}

function step(steps: number): void {
  const row = rows.step(view.chosen, steps);
  if (row !== undefined) void choose(row, false);
}

startKeys({
  list,
  search,
  step,
  open: () => {
    const row = rows.shown.find(({ id }) => id === view.chosen) ?? rows.shown[0];
    if (row === undefined) return;
    void choose(row, true).then(focusTitle);
  },
  leave: closeDetail,
  clearSearch: () => {
    search.value = '';
    applySearch();
  },
  keys: {
    '?': () => help.showModal(),
    f: () => failures.click(),
    l: () => follow.click(),
    s: openSignup,
    x: openFaults,
    t: nextTheme,
  },
});
detail.tabIndex = 0;
count();
connect({ hello: greet, update, state: connected });
