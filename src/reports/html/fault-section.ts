import { callsOf, catalogue } from '../../diagnosis/catalogue.ts';
import type { CheckDocument, VerifyDocument } from '../verify-document.ts';
import { callPanels } from './languages.ts';
import { html, type Markup, type Part } from './markup.ts';
import { checkSequence } from './sequence-of-check.ts';
import { anchorOf, commandLine, statusMarks } from './words.ts';

/** A card for each check that failed or warned. */
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
${fixPart(check)}
${check.notes.length > 0 && html`<ul>${check.notes.map((note) => html`<li>${note}</li>`)}</ul>`}
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

function fixPart({ fix = '', diagnosis }: CheckDocument): Part {
  const calls = diagnosis && callPanels(callsOf(diagnosis));
  if (fix === '' && calls === undefined) return undefined;
  return html`<h4>Fix</h4>
${fix !== '' && html`<p class="fix">${fix}</p>`}
${calls}`;
}

function repeatPart({ repeat, evidence }: CheckDocument): Part {
  return html`${
    repeat &&
    html`<div class="repeat"><h4>Reproduce</h4>
${repeat.curl !== undefined && html`<pre><code>${commandLine(repeat.curl)}</code></pre>`}
<pre><code>${commandLine(repeat.command)}</code></pre></div>`
  }
${
  evidence !== undefined &&
  html`<details><summary>The exchange on the wire</summary>
<pre><code>${evidence.split('\n').map(
    (line) => html`${line}
`,
  )}</code></pre></details>`
}`;
}
