import { html, htmlPage, type Markup, type Part } from './html/markup.ts';
import { latencyCharts, runsChart } from './html/trend-charts.ts';
import { statusMarks, timeElement } from './html/words.ts';
import type { TrendCheck, TrendDocument } from './trend-document.ts';
import { endsWell, leftOutText, periodText, trendVerdict, troubledChecks } from './trend-words.ts';

/** A page with more of them is no longer read. */
const shownPeriods = 200;

/** Reports over time as one HTML file without scripts, which loads nothing; secrets are redacted before. */
export function trendHtml(trend: TrendDocument): string {
  const verdict = trendVerdict(trend);
  return htmlPage({
    title: `${endsWell(trend) ? '✓' : '✗'} ${verdict}: authcli report trend ${trend.target}`,
    body: html`<main>
${headSection(trend, verdict)}
${runsChart(trend)}
${checkSection(trend)}
${latencyCharts(trend)}
${periodSection(trend)}
</main>`,
  });
}

function headSection(trend: TrendDocument, verdict: string): Markup {
  const { target, from, to, version } = trend;
  return html`<header>
<p class="brand"><span>authcli report trend</span><span>${timeElement(to)}</span></p>
<div class="verdict is-${endsWell(trend) ? 'passed' : 'failed'}">
<h1>${verdict}</h1>
<p class="mono">${target}</p>
${leftOutText(trend).map((text) => html`<p>${text}</p>`)}
</div>
<dl class="facts">
<dt>First run</dt><dd>${timeElement(from)}</dd>
<dt>Last run</dt><dd>${timeElement(to)}</dd>
<dt>authcli</dt><dd>${version}</dd>
</dl>
</header>`;
}

function checkSection(trend: TrendDocument): Markup {
  const troubled = troubledChecks(trend);
  const others = trend.checks.filter((check) => !troubled.includes(check));
  return html`<section aria-labelledby="checks">
<h2 id="checks">Checks over time</h2>
<p>Each bar shows the runs in their order.</p>
${troubled.length === 0 && html`<p>No check failed or warned in any run.</p>`}
${troubled.length > 0 && html`<ul class="checks">${troubled.map(checkLine)}</ul>`}
${others.length > 0 && html`<details><summary>Without failures and warnings: ${others.length}</summary><ul class="checks">${others.map(checkLine)}</ul></details>`}
</section>`;
}

function checkLine(check: TrendCheck): Markup {
  const { id, title, status } = check;
  const counts = (['failed', 'warned', 'passed', 'skipped'] as const)
    .filter((name) => check[name] > 0)
    .map((name) => `${check[name]} ${name}`);
  return html`<li class="is-${status}"><span class="mark" aria-hidden="true">${statusMarks[status]}</span><div>
<p>${title}</p>
<p class="small"><span class="status">${status}</span> &middot; <span class="mono">${id}</span> &middot; ${counts.join(', ')}</p>
${strip(check)}
</div></li>
`;
}

/** The counts beside it say the same to those who don't see it. */
function strip({ spans }: TrendCheck): Markup {
  const all = spans.reduce((sum, { runs }) => sum + runs, 0);
  let before = 0;
  const parts = spans.map(({ runs, status, from }) => {
    const x = (before / all) * 100;
    before += runs;
    const width = (runs / all) * 100;
    return html`<rect class="is-${status}" x="${x.toFixed(2)}%" width="${width.toFixed(2)}%" height="100%"><title>${status} from ${from}: ${runs}</title></rect>`;
  });
  return html`<div class="bar" aria-hidden="true"><svg>${parts}</svg></div>`;
}

function periodSection({ periods }: TrendDocument): Part {
  const shown = periods.slice(-shownPeriods).reverse();
  const omitted = periods.length - shown.length;
  return html`<section aria-labelledby="periods">
<h2 id="periods">Periods, the latest first</h2>
<table><thead><tr><th scope="col">first run</th><th scope="col">last run</th><th scope="col">result</th></tr></thead>
<tbody>${shown.map(
    (period) =>
      html`<tr class="is-${period.status === 'passed' ? 'passed' : 'failed'}"><td>${timeElement(period.from)}</td><td>${timeElement(period.to)}</td><td><span class="status" aria-hidden="true">${period.status === 'passed' ? '✓' : '✗'}</span> ${periodText(period)}</td></tr>
`,
  )}</tbody></table>
${omitted > 0 && html`<p>${omitted} earlier ones are in the JSON report.</p>`}
</section>`;
}
