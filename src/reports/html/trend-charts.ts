import type { TrendDocument, TrendRun } from '../trend-document.ts';
import { barChart, chartLegend } from './chart.ts';
import { durationUnit } from './load-charts.ts';
import { html, type Markup, type Part } from './markup.ts';
import { formatDuration, percentile } from './words.ts';

/** Enough for a wide page; more runs share a bar. */
const mostBars = 96;

/** Which of the runs passed, in parts of the time. */
export function runsChart(trend: TrendDocument): Markup {
  const { summary } = trend;
  const bars = inParts(trend.runs).map((runs) => {
    const of = (status: TrendRun['status']): number =>
      runs.filter((run) => run.status === status).length;
    const counts = [of('passed'), of('failed'), of('unreachable')] as const;
    const [passed, failed, unreachable] = counts;
    return {
      parts: counts.map((count) => (100 * count) / Math.max(runs.length, 1)),
      label: labelOf(runs, `${passed} passed, ${failed} failed, ${unreachable} unreachable`),
    };
  });
  const description = `Share of the runs that passed, from ${minuteOf(trend.from)} to ${minuteOf(trend.to)} (UTC); a gap is a time without runs.`;
  const names = [
    'passed',
    summary.failed > 0 ? 'failed' : undefined,
    summary.unreachable > 0 ? 'unreachable' : undefined,
  ];
  return html`<section aria-labelledby="runs">
<h2 id="runs">Runs over time</h2>
<figure>
${chartLegend(names)}
${barChart(bars, { description, unit: () => ({ size: 1, suffix: '%' }), ends: endsOf(trend), axis: 'time (UTC)' })}
<figcaption>${description}</figcaption>
</figure>
</section>`;
}

/** A chart for each operation. */
export function latencyCharts(trend: TrendDocument): Part {
  const operations = Object.keys(trend.latency_ms);
  return (
    operations.length > 0 &&
    html`<section aria-labelledby="latency">
<h2 id="latency">Latency over time</h2>
${operations.map((operation) => latencyChart(trend, operation))}
</section>`
  );
}

function latencyChart(trend: TrendDocument, operation: string): Markup {
  const bars = inParts(trend.runs).map((runs) => {
    const found = runs.flatMap(({ latency_ms: { [operation]: latency } }) => latency ?? []);
    if (found.length === 0) return { parts: [0, 0, 0], label: labelOf(runs, 'no response') };
    const medians = found.map(({ p50 }) => p50).sort((a, b) => a - b);
    const median = percentile(medians, 0.5);
    const max = Math.max(...found.map((latency) => latency.max));
    const text = `median ${formatDuration(median)}, max ${formatDuration(max)}`;
    return { parts: [median, 0, max - median], label: labelOf(runs, text) };
  });
  const { p50, p95, max } = trend.latency_ms[operation] ?? { p50: 0, p95: 0, max: 0 };
  const description = `${operation}: median (p50) ${formatDuration(p50)}, p95 ${formatDuration(p95)}, max ${formatDuration(max)} over all runs.`;
  return html`<h3>${operation}</h3>
<figure>
${chartLegend(['median of the runs', undefined, 'max'])}
${barChart(bars, { description, unit: durationUnit, ends: endsOf(trend), axis: 'time (UTC)' })}
<figcaption>${description}</figcaption>
</figure>`;
}

/** The runs in equal parts of the time; runs at an interval that are few have one each. */
function inParts(runs: readonly TrendRun[]): readonly (readonly TrendRun[])[] {
  const count = Math.min(mostBars, runs.length);
  const parts = Array.from({ length: count }, (): TrendRun[] => []);
  const instants = runs.map(({ at }) => Date.parse(at));
  const [first = 0] = instants;
  const span = Math.max(1, (instants.at(-1) ?? first) - first);
  for (const [index, run] of runs.entries()) {
    const share = ((instants[index] ?? first) - first) / span;
    parts[Math.round(share * (count - 1))]?.push(run);
  }
  return parts;
}

function labelOf(runs: readonly TrendRun[], text: string): string {
  const [first] = runs;
  return first === undefined ? 'no run' : `from ${minuteOf(first.at)}: ${text}`;
}

function endsOf({ from, to }: TrendDocument): readonly [string, string] {
  return [minuteOf(from), minuteOf(to)];
}

/** `2027-01-31 06:00` */
function minuteOf(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ');
}
