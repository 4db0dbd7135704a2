import type { Detail, HiddenField, Row } from '../watch/view/wire.ts';
import { api } from './api.ts';
import { button, h } from './dom.ts';
import { findingCard } from './finding.ts';
import { messageCard } from './message.ts';
import { sequenceFigure } from './sequence-figure.ts';
import { exactTime, outcomeMarks, outcomeNames } from './words.ts';

/** What the view of one exchange needs beside it. */
export interface DetailContext {
  /** The exchanges of the same user, oldest first. */
  readonly flow: readonly Row[];
  readonly names: readonly [left: string, right: string];
  readonly say: (text: string) => void;
  readonly close: () => void;
}

/** One exchange: why it failed, its place among the others, what it holds, what went over the wire. */
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
      detail.answer === null
        ? h(
            'div',
            { class: 'message' },
            h('h3', {}, 'Answer'),
            h('p', { class: 'muted' }, 'None came.'),
          )
        : messageCard('Answer', detail.answer, { id: row.id, item: 'answer-body', ...context }),
    ),
  );
}

function heading(row: Row, { close }: DetailContext): HTMLElement {
  const { outcome, what, ptnCd, way, status, code, durationMs, at } = row;
  const facts = [
    way === 'in' ? 'received' : 'sent',
    exactTime(at),
    status === null ? 'no answer' : `HTTP ${status}`,
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
      h('span', { class: 'mark', title: outcomeNames[outcome] }, outcomeMarks[outcome]),
      ` ${what} `,
      ptnCd !== null && h('span', { class: 'of' }, ptnCd),
    ),
    h('p', { class: 'facts' }, facts.join(' · ')),
  );
}

function fieldsSection(row: Row, fields: readonly HiddenField[], context: DetailContext) {
  if (fields.length === 0) return null;
  return h(
    'section',
    { 'aria-label': 'What it holds' },
    h('h3', {}, 'What it holds'),
    h('dl', { class: 'fields' }, ...fields.map((field) => fieldRow(row, field, context))),
  );
}

function fieldRow(
  row: Row,
  { title, field, value, item, note }: HiddenField,
  context: DetailContext,
) {
  const shown = h(
    'span',
    { class: 'value' },
    value ?? (item === null ? (note ?? '—') : '••••••••'),
  );
  const aside = item === null && value === null ? null : note;
  const reveal = item === null ? null : revealButton(title, item, shown, { row, context });
  return h(
    'div',
    {},
    h('dt', {}, title, ' ', h('code', {}, field)),
    h('dd', {}, shown, ' ', reveal, aside !== null && h('span', { class: 'muted' }, ` ${aside}`)),
  );
}

function revealButton(
  title: string,
  item: string,
  shown: HTMLElement,
  { row, context }: { readonly row: Row; readonly context: DetailContext },
): HTMLButtonElement {
  let isOpen = false;
  const turn = async (): Promise<void> => {
    if (isOpen) return hide();
    try {
      const { value } = await api.reveal(row.id, item);
      shown.replaceChildren(...h('span', {}, value).childNodes);
      isOpen = true;
      made.textContent = 'Hide';
    } catch (error) {
      context.say(error instanceof Error ? error.message : 'It can not be shown.');
    }
  };
  const hide = (): void => {
    shown.textContent = '••••••••';
    isOpen = false;
    made.textContent = 'Show';
  };
  const made = button('Show', () => void turn(), {
    class: 'small',
    'aria-label': `Show: ${title}`,
  });
  return made;
}
