import { html, type Markup, type Part } from './markup.ts';

/** One bar: parts stacked from below, each in the colour of its series. */
export interface Bar {
  /** Heights in the units of the scale; the first is at the foot. */
  readonly parts: readonly number[];
  /** What is said of it when it is pointed at. */
  readonly label: string;
}

/** What a chart shows beside its bars. */
export interface ChartOptions {
  /** In CSS pixels. */
  readonly width: number;
  /** What the picture says, for those who don't see it. */
  readonly description: string;
  /** How a height is written at the axis. */
  readonly formatHeight: (value: number) => string;
  /** Written below the first and the last bar, and between them. */
  readonly ends: readonly [first: string, last: string];
  readonly axis: string;
}

const height = 200;
const margin = { top: 14, right: 12, bottom: 34, left: 60 };
const foot = height - margin.bottom;

/** The colours of the parts of a bar; `.bad` is what failed. */
const series = ['s0', 'bad', 's1'] as const;

/** Bars side by side over one scale from 0, as an SVG. */
export function barChart(bars: readonly Bar[], options: ChartOptions): Markup {
  const { width, description, ends, axis } = options;
  const inner = width - margin.left - margin.right;
  const step = inner / Math.max(bars.length, 1);
  const top = niceTop(Math.max(0, ...bars.map(({ parts }) => sum(parts))));
  const y = (value: number): number => round(foot - ((foot - margin.top) * value) / top);
  const middle = margin.left + inner / 2;
  return html`<svg class="plot chart" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${description}">
${[0.25, 0.5, 0.75, 1].map((share) => gridLine(share * top, y(share * top), options))}
${bars.map((bar, index) => barAt(bar, margin.left + index * step, step, y))}
<line class="axis" x1="${margin.left}" x2="${width - margin.right}" y1="${foot}" y2="${foot}"/>
<text class="tick" x="${margin.left}" y="${height - 18}">${ends[0]}</text>
<text class="tick" x="${width - margin.right}" y="${height - 18}" text-anchor="end">${ends[1]}</text>
<text class="tick" x="${middle}" y="${height - 4}" text-anchor="middle">${axis}</text>
</svg>`;
}

/** The same for narrow and for wide pages. */
export function responsiveChart(
  bars: readonly Bar[],
  options: Omit<ChartOptions, 'width'>,
): Markup {
  const draw = (width: number): Markup => barChart(bars, { ...options, width });
  return html`<div class="narrow">${draw(343)}</div><div class="wide">${draw(992)}</div>`;
}

/** What the colours mean, for the series that are there. */
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
    const tall = round(Math.max(from - to, 0.75)); // what is there is seen
    const width = round(Math.max(step * 0.85, 0.5));
    return (
      part > 0 &&
      html`<rect class="${series[index]}" x="${round(x + step * 0.075)}" y="${round(from - tall)}" width="${width}" height="${tall}"/>`
    );
  });
  return html`<g><title>${label}</title>${shapes}</g>
`;
}

function gridLine(value: number, y: number, { width, formatHeight }: ChartOptions): Markup {
  return html`<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${y}" y2="${y}"/><text class="tick" x="${margin.left - 6}" y="${y + 4}" text-anchor="end">${formatHeight(value)}</text>`;
}

/** A round number at or above the highest bar that gives round quarters. */
function niceTop(highest: number): number {
  if (highest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  return ([1, 2, 4, 6, 8].find((factor) => factor * power >= highest) ?? 10) * power;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
