import { catalogue } from '../../diagnosis/catalogue.ts';
import type { CheckDocument, VerifyDocument } from '../verify-document.ts';
import { callTabs } from './call-tabs.ts';
import { commandLine } from './command-line.ts';
import { html, type Markup, type Part } from './markup.ts';
import { checkSequence } from './sequence-of-check.ts';
import { anchorOf, statusMarks } from './words.ts';

/** What does not hold: a card each, in the order id, section, expected, observed, diagnosis, change, repeat. */
export function faultSection(
  title: string,
  id: string,
  checks: readonly CheckDocument[],
  document: VerifyDocument,
): Markup | undefined {
  if (checks.length === 0) return undefined;
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${checks.map((check) => faultCard(check, document))}
</section>`;
}

function faultCard(check: CheckDocument, document: VerifyDocument): Markup {
  const { id, title, level, status, section, sentence, known } = check;
  const anchor = anchorOf(check);
  return html`<article class="fault is-${status}" aria-labelledby="${anchor}">
<header>
<h3 id="${anchor}"><span class="status">${statusMarks[status]}</span> ${title}</h3>
<p class="small muted"><span class="mono">${id}</span> &middot; ${level} &middot; <span class="status">${status}</span></p>
</header>
<p class="sentence small">Section ${section}: ${sentence}</p>
${known && html`<p><strong>Known:</strong> ${known.reason}${known.until !== undefined && ` (until ${known.until})`}</p>`}
<dl class="compare">
<div class="is-passed"><dt>Expected</dt><dd>${check.expected}</dd></div>
<div class="is-failed"><dt>Observed</dt><dd>${check.observed}</dd></div>
</dl>
${diagnosisPart(check)}
${mendPart(check, anchor)}
${notesPart(check)}
${checkSequence(check, document)}
${repeatPart(check)}
</article>
`;
}

function diagnosisPart({ diagnosis }: CheckDocument): Part {
  return (
    diagnosis &&
    html`<h4>Diagnosis</h4>
<p class="cause"><code>${diagnosis.code}</code> ${catalogue[diagnosis.code].title}.</p>
<p>${diagnosis.message}</p>`
  );
}

/** Where the calls stand in tabs, the hint that has them in one line gives way to the instruction alone. */
function mendPart({ mend, diagnosis }: CheckDocument, anchor: string): Part {
  const entry = diagnosis && catalogue[diagnosis.code];
  const tabs = callTabs(entry?.calls, `calls-${anchor}`);
  const text = withoutCalls(mend ?? '', entry?.mend, tabs !== undefined);
  if (text === '' && tabs === undefined) return undefined;
  return html`<h4>What to change</h4>
${text !== '' && html`<p class="mend">${text}</p>`}
${tabs}`;
}

function withoutCalls(mend: string, instruction: string | undefined, hasTabs: boolean): string {
  const isCatalogued = hasTabs && instruction !== undefined && mend.startsWith(instruction);
  return isCatalogued ? instruction : mend;
}

function notesPart({ notes }: CheckDocument): Part {
  return notes.length > 0 && html`<ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>`;
}

function repeatPart({ repeat, evidence }: CheckDocument): Part {
  return html`${
    repeat &&
    html`<div class="repeat"><h4>To see it again</h4>
${repeat.curl !== undefined && html`<pre><code>${commandLine(repeat.curl)}</code></pre>`}
<pre><code>${commandLine(repeat.command)}</code></pre></div>`
  }
${
  evidence !== undefined &&
  html`<details><summary>The exchange as it went over the wire</summary>
<pre><code>${evidence.split('\n').map(
    (line) => html`${line}
`,
  )}</code></pre></details>`
}`;
}
