import { escapeControls } from '../../text.ts';
import type { SvgElement } from '../sequence.ts';

type Child = Node | string | null | undefined | false;

/** Attributes and properties of an element; `on…` are listeners. */
interface Props {
  readonly [name: string]: string | boolean | ((event: never) => void) | undefined;
}

/**
 * Makes an element. Text is added as text, never as markup, with control characters and
 * bidirectional marks escaped: what the other side sent is only ever read.
 */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(props)) setProp(element, key, value);
  const shown = children.filter(
    (child) => child !== null && child !== undefined && child !== false,
  );
  element.append(
    ...shown.map((child) => (typeof child === 'string' ? escapeControls(child) : child)),
  );
  return element;
}

function setProp(element: HTMLElement, key: string, value: Props[string]): void {
  if (value === undefined || value === false) return;
  if (typeof value === 'function') {
    element.addEventListener(key.slice(2), value as (event: Event) => void);
  } else element.setAttribute(key, value === true ? '' : value);
}

/** The nodes of a drawing, whose texts are escaped already. */
export function svgNode({ name, attributes, children }: SvgElement): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children.map((child) => (typeof child === 'string' ? child : svgNode(child))));
  return element;
}

/** An element that page.html contains. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new TypeError(`the page has no ${id}`);
}

export function button(text: string, onclick: () => void, props: Props = {}): HTMLButtonElement {
  return h('button', { type: 'button', onclick, ...props }, text);
}

const confirmedMs = 1500;

/** A button that copies what `read` returns, and says whether it worked. */
export function copyButton(
  label: string,
  read: () => string | Promise<string>,
  props: Props = {},
): HTMLButtonElement {
  const copy = async (): Promise<void> => {
    made.textContent = await Promise.resolve(read())
      .then((text) => navigator.clipboard.writeText(text))
      .then(
        () => 'Copied',
        () => 'Not copied',
      );
    setTimeout(() => {
      made.textContent = label;
    }, confirmedMs);
  };
  const made = button(label, () => void copy(), { class: 'small', ...props });
  return made;
}

/** Code with a button that copies it. */
export function copyable(text: string): HTMLElement {
  const made = copyButton('Copy', () => text);
  return h('div', { class: 'copyable' }, h('pre', {}, h('code', {}, text)), made);
}
