import { formatDuration } from './html/duration.ts';
import { distributionSection, latencyOverTimeSection, rateSection } from './html/load-charts.ts';
import { html, type Markup, type Part } from './html/markup.ts';
import { htmlPage } from './html/page.ts';
import type { LoadDocument } from './load-document.ts';
import { isGood, loadVerdict, perSecond, words } from './load-words.ts';

/**
 * A load as one HTML file: it needs no script and loads nothing. Every text is escaped; secrets have
 * been hidden in the document before.
 */
export function loadHtml(document: LoadDocument): string {
  const verdict = loadVerdict(document);
  return htmlPage({
    title: `${isGood(document) ? '✓' : '✗'} ${verdict} authcli load ${document.url}`,
    body: html`<main>
${headSection(document, verdict)}
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
  const { started_at: started, url, notes, pace, warm_up: warmUp } = document;
  const shown = started.replace(/^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2}).*$/, '$1 $2 UTC');
  return html`<header>
<p class="brand"><span>authcli load</span><span><time datetime="${started}">${shown}</time></span></p>
<div class="verdict is-${isGood(document) ? 'passed' : 'failed'}">
<h1>${verdict}</h1>
${url !== '' && html`<p class="mono">${url}</p>`}
${notes.map((note) => html`<p>${note}</p>`)}
</div>
<dl class="facts">
<dt>Rate</dt><dd>${perSecond(document)} ${words[document.scenario].many} a second</dd>
<dt>Length</dt><dd>${formatDuration(document.duration_ms)}</dd>
<dt>Pace</dt><dd>${pace}</dd>
${warmUp.duration_ms > 0 && html`<dt>Warm-up</dt><dd>${formatDuration(warmUp.duration_ms)}, not counted: ${warmUp.attempted}, of which ${warmUp.failed} failed</dd>`}
${document.workers > 0 && html`<dt>Workers</dt><dd>${document.workers}, the busiest at work ${Math.round(document.busy * 100)}% of the time</dd>`}
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
      html`<li class="is-${kept ? 'passed' : 'failed'}"><span class="mark" aria-hidden="true">${kept ? '✓' : '✗'}</span><div><p>${threshold}: ${kept ? 'kept' : 'missed'}</p><p class="small">it was ${observed}</p></div></li>
`,
  )}</ul>
</section>`;
}

function errorSection({ diagnoses, errors, attempted }: LoadDocument): Part {
  const found = diagnoses.filter(({ code }) => Object.hasOwn(errors, code));
  if (found.length === 0) return undefined;
  return html`<section aria-labelledby="errors">
<h2 id="errors">What failed, and why</h2>
${found.map(
  ({ code, count, message, hint }) => html`<article class="fault is-failed">
<header><h3 class="mono">${code}</h3><p class="muted">${count} of ${attempted}</p></header>
<p>${message}</p>
${hint !== '' && html`<p class="mend">${hint}</p>`}
</article>
`,
)}
</section>`;
}

const columns = [
  ['min', 'least'],
  ['mean', 'mean'],
  ['p50', 'p50'],
  ['p75', 'p75'],
  ['p90', 'p90'],
  ['p95', 'p95'],
  ['p99', 'p99'],
  ['p999', 'p99.9'],
  ['max', 'max'],
] as const;

/** One row for each figure, so that it fits a phone. */
function latencySection(document: LoadDocument): Markup {
  const { one } = words[document.scenario];
  const all = [
    { name: `whole ${one}`, latency_ms: document.latency_ms },
    ...document.steps.filter(({ latency_ms: latency }) => latency.max > 0),
  ];
  return html`<section aria-labelledby="latency">
<h2 id="latency">Latency</h2>
<table><caption>Of what succeeded or timed out</caption>
<thead><tr><th scope="col">share</th>${all.map(({ name }) => html`<th class="figure" scope="col">${name}</th>`)}</tr></thead>
<tbody>${columns.map(
    ([key, title]) => html`<tr><th scope="row">${title}</th>${all.map(
      ({ latency_ms: latency }) => html`<td class="number">${formatDuration(latency[key])}</td>`,
    )}</tr>
`,
  )}</tbody></table>
</section>`;
}
