import type { LoadDocument } from '../load-document.ts';
import { words } from '../load-words.ts';
import { chartLegend, responsiveChart } from './chart.ts';
import { formatDuration } from './duration.ts';
import { html, type Part } from './markup.ts';

/** How many ended a second, over the run. */
export function rateSection({ timeline, scenario, failed }: LoadDocument): Part {
  if (timeline.length === 0) return undefined;
  const { many } = words[scenario];
  const bars = timeline.map((moment) => {
    const each = (count: number): number => count / Math.max(moment.duration_ms / 1000, 0.001);
    const parts = [each(moment.succeeded), each(moment.failed)];
    const what = `${moment.succeeded} succeeded, ${moment.failed} failed`;
    return { parts, label: `from ${formatDuration(moment.at_ms)}: ${what}` };
  });
  const description = `${many} a second over the run, in ${timeline.length} parts.`;
  return html`<section aria-labelledby="rate">
<h2 id="rate">Rate over time</h2>
<figure>
${chartLegend(['succeeded a second', failed > 0 ? 'failed a second' : undefined])}
${responsiveChart(bars, { description, formatHeight: shortNumber, ends: endsOf(timeline), axis: 'time from the start' })}
</figure>
</section>`;
}

/** How long they took, over the run. */
export function latencyOverTimeSection({ timeline }: LoadDocument): Part {
  if (!timeline.some(({ max_ms: longest }) => longest > 0)) return undefined;
  const bars = timeline.map(({ at_ms: at, mean_ms: mean, max_ms: longest }) => ({
    parts: [mean, 0, Math.max(longest - mean, 0)],
    label: `from ${formatDuration(at)}: mean ${formatDuration(mean)}, longest ${formatDuration(longest)}`,
  }));
  return html`<section aria-labelledby="course">
<h2 id="course">Latency over time</h2>
<figure>
${chartLegend(['mean', undefined, 'longest'])}
${responsiveChart(bars, { description: 'Mean and longest latency over the run.', formatHeight: formatDuration, ends: endsOf(timeline), axis: 'time from the start' })}
</figure>
</section>`;
}

/** How many took how long. */
export function distributionSection({
  distribution,
  scenario,
  latency_ms: latency,
}: LoadDocument): Part {
  if (!distribution.some(({ count }) => count > 0)) return undefined;
  const { many } = words[scenario];
  const bars = distribution.map(({ to_ms: to, count }, index) => {
    const from = distribution[index - 1]?.to_ms ?? latency.min;
    return { parts: [count], label: `${formatDuration(from)} to ${formatDuration(to)}: ${count}` };
  });
  const ends = [formatDuration(latency.min), formatDuration(latency.max)] as const;
  const description = `How many ${many} took how long, from ${ends[0]} to ${ends[1]}; half took at most ${formatDuration(latency.p50)}.`;
  return html`<section aria-labelledby="distribution">
<h2 id="distribution">Latency distribution</h2>
<figure>
${responsiveChart(bars, { description, formatHeight: shortNumber, ends, axis: 'latency, logarithmic' })}
<figcaption>${description}</figcaption>
</figure>
</section>`;
}

function endsOf(timeline: LoadDocument['timeline']): readonly [string, string] {
  const last = timeline.at(-1);
  return ['0 s', formatDuration((last?.at_ms ?? 0) + (last?.duration_ms ?? 0))];
}

function shortNumber(value: number): string {
  if (value >= 10_000) return `${Math.round(value / 100) / 10}k`;
  return String(Math.round(value * 100) / 100);
}
