import { createHash } from 'node:crypto';
import { html, Markup } from './markup.ts';
import { style } from './style.ts';

/** What a page consists of. */
export interface Page {
  readonly title: string;
  readonly body: Markup;
}

/**
 * One self-contained HTML file: no script, nothing loaded from outside. Its Content Security Policy
 * allows this one style sheet, by its hash, and nothing else (CSP Level 3, 2.3.1), so that text
 * of the other side could do nothing even if it got into the page as markup.
 */
export function htmlPage({ title, body }: Page): string {
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return `${
    html`<!doctype html>
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
`.text
  }`;
}
