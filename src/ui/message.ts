import { bodyLines, type JsonToken } from '../watch/view/json-lines.ts';
import type { BodyItem, Message } from '../watch/view/wire.ts';
import { api } from './api.ts';
import { button, h } from './dom.ts';
import { counted } from './words.ts';

/** What a message needs to be shown as it went over the wire. */
interface MessageContext {
  readonly id: number;
  readonly item: BodyItem;
  readonly say: (text: string) => void;
}

/** Longer texts in a body are cut until they are asked for. */
const longText = 120;

/** One side of an exchange: its first line, headers, and body. */
export function messageCard(title: string, message: Message, context: MessageContext): HTMLElement {
  const { start, headers, body, bodyBytes, note } = message;
  const box = h('div', { class: 'body' });
  const show = (text: string): void => box.replaceChildren(bodyBlock(text));
  show(body);
  return h(
    'section',
    { class: 'message', 'aria-label': title },
    h(
      'header',
      {},
      h('h3', {}, title),
      body.includes('[redacted]') && rawButton(box, show, { body, ...context }),
    ),
    h('p', { class: 'start' }, h('code', {}, start)),
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
      { class: 'muted facts' },
      [counted(bodyBytes, 'byte'), note].filter((part) => part !== null).join(', '),
    ),
  );
}

function rawButton(
  box: HTMLElement,
  show: (text: string) => void,
  { id, item, body, say }: MessageContext & { readonly body: string },
): HTMLButtonElement {
  let isOpen = false;
  const turn = async (): Promise<void> => {
    if (isOpen) show(body);
    else {
      try {
        show((await api.reveal(id, item)).value);
      } catch (error) {
        return say(error instanceof Error ? error.message : 'It can not be shown.');
      }
    }
    isOpen = !isOpen;
    made.textContent = isOpen ? 'Mask secrets' : 'Show secrets';
    box.dataset.revealed = String(isOpen);
  };
  const made = button('Show secrets', () => void turn(), { class: 'small' });
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
