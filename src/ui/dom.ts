import { escapeControls } from '../text.ts';

type Child = Node | string | null | undefined | false;

/** Attributes and properties of an element; `on…` are listeners. */
interface Props {
  readonly [name: string]: string | boolean | ((event: never) => void) | undefined;
}

/**
 * Makes an element. Text comes in as text alone, never as markup, with control characters and
 * bidirectional marks escaped: what the other side sent can't do anything but be read.
 */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(props)) setProp(element, key, value);
  element.append(...nodes(children));
  return element;
}

/** The same for SVG. */
export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number>> = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...nodes(children));
  return element;
}

function setProp(element: HTMLElement, key: string, value: Props[string]): void {
  if (value === undefined || value === false) return;
  if (typeof value === 'function') {
    element.addEventListener(key.slice(2), value as (event: Event) => void);
  } else element.setAttribute(key, value === true ? '' : value);
}

function nodes(children: readonly Child[]): (Node | string)[] {
  return children
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (typeof child === 'string' ? escapeControls(child) : child));
}

/** An element of the page that is always there. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new TypeError(`the page has no ${id}`);
}

/** A button with a text. */
export function button(text: string, onclick: () => void, props: Props = {}): HTMLButtonElement {
  return h('button', { type: 'button', onclick, ...props }, text);
}

/** A button that copies `text`; it says so for a moment. */
export function copyButton(text: string): HTMLButtonElement {
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text).catch(() => undefined);
    made.textContent = 'Copied';
    setTimeout(() => {
      made.textContent = 'Copy';
    }, 1500);
  };
  const made = button('Copy', () => void copy(), { class: 'small' });
  return made;
}
