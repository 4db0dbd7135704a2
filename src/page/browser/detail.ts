import { counted, escapeControls } from '../../text.ts';
import { drawSequence } from '../sequence.ts';
import { bodyLines, describeSequence, type JsonToken, stepOf } from '../view.ts';
import {
  type BodyItem,
  curlItem,
  type Detail,
  type Finding,
  type HiddenField,
  type Message,
  type Row,
} from '../wire.ts';
import { api, messageOf } from './api.ts';
import { button, copyable, copyButton, h, svgNode } from './dom.ts';
import { clockTime, outcomes } from './list.ts';

export interface DetailContext {
  /** The exchanges of the same user, oldest first. */
  readonly flow: readonly Row[];
  readonly names: readonly [left: string, right: string];
  readonly say: (text: string) => void;
  readonly close: () => void;
  /** Of a relay: neither requests nor secrets can be copied from it. */
  readonly isRelay: boolean;
}

/** One exchange: why it failed, its place among the others, its fields, what went over the wire. */
export function detailView(row: Row, detail: Detail, context: DetailContext): HTMLElement {
  return h(
    'article',
    { class: `exchange is-${row.outcome}` },
    heading(row, context),
    ...detail.findings.map((finding, index) => findingCard(finding, `${row.id}-${index}`)),
    detail.notes.length > 0 &&
      h('ul', { class: 'notes' }, ...detail.notes.map((note) => h('li', {}, note))),
    h(
      'section',
      { 'aria-label': 'Sequence' },
      h('h3', {}, row.ptnCd === null ? 'Sequence' : `Sequence of ${row.ptnCd}`),
      sequenceFigure(context.flow, { chosen: row.id, names: context.names }),
    ),
    fieldsSection(row, detail.fields, context),
    h(
      'section',
      { class: 'messages', 'aria-label': 'Messages' },
      messageCard('Request', detail.request, { id: row.id, item: 'request-body', ...context }),
      detail.response === null
        ? h('div', {}, h('h3', {}, 'Response'), h('p', { class: 'muted' }, 'No response.'))
        : messageCard('Response', detail.response, {
            id: row.id,
            item: 'response-body',
            ...context,
          }),
    ),
  );
}

function heading(row: Row, { close }: DetailContext): HTMLElement {
  const { outcome, what, ptnCd, way, status, code, durationMs, at } = row;
  const [mark, title] = outcomes[outcome];
  const facts = [
    way === 'in' ? 'received' : 'sent',
    `${clockTime(at)}.${String(new Date(at).getMilliseconds()).padStart(3, '0')}`,
    status === null ? 'no response' : `HTTP ${status}`,
    code === null ? null : `code ${code}`,
    `${durationMs} ms`,
  ].filter((fact) => fact !== null);
  return h(
    'header',
    { class: 'title' },
    button('‹ Back', close, { class: 'back' }),
    h(
      'h2',
      { tabindex: '-1', id: 'detail-title' },
      h('span', { class: 'mark', title }, mark),
      ` ${what} `,
      ptnCd !== null && h('code', { class: 'muted' }, ptnCd),
    ),
    h('p', { class: 'facts' }, facts.join(' · ')),
  );
}

function fieldsSection(row: Row, fields: readonly HiddenField[], context: DetailContext) {
  if (fields.length === 0) return null;
  return h(
    'section',
    { 'aria-label': 'Fields' },
    h('h3', {}, 'Fields'),
    h('dl', { class: 'fields' }, ...fields.map((field) => fieldRow(row, field, context))),
  );
}

function fieldRow(
  row: Row,
  { title, field, value, item, note }: HiddenField,
  { say }: DetailContext,
) {
  const masked = value ?? (item === null ? (note ?? '—') : '••••••••');
  const shown = h('code', { class: 'value' }, masked);
  const aside = item === null && value === null ? null : note;
  const reveal =
    item !== null &&
    revealButton(['Show', 'Hide'], { id: row.id, item, say }, (text = masked) => {
      shown.textContent = escapeControls(text);
    });
  if (reveal) reveal.ariaLabel = `Show: ${title}`;
  const read = async () => (item === null ? (value ?? '') : (await api.reveal(row.id, item)).value);
  const copy =
    (item !== null || value !== null) &&
    copyButton('Copy', read, { 'aria-label': `Copy: ${title}` });
  return h(
    'div',
    {},
    h('dt', {}, title, ' ', h('code', { class: 'muted' }, field)),
    h(
      'dd',
      {},
      shown,
      ' ',
      reveal,
      ' ',
      copy,
      aside !== null && h('span', { class: 'muted' }, ` ${aside}`),
    ),
  );
}

const kinds = { failure: 'Diagnosis', fault: 'Fault on request', weakness: 'Weakness' } as const;

/** Why it failed and what to change, with the right call per language in tabs. */
export function findingCard(finding: Finding, name: string): HTMLElement {
  const { kind, code, title, observed, meaning, recognised, fix, calls, section } = finding;
  return h(
    'section',
    { class: `finding is-${kind}`, 'aria-label': `${kinds[kind]}: ${code}` },
    h(
      'p',
      { class: 'kind small' },
      kinds[kind],
      ' ',
      h('code', {}, code),
      section !== null && h('span', { class: 'muted' }, ` section ${section}`),
    ),
    h('h3', {}, title),
    observed !== title && h('p', {}, observed),
    h('h4', {}, 'Fix'),
    h('p', {}, fix),
    calls.length > 0 && callTabs(calls, name),
    (meaning !== null || recognised !== null) &&
      h(
        'details',
        {},
        h('summary', {}, 'What it means and how it was recognised'),
        meaning !== null && h('p', {}, meaning),
        recognised !== null && h('p', {}, recognised),
        h(
          'p',
          { class: 'muted' },
          'The same on the command line: ',
          h('code', {}, `authcli explain ${code}`),
        ),
      ),
  );
}

/** The language that was chosen last is shown first, here and in every other exchange. */
let preferred = 'Java';

function callTabs(calls: Finding['calls'], name: string): HTMLElement {
  const start = calls.findIndex(({ stacks }) => stacks.split(', ').includes(preferred));
  const tabs = calls.map(({ stacks }, index) =>
    h(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${name}-${index}`,
        'aria-controls': `panel-${name}`,
        onclick: () => prefer(index),
        onkeydown: (event: KeyboardEvent) => move(event, index),
      },
      stacks,
    ),
  );
  const panel = h('div', { role: 'tabpanel', id: `panel-${name}`, tabindex: '0' });
  const choose = (chosen: number): void => {
    for (const [index, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', String(index === chosen));
      tab.tabIndex = index === chosen ? 0 : -1;
    }
    const { call = '' } = calls[chosen] ?? {};
    panel.setAttribute('aria-labelledby', `tab-${name}-${chosen}`);
    panel.replaceChildren(copyable(call));
  };
  const prefer = (index: number): void => {
    const names = calls[index]?.stacks.split(', ') ?? [];
    if (!names.includes(preferred)) preferred = names[0] ?? preferred;
    choose(index);
  };
  const move = (event: KeyboardEvent, index: number): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = (index + step + tabs.length) % tabs.length;
    prefer(next);
    tabs[next]?.focus();
  };
  choose(Math.max(0, start));
  return h(
    'div',
    { class: 'tabs' },
    h('div', { role: 'tablist', 'aria-label': 'The correct call' }, ...tabs),
    panel,
  );
}

/** What the server is asked for when a secret is revealed. */
interface RevealContext<Item extends string> {
  readonly id: number;
  readonly item: Item;
  readonly say: (text: string) => void;
}

interface CardContext extends RevealContext<BodyItem> {
  /** Its page keeps secrets back. */
  readonly isRelay: boolean;
}

/** Longer texts in a body are cut until they are clicked. */
const longText = 120;

/** One side of an exchange: its first line, headers, and body. */
export function messageCard(title: string, message: Message, context: CardContext): HTMLElement {
  const { start, headers, body, bodyBytes, note } = message;
  const box = h('div', { class: 'body' });
  let shown = body;
  const show = (text: string): void => {
    shown = text;
    box.replaceChildren(bodyBlock(text));
  };
  show(body);
  return h(
    'section',
    { class: 'message', 'aria-label': title },
    h(
      'header',
      {},
      h('h3', {}, title),
      h(
        'span',
        { class: 'tools' },
        !context.isRelay &&
          body.includes('[redacted]') &&
          revealButton(['Show secrets', 'Mask secrets'], context, (value) => show(value ?? body)),
        body !== '' && copyButton('Copy body', () => shown, { title: 'As shown' }),
        !context.isRelay && context.item === 'request-body' && curlButton(context),
      ),
    ),
    h('p', {}, h('code', {}, start)),
    h(
      'details',
      {},
      h('summary', {}, counted(headers.length, 'header')),
      h(
        'dl',
        { class: 'headers' },
        ...headers.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
      ),
    ),
    box,
    h(
      'p',
      { class: 'facts' },
      [counted(bodyBytes, 'byte'), note].filter((part) => part !== null).join(', '),
    ),
  );
}

function curlButton({ id }: RevealContext<BodyItem>): HTMLButtonElement {
  const read = async () => (await api.reveal(id, curlItem)).value;
  const title = 'A curl command that sends this request again, with its secrets';
  return copyButton('Copy as curl', read, { title });
}

/** A button that loads a secret and shows it, and hides it again: `show` then gets no value. */
export function revealButton(
  [open, close]: readonly [open: string, close: string],
  { id, item, say }: RevealContext<string>,
  show: (value?: string) => void,
): HTMLButtonElement {
  let isOpen = false;
  const toggle = async (): Promise<void> => {
    try {
      show(isOpen ? undefined : (await api.reveal(id, item)).value);
      isOpen = !isOpen;
      made.textContent = isOpen ? close : open;
    } catch (error) {
      say(messageOf(error));
    }
  };
  const made = button(open, () => void toggle(), { class: 'small' });
  return made;
}

function bodyBlock(text: string): HTMLElement {
  if (text === '') return h('p', { class: 'muted' }, 'No body.');
  const lines = bodyLines(text).map(({ indent, tokens }) => {
    const line = h('span', { class: 'line' }, ...tokens.map(tokenSpan));
    line.style.paddingInlineStart = `${indent * 1.25 + 1.25}em`;
    return line;
  });
  return h('pre', {}, h('code', {}, ...lines));
}

function tokenSpan({ kind, text }: JsonToken): HTMLElement {
  if (text.length <= longText) return h('span', { class: `t-${kind}` }, text);
  const rest = h('span', {}, `${text.slice(0, longText - 20)}…`);
  const more = button(`${text.length} characters`, () => more.replaceWith(), { class: 'more' });
  more.addEventListener('click', () => rest.replaceChildren(text));
  return h('span', { class: `t-${kind}` }, rest, more);
}

interface Options {
  /** The id of the row that is highlighted. */
  readonly chosen: number;
  readonly names: readonly [left: string, right: string];
}

/** Who sent what to whom, as wide as its container. */
export function sequenceFigure(rows: readonly Row[], { chosen, names }: Options): HTMLElement {
  const plain = rows.map(stepOf);
  const description = describeSequence(plain, names);
  const steps = plain.map((step, index) => ({
    ...step,
    response: `${outcomes[step.outcome][0]} ${step.response}`,
    isHighlighted: rows[index]?.id === chosen,
  }));
  const figure = h('figure', { class: 'sequence' });
  let drawnWidth = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.min(760, Math.floor(entry?.contentRect.width ?? 0));
    if (width < 120 || width === drawnWidth) return;
    drawnWidth = width;
    figure.replaceChildren(svgNode(drawSequence(steps, { width, names, description })));
  }).observe(figure);
  return figure;
}
