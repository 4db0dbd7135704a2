import type { LoadDocument } from '../load-document.ts';
import { words } from '../load-human.ts';
import { barChart, chartLegend } from './chart.ts';
import { html, type Part } from './markup.ts';
import { formatDuration } from './words.ts';

export function rateSection({ timeline, scenario, failed }: LoadDocument): Part {
  if (timeline.length === 0) return undefined;
  const { many } = words[scenario];
  const bars = timeline.map((moment) => {
    const each = (count: number): number => count / Math.max(moment.duration_ms / 1000, 0.001);
    const parts = [each(moment.succeeded), each(moment.failed)];
    const what = `${moment.succeeded} succeeded, ${moment.failed} failed`;
    return { parts, label: `from ${formatDuration(moment.at_ms)}: ${what}` };
  });
  const description = `${many} per second over the run, in ${timeline.length} parts.`;
  return html`<section aria-labelledby="rate">
<h2 id="rate">Rate over time</h2>
<figure>
${chartLegend(['succeeded per second', failed > 0 ? 'failed per second' : undefined])}
${barChart(bars, { description, ends: endsOf(timeline), axis: 'time since the start' })}
</figure>
</section>`;
}

export function latencyOverTimeSection({ timeline }: LoadDocument): Part {
  if (!timeline.some(({ max_ms: max }) => max > 0)) return undefined;
  const bars = timeline.map(({ at_ms: at, mean_ms: mean, max_ms: max }) => ({
    parts: [mean, 0, Math.max(max - mean, 0)],
    label: `from ${formatDuration(at)}: mean ${formatDuration(mean)}, max ${formatDuration(max)}`,
  }));
  return html`<section aria-labelledby="over-time">
<h2 id="over-time">Latency over time</h2>
<figure>
${chartLegend(['mean', undefined, 'max'])}
${barChart(bars, { description: 'Mean and maximum latency over the run.', unit: durationUnit, ends: endsOf(timeline), axis: 'time since the start' })}
</figure>
</section>`;
}

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
  const description = `How many ${many} took how long, from ${ends[0]} (min) to ${ends[1]} (max); the median (p50) is ${formatDuration(latency.p50)}.`;
  return html`<section aria-labelledby="distribution">
<h2 id="distribution">Latency distribution</h2>
<figure>
${barChart(bars, { description, ends, axis: 'latency (logarithmic)' })}
<figcaption>${description}</figcaption>
</figure>
</section>`;
}

function endsOf(timeline: LoadDocument['timeline']): readonly [string, string] {
  const last = timeline.at(-1);
  return ['0 s', formatDuration((last?.at_ms ?? 0) + (last?.duration_ms ?? 0))];
}

/** Seconds from 1 s on, so that the numbers stay whole and short. */
export function durationUnit(stepMs: number) {
  return stepMs >= 1000 ? { size: 1000, suffix: ' s' } : { size: 1, suffix: ' ms' };
}
