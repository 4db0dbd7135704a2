import { createHash } from 'node:crypto';
import { escapeControls } from '../text.ts';

/** Text that needs no escaping any more; made by {@link templates} alone. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value of a template: text is escaped, markup unchanged, undefined and false left out. */
export type Part = Markup | string | number | undefined | false | readonly Part[];

/** Templates whose texts `safe` escapes, for element content and for quoted attributes alike. */
export function templates(safe: (text: string) => string) {
  const textOf = (part: Part): string => {
    if (part === undefined || part === false) return '';
    if (part instanceof Markup) return part.text;
    return typeof part === 'object' ? part.map(textOf).join('') : safe(String(part));
  };
  return (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
    new Markup(String.raw({ raw: strings }, ...parts.map(textOf)));
}

/** A template of HTML; control and bidirectional characters are escaped too (HTML Standard 13.1.2.3, 13.1.2.4). */
export const html = templates((text) =>
  escapeControls(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`),
);

export const toneMarks = {
  passed: '✓',
  failed: '✗',
  warned: '!',
  incomplete: '?',
  skipped: '–',
} as const;

export type Tone = keyof typeof toneMarks;

/** A list of names and texts, such as those of a failure. */
export function factList(facts: readonly (readonly [name: string, text: Part])[]): Markup {
  const known = facts.filter(([, text]) => text !== '' && text !== undefined);
  return html`<dl>${known.map(
    ([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>
`,
  )}</dl>`;
}

export interface Page {
  /** "verify" */
  readonly command: string;
  /** ISO 8601 */
  readonly startedAt: string;
  readonly verdict: string;
  readonly tone: Tone;
  readonly target: string;
  readonly remarks: readonly string[];
  readonly facts: readonly (readonly [name: string, text: Part])[];
  readonly body: Part;
}

/**
 * One self-contained HTML file, without scripts. Its Content Security Policy allows this style sheet by its hash
 * and nothing else (CSP Level 3, 2.3.1), should text of the other side ever become markup.
 */
export function htmlPage(page: Page): string {
  const { command, startedAt, verdict, tone, target, remarks, facts, body } = page;
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
<title>${toneMarks[tone]} ${verdict}: authcli ${command} ${target}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<main>
<header class="is-${tone}">
<p class="muted">authcli ${command}, <time datetime="${startedAt}">${startedAt.slice(0, 19).replace('T', ' ')} UTC</time></p>
<h1>${verdict}</h1>
<p><code>${target}</code></p>
${remarks.map(
  (remark) => html`<p>${remark}</p>
`,
)}
${factList(facts)}
</header>
${body}
</main>
</body>
</html>
`.text;
}

const style = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --code: #eceef2; --line: #d5d9e0; --text: #1b1f26; --muted: #525a67; --link: #0b55c4;
  --passed: #1a6f37; --failed: #b3261e; --warned: #855300; --skipped: #525a67;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101318; --code: #242a33; --line: #333a45; --text: #e7eaef; --muted: #a3acba; --link: #8ab8ff;
    --passed: #5fd38d; --failed: #ff938a; --warned: #f2bd4b; --skipped: #a3acba;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 64rem; margin: 0 auto; padding: 1rem 1rem 3rem; }
h1 { font-size: 1.75rem; margin: 0; color: var(--tone); }
h2 { font-size: 1.375rem; margin: 2.5rem 0 1rem; }
article h2 { font-size: 1.0625rem; margin: 0 0 .5rem; }
a { color: var(--link); }
code, pre { font-family: ui-monospace, monospace; font-size: .875em; }
pre { margin: .375rem 0; padding: .5rem .75rem; background: var(--code); border-radius: .375rem; white-space: pre-wrap; }
header, article { border-left: .375rem solid var(--tone); padding: .25rem 0 .25rem 1rem; margin-bottom: 1.5rem; }
dl { display: grid; grid-template-columns: fit-content(40%) minmax(0, 1fr); gap: .25rem 1rem; margin: .75rem 0; }
dt, .muted, caption { color: var(--muted); }
dd, header p, article p { margin: 0; }
.is-passed { --tone: var(--passed); }
.is-failed { --tone: var(--failed); }
.is-warned, .is-incomplete { --tone: var(--warned); }
.is-skipped { --tone: var(--skipped); }
.mark { color: var(--tone); font-weight: 700; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
caption { text-align: left; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
svg { width: 100%; height: 8rem; margin-bottom: 1.5rem; }
rect { fill: var(--line); }
rect.is-failed { fill: var(--tone); }
@media print { article, tr { break-inside: avoid; } details::details-content { content-visibility: visible; block-size: auto; } }
`;
