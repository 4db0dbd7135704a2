import { createHash } from 'node:crypto';
import { escapeControls } from '../../text.ts';
import { style } from './style.ts';

/** Safe HTML or SVG; made by {@link html} alone. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value of {@link html}: text is escaped, markup unchanged, undefined and false left out. */
export type Part = Markup | string | number | undefined | false | readonly Part[];

/**
 * A template of HTML or SVG. Texts are escaped for element content and for quoted attributes alike,
 * control and bidirectional characters included (HTML Standard 13.1.2.3, 13.1.2.4).
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

/**
 * One self-contained HTML file. Its Content Security Policy allows this style sheet by its hash and
 * nothing else (CSP Level 3, 2.3.1), should text of the other side ever become markup.
 */
export function htmlPage({ title, body }: { readonly title: string; readonly body: Markup }) {
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
${body}
</body>
</html>
`.text;
}
