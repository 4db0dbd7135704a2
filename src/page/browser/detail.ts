import { counted, escapeControls, escapeLines } from '../../text.ts';
import type { Detail, Finding, HiddenField, Message, Revealed, Row } from '../wire.ts';

type Child = Node | string | false | null;

/**
 * Makes an element. Text is added as text, never as markup, with control characters and
 * bidirectional marks escaped: what the other side sent is only ever read.
 */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  for (const child of children) {
    if (typeof child === 'string') element.append(escapeControls(child));
    else if (child) element.append(child);
  }
  return element;
}

/** Asks the server of the page; rejects with why it refused. */
export async function ask<T>(method: string, path: string, fields?: unknown): Promise<T> {
  const response = await fetch(path, {
    method,
    cache: 'no-store',
    credentials: 'omit',
    body: fields === undefined ? null : JSON.stringify(fields),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error.message);
  return body as T;
}

/** How each outcome is marked. */
export const marks = { good: '✓', bad: '✗', fault: '!', none: '⌀' } as const;

/** One exchange: why it failed, its fields, what went over the wire. */
export function detailView(row: Row, detail: Detail): HTMLElement {
  const { outcome, what, ptnCd, way, at, status, code, durationMs } = row;
  const { findings, notes, fields, request, response, reveals } = detail;
  const facts = [
    way === 'in' ? 'received' : 'sent',
    new Date(at).toISOString(),
    status === null ? 'no response' : `HTTP ${status}`,
    ...(code === null ? [] : [`code ${code}`]),
    `${durationMs} ms`,
  ];
  return h(
    'article',
    { class: `is-${outcome}` },
    h('h2', { tabindex: '-1' }, h('span', { class: 'mark' }, marks[outcome]), ` ${what} `),
    h('p', { class: 'muted' }, [ptnCd, ...facts].filter((fact) => fact !== null).join(' · ')),
    ...findings.map(findingCard),
    ...notes.map((note) => h('p', {}, note)),
    fields.length > 0 &&
      h('dl', { 'aria-label': 'Fields' }, ...fields.flatMap((field) => fieldRow(row.id, field))),
    messageCard('Request', request, reveals && { id: row.id, item: 'request-body' }),
    response
      ? messageCard('Response', response, reveals && { id: row.id, item: 'response-body' })
      : h('p', { class: 'muted' }, 'No response.'),
  );
}

/** Why it failed and what to change, with the right call in the language of the application. */
function findingCard(finding: Finding): HTMLElement {
  const { kind, code, title, observed, meaning, fix, call, section } = finding;
  const kinds = { failure: 'Diagnosis', fault: 'Fault on request', weakness: 'Weakness' };
  return h(
    'section',
    { class: `finding is-${kind}`, 'aria-label': `${kinds[kind]}: ${code}` },
    h('p', { class: 'muted' }, `${kinds[kind]} ${code}${section ? ` section ${section}` : ''}`),
    h('h3', {}, title),
    observed !== title && h('p', {}, observed),
    h('p', {}, h('strong', {}, 'Fix: '), fix),
    meaning !== null && h('p', { class: 'muted' }, meaning),
    call !== null && h('dl', {}, h('dt', {}, call.stack), h('dd', {}, h('code', {}, call.call))),
  );
}

function fieldRow(id: number, { title, field, value, item, note }: HiddenField) {
  const shown = h('code', {}, value ?? '');
  const show = (text: string | undefined) => {
    shown.textContent = escapeControls(text ?? '');
  };
  return [
    h('dt', {}, title, ' ', h('code', { class: 'muted' }, field)),
    h(
      'dd',
      {},
      shown,
      item !== null && revealButton(`Show ${title}`, { id, item }, show),
      note !== null && h('span', { class: 'muted' }, ` ${note}`),
    ),
  ];
}

interface Revealable {
  readonly id: number;
  readonly item: string;
}

/** One side of an exchange: its first line, headers, and body. */
function messageCard(title: string, message: Message, item: Revealable | false): HTMLElement {
  const { start, headers, body, bodyBytes, note } = message;
  const box = h('pre', { tabindex: '0' });
  const show = (text = body) => {
    box.textContent = escapeLines(indented(text));
  };
  show();
  return h(
    'section',
    { 'aria-label': title },
    h('h3', {}, title),
    h('p', {}, h('code', {}, start)),
    h(
      'details',
      {},
      h('summary', {}, counted(headers.length, 'header')),
      ...headers.map(([name, value]) => h('p', {}, h('code', {}, `${name}: ${value}`))),
    ),
    box,
    item && body.includes('[redacted]') && revealButton('Show secrets', item, show),
    h('p', { class: 'muted' }, `${counted(bodyBytes, 'byte')}${note === null ? '' : `, ${note}`}`),
  );
}

/** Compact JSON with a line for each member; whatever would change in it (numbers, repeated names) stays as it came. */
function indented(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}

/** A button that loads a secret and shows it, and hides it again: `show` then gets no value. */
function revealButton(
  label: string,
  item: Revealable,
  show: (value?: string) => void,
): HTMLButtonElement {
  let isShown = false;
  const button = h('button', { type: 'button' }, label);
  button.addEventListener('click', async () => {
    try {
      show(isShown ? undefined : (await ask<Revealed>('POST', 'reveal', item)).value);
      isShown = !isShown;
      button.textContent = isShown ? 'Hide' : label;
    } catch (error) {
      button.textContent = escapeControls(String(error));
    }
  });
  return button;
}
