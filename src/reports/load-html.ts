import { callPanels, languageChooser } from './html/languages.ts';
import { distributionSection, latencyOverTimeSection, rateSection } from './html/load-charts.ts';
import { html, htmlPage, type Markup, type Part } from './html/markup.ts';
import { formatDuration, timeElement } from './html/words.ts';
import type { LoadDocument } from './load-document.ts';
import { isGood, loadVerdict, perSecond, words } from './load-human.ts';

/** A load as one HTML file without scripts, which loads nothing; secrets are redacted before. */
export function loadHtml(document: LoadDocument): string {
  const verdict = loadVerdict(document);
  return htmlPage({
    title: `${isGood(document) ? '✓' : '✗'} ${verdict} authcli load ${document.url}`,
    body: html`<main>
${headSection(document, verdict)}
${languageChooser(failures(document).map(({ calls }) => calls))}
${thresholdSection(document)}
${errorSection(document)}
${latencySection(document)}
${distributionSection(document)}
${rateSection(document)}
${latencyOverTimeSection(document)}
</main>`,
  });
}

function headSection(document: LoadDocument, verdict: string): Markup {
  const { started_at: started, url, notes, pace } = document;
  return html`<header>
<p class="brand"><span>authcli load</span><span>${timeElement(started)}</span></p>
<div class="verdict is-${isGood(document) ? 'passed' : 'failed'}">
<h1>${verdict}</h1>
${url !== '' && html`<p class="mono">${url}</p>`}
${notes.map((note) => html`<p>${note}</p>`)}
</div>
<dl class="facts">
<dt>Rate</dt><dd>${perSecond(document)} ${words[document.scenario].many} per second</dd>
<dt>Duration</dt><dd>${formatDuration(document.duration_ms)}</dd>
<dt>Pace</dt><dd>${pace}</dd>
${document.workers > 0 && html`<dt>Workers</dt><dd>${document.workers}, the busiest one ${Math.round(document.busy * 100)}% busy</dd>`}
<dt>authcli</dt><dd>${document.version}</dd>
</dl>
</header>`;
}

function thresholdSection({ thresholds }: LoadDocument): Part {
  if (thresholds.length === 0) return undefined;
  return html`<section aria-labelledby="thresholds">
<h2 id="thresholds">Thresholds</h2>
<ul class="checks">${thresholds.map(
    ({ threshold, kept, observed }) =>
      html`<li class="is-${kept ? 'passed' : 'failed'}"><span class="mark" aria-hidden="true">${kept ? '✓' : '✗'}</span><div><p>${threshold}: ${kept ? 'met' : 'missed'}</p><p class="small">observed: ${observed}</p></div></li>
`,
  )}</ul>
</section>`;
}

function failures({ diagnoses, errors }: LoadDocument): LoadDocument['diagnoses'] {
  return diagnoses.filter(({ code }) => Object.hasOwn(errors, code));
}

function errorSection(document: LoadDocument): Part {
  const { attempted } = document;
  const found = failures(document);
  if (found.length === 0) return undefined;
  return html`<section aria-labelledby="errors">
<h2 id="errors">Failures and their causes</h2>
${found.map(
  ({ code, count, message, hint, calls }) => html`<article class="fault is-failed">
<header><h3 class="mono">${code}</h3><p class="muted">${count} of ${attempted}</p></header>
<p>${message}</p>
${hint !== '' && html`<p class="fix">${hint}</p>`}
${callPanels(calls)}
</article>
`,
)}
</section>`;
}

const columns = [
  ['min', 'min'],
  ['mean', 'mean'],
  ['p50', 'p50'],
  ['p75', 'p75'],
  ['p90', 'p90'],
  ['p95', 'p95'],
  ['p99', 'p99'],
  ['p999', 'p99.9'],
  ['max', 'max'],
] as const;

function latencySection(document: LoadDocument): Part {
  if (document.latency_ms.max === 0) return undefined;
  const { one } = words[document.scenario];
  const all = [
    { name: `whole ${one}`, latency_ms: document.latency_ms },
    ...document.steps.filter(({ latency_ms: latency }) => latency.max > 0),
  ];
  return html`<section aria-labelledby="latency">
<h2 id="latency">Latency</h2>
<table><caption>Of requests that succeeded or timed out</caption>
<thead><tr><th scope="col">percentile</th>${all.map(({ name }) => html`<th class="figure" scope="col">${name}</th>`)}</tr></thead>
<tbody>${columns.map(
    ([key, title]) => html`<tr><th scope="row">${title}</th>${all.map(
      ({ latency_ms: latency }) => html`<td class="number">${formatDuration(latency[key])}</td>`,
    )}</tr>
`,
  )}</tbody></table>
</section>`;
}
