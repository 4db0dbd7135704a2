import { roundTo } from '../../text.ts';
import { html, type Markup, type Part } from './markup.ts';
import { formatDuration, percentile } from './words.ts';

/** One bar. */
export interface Bar {
  /** Stacked from the foot, in the units of the scale. */
  readonly parts: readonly number[];
  readonly label: string;
}

interface PictureOptions {
  /** In CSS pixels. */
  readonly width: number;
  /** For screen readers. */
  readonly description: string;
}

/** A unit of a scale: `1000` and `" s"` for milliseconds shown in seconds. */
interface AxisUnit {
  readonly size: number;
  readonly suffix: string;
}

interface ChartOptions extends PictureOptions {
  /** The unit of the scale, by its step: whole numbers, so that each line of the grid is exact. */
  readonly unit?: (step: number) => AxisUnit;
  /** Written below the first and the last bar, and between them. */
  readonly ends: readonly [first: string, last: string];
  readonly axis: string;
}

const left = 60;
const right = 12;
const top = 16;
const bottom = 34;

/** The colours of the parts of a bar; `.bad` is what failed. */
const series = ['s0', 'bad', 's1'] as const;

/** Draws a picture twice, for narrow and for wide pages. */
export function responsive(draw: (width: number) => Markup): Markup {
  return html`<div class="narrow">${draw(343)}</div><div class="wide">${draw(992)}</div>`;
}

/** Bars side by side over one scale from 0, as SVG for narrow and wide pages. */
export function barChart(bars: readonly Bar[], options: Omit<ChartOptions, 'width'>): Markup {
  return responsive((width) => drawBars(bars, { ...options, width }));
}

function drawBars(bars: readonly Bar[], options: ChartOptions): Markup {
  const { width, description, ends, axis, unit = () => plainUnit } = options;
  const height = 200;
  const foot = height - bottom;
  const step = (width - left - right) / Math.max(bars.length, 1);
  const ticks = wholeTicks(Math.max(0, ...bars.map(({ parts }) => sum(parts))));
  const { size, suffix } = unit(ticks[0] ?? 1);
  const highest = ticks.at(-1) ?? 1;
  const y = (value: number): number => roundTo(2, foot - ((foot - top) * value) / highest);
  return html`<svg class="plot chart" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${description}">
${ticks.map((value) => gridLine(`${value / size}${suffix}`, y(value), width))}
${bars.map((bar, index) => barAt(bar, left + index * step, step, y))}
${horizontal('axis', foot, width)}
${tick(ends[0], left, height - 18, 'start')}
${tick(ends[1], width - right, height - 18, 'end')}
${tick(axis, (left + width - right) / 2, height - 4)}
</svg>`;
}

/** What the colours mean; a series without a name is left out. */
export function chartLegend(names: readonly (string | undefined)[]): Part {
  return html`<ul class="legend small">${names.map(
    (name, index) =>
      name !== undefined &&
      html`<li><svg class="chart" width="14" height="14" aria-hidden="true"><rect class="${series[index]}" width="14" height="14"/></svg>${name}</li>
`,
  )}</ul>`;
}

function barAt({ parts, label }: Bar, x: number, step: number, y: (value: number) => number): Part {
  let below = 0;
  const shapes = parts.map((part, index) => {
    const from = y(below);
    below += part;
    const to = y(below);
    const tall = roundTo(2, Math.max(from - to, 0.75)); // small values stay visible
    const width = roundTo(2, Math.max(step * 0.85, 0.5));
    return (
      part > 0 &&
      html`<rect class="${series[index]}" x="${roundTo(2, x + step * 0.075)}" y="${roundTo(2, from - tall)}" width="${width}" height="${tall}"/>`
    );
  });
  return html`<g><title>${label}</title>${shapes}</g>
`;
}

const plainUnit: AxisUnit = { size: 1, suffix: '' };

/** At most five multiples of a round whole number, the last at or above the highest bar. */
export function wholeTicks(highest: number): readonly number[] {
  const steps = [1, 2, 5].map((factor) => factor * 10 ** Math.floor(Math.log10(highest / 5 || 1)));
  const wide = [...steps, (steps[0] ?? 1) * 10].find((step) => step * 5 >= highest) ?? 1;
  const step = Math.max(1, wide);
  const count = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: count }, (_, index) => (index + 1) * step);
}

/** One request of the plot of response times. */
export interface PlotPoint {
  readonly durationMs: number;
  /** Its colour. */
  readonly series: 0 | 1;
  readonly mark: PlotMark;
  readonly label: string;
}

/** `full`: a valid request; `hollow`: a malformed one; `cross`: one without a response. */
export type PlotMark = 'full' | 'hollow' | 'cross';

interface PlotOptions extends PictureOptions {
  /** A duration that should not be exceeded; drawn once a point comes near it. */
  readonly limitMs: number;
}

/** Response times over the requests in the order sent, on a logarithmic scale, as SVG. */
export function plotResponseTimes(points: readonly PlotPoint[], options: PlotOptions): Markup {
  const { width, limitMs, description } = options;
  const height = 240;
  const durations = points.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  const isShown = isNearLimit(durations, limitMs);
  const { y, ticks } = scaleOf(isShown ? [...durations, limitMs] : durations, height);
  const x = (index: number): number =>
    left + ((index + 0.5) / points.length) * (width - left - right);
  return html`<svg class="plot" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${description}">
${ticks.map((value) => gridLine(formatDuration(value), y(value), width))}
${horizontal('median', y(percentile(durations, 0.5)), width)}
${isShown && horizontal('limit', y(limitMs), width)}
${horizontal('axis', height - bottom, width)}
${points.map((point, index) => pointAt(point, x(index), y(point.durationMs)))}
${tick('1', x(0), height - 18)}
${points.length > 1 && tick(String(points.length), x(points.length - 1), height - 18)}
${tick('requests in the order sent', (left + width - right) / 2, height - 4)}
</svg>`;
}

/** Whether a duration comes so near to the limit that its line is drawn. */
export function isNearLimit(durations: readonly number[], limitMs: number): boolean {
  return Math.max(...durations) >= limitMs / 3;
}

/** Whole decades around the durations, from a tenth of a millisecond up. */
function scaleOf(durations: readonly number[], height: number) {
  const least = Math.max(Math.min(...durations), 0.1);
  const low = Math.floor(Math.log10(least));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...durations, least))));
  const share = (milliseconds: number): number =>
    (Math.log10(Math.max(milliseconds, 10 ** low)) - low) / (high - low);
  return {
    y: (milliseconds: number) =>
      roundTo(2, top + (height - top - bottom) * (1 - share(milliseconds))),
    ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)),
  };
}

function pointAt({ series: colour, mark, label }: PlotPoint, x: number, y: number): Markup {
  return html`<g class="s${colour} ${mark}" transform="translate(${roundTo(2, x)} ${y})"><title>${label}</title>${pointShape(mark)}</g>
`;
}

/** The shape of a point, around 0,0; the legend shows the same. */
export function pointShape(mark: PlotMark): Markup {
  return mark === 'cross' ? html`<path d="M-4-4 4 4M4-4-4 4"/>` : html`<circle r="3.5"/>`;
}

function gridLine(text: string, y: number, width: number): Markup {
  return html`${horizontal('grid', y, width)}${tick(text, left - 6, y + 4, 'end')}`;
}

function horizontal(kind: string, y: number, width: number): Markup {
  return html`<line class="${kind}" x1="${left}" x2="${width - right}" y1="${y}" y2="${y}"/>`;
}

function tick(text: string, x: number, y: number, anchor = 'middle'): Markup {
  return html`<text class="tick" x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
