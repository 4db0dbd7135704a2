import { counted } from '../text.ts';
import { bodyLines, type JsonToken } from '../watch/view/json-lines.ts';
import { type BodyItem, curlItem, type Message } from '../watch/view/wire.ts';
import { api, messageOf } from './api.ts';
import { button, copyButton, h } from './dom.ts';

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
