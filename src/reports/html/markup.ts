import { escapeControls } from '../../text.ts';

/** HTML or SVG that is safe to put into a page as it stands; made by {@link html} alone. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a hole of {@link html}: text is escaped, markup kept, nothing left out. */
export type Part = Markup | string | number | undefined | false | readonly Part[];

/**
 * A template of HTML or SVG. Every text that is put in is escaped for element content and for
 * quoted attributes alike, its control and bidirectional characters included, so that text of the
 * other side stays text wherever it stands (HTML Standard 13.1.2.3, 13.1.2.4).
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...parts.map(textOf)));
}

function textOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return escapeHtml(String(part));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return escapeControls(text).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
