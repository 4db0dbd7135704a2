import { escapeControls } from '../text.ts';
import type { Detail, HiddenField, Row } from '../watch/view/wire.ts';
import { api } from './api.ts';
import { button, copyButton, h } from './dom.ts';
import { findingCard } from './finding.ts';
import { clockTime, outcomes } from './list.ts';
import { messageCard, revealButton } from './message.ts';
import { sequenceFigure } from './sequence-figure.ts';

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
