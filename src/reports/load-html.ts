import { callList, html, htmlPage, type Part } from './html.ts';
import type { LoadDocument } from './load-document.ts';
import { isGood, loadVerdict, milliseconds, perSecond } from './load-human.ts';

/** A load as one HTML file without scripts, which loads nothing; secrets are redacted before. */
export function loadHtml(document: LoadDocument): string {
  const { workers, timeline } = document;
  const busy = `${workers}, the busiest one ${Math.round(document.busy * 100)}% busy`;
  return htmlPage({
    command: 'load',
    startedAt: document.started_at,
    verdict: loadVerdict(document),
    tone: isGood(document) ? 'passed' : 'failed',
    target: document.url,
    remarks: document.notes,
    facts: [
      ['Rate', `${perSecond(document)} sign-ups per second`],
      ['Duration', `${milliseconds(document.duration_ms)} ms`],
      ['Pace', document.pace],
      ...(workers > 0 ? [['Workers', busy] as const] : []),
      ['authcli', document.version],
    ],
    body: [
      document.thresholds.map(
        ({ threshold, kept, observed }) =>
          html`<article class="is-${kept ? 'passed' : 'failed'}"><p>${threshold}: ${kept ? 'met' : 'missed'}</p><p class="muted">observed: ${observed}</p></article>
`,
      ),
      failureArticles(document),
      latencyTable(document),
      timeline.length > 0 &&
        html`<h2>Over time</h2>
<table>${row('th', ['from', 'succeeded', 'failed', 'mean', 'max'])}${timeline.map((moment) =>
          row('td', [
            `${milliseconds(moment.at_ms)} ms`,
            moment.succeeded,
            moment.failed,
            `${milliseconds(moment.mean_ms)} ms`,
            `${milliseconds(moment.max_ms)} ms`,
          ]),
        )}</table>`,
    ],
  });
}

function failureArticles({ diagnoses, errors, attempted }: LoadDocument): Part {
  return diagnoses
    .filter(({ code }) => Object.hasOwn(errors, code))
    .map(
      ({ code, count, message, hint, calls }) => html`<article class="is-failed">
<h2>${code}: ${count} of ${attempted}</h2>
<p>${message}</p>
<p>${hint}</p>
${callList(calls)}
</article>
`,
    );
}

const percentiles = ['min', 'mean', 'p50', 'p75', 'p90', 'p95', 'p99', 'p999', 'max'] as const;

function latencyTable({ latency_ms, steps }: LoadDocument): Part {
  if (latency_ms.max === 0) return undefined;
  const all = [{ name: 'whole sign-up', latency_ms }, ...steps];
  return html`<h2>Latency</h2>
<table><caption>Of requests that succeeded or timed out</caption>
${row('th', ['percentile', ...all.map(({ name }) => name)])}${percentiles.map((name) =>
  row('td', [name, ...all.map((each) => `${milliseconds(each.latency_ms[name])} ms`)]),
)}</table>`;
}

function row(cell: 'th' | 'td', [first, ...others]: readonly Part[]): Part {
  const tag = (text: Part) =>
    cell === 'th' ? html`<th class="number">${text}</th>` : html`<td class="number">${text}</td>`;
  return html`<tr><th>${first}</th>${others.map(tag)}</tr>
`;
}
