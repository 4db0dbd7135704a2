import { formatDuration, percentile } from './duration.ts';
import { html, type Markup } from './markup.ts';

/** One request of the plot of response times. */
export interface PlotPoint {
  readonly durationMs: number;
  /** Which colour it has: 0 or 1. */
  readonly series: 0 | 1;
  readonly mark: PlotMark;
  /** What is said of it when it is pointed at. */
  readonly label: string;
}

/** `full`: a right request; `hollow`: a wrong one; `cross`: one that got no answer. */
export type PlotMark = 'full' | 'hollow' | 'cross';

/** What the plot shows beside the points. */
export interface PlotOptions {
  /** In CSS pixels. */
  readonly width: number;
  /** A duration that should not be exceeded; drawn once a point comes near it. */
  readonly limitMs: number;
  /** What the picture says, for those who don't see it. */
  readonly description: string;
}

const height = 240;
const margin = { top: 16, right: 12, bottom: 34, left: 52 };

/** Response times over the requests in the order in which they were sent, as an SVG; the time axis is logarithmic. */
export function plotResponseTimes(points: readonly PlotPoint[], options: PlotOptions): Markup {
  const { width, limitMs, description } = options;
  const durations = points.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  const isShown = isNearLimit(durations, limitMs);
  const scale = scaleOf(isShown ? [...durations, limitMs] : durations);
  const median = scale.y(percentile(durations, 0.5));
  const limit = isShown ? scale.y(limitMs) : undefined;
  const x = (index: number): number =>
    margin.left + ((index + 0.5) / points.length) * (width - margin.left - margin.right);
  return html`<svg class="plot" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${description}">
${scale.ticks.map((tick) => gridLine(tick, scale.y(tick), width))}
<line class="median" x1="${margin.left}" x2="${width - margin.right}" y1="${median}" y2="${median}"/>
${limit !== undefined && html`<line class="limit" x1="${margin.left}" x2="${width - margin.right}" y1="${limit}" y2="${limit}"/>`}
<line class="axis" x1="${margin.left}" x2="${width - margin.right}" y1="${height - margin.bottom}" y2="${height - margin.bottom}"/>
${points.map((point, index) => pointAt(point, x(index), scale.y(point.durationMs)))}
<text class="tick" x="${x(0)}" y="${height - 18}" text-anchor="middle">1</text>
${points.length > 1 && html`<text class="tick" x="${x(points.length - 1)}" y="${height - 18}" text-anchor="middle">${points.length}</text>`}
<text class="tick" x="${(margin.left + width - margin.right) / 2}" y="${height - 4}" text-anchor="middle">requests in the order sent</text>
</svg>`;
}

/** Whether a duration comes so near to the limit that its line is drawn. */
export function isNearLimit(durations: readonly number[], limitMs: number): boolean {
  return Math.max(...durations) >= limitMs / 3;
}

interface Scale {
  readonly y: (milliseconds: number) => number;
  readonly ticks: readonly number[];
}

/** Whole decades around what is to be seen, from a tenth of a millisecond up. */
function scaleOf(durations: readonly number[]): Scale {
  const least = Math.max(Math.min(...durations), 0.1);
  const low = Math.floor(Math.log10(least));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...durations, least))));
  const inner = height - margin.top - margin.bottom;
  return {
    y: (milliseconds) =>
      round(
        margin.top +
          inner * (1 - (Math.log10(Math.max(milliseconds, 10 ** low)) - low) / (high - low)),
      ),
    ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)),
  };
}

function gridLine(tick: number, y: number, width: number): Markup {
  return html`<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${y}" y2="${y}"/><text class="tick" x="${margin.left - 6}" y="${y + 4}" text-anchor="end">${formatDuration(tick)}</text>`;
}

function pointAt({ series, mark, label }: PlotPoint, x: number, y: number): Markup {
  return html`<g class="s${series} ${mark}" transform="translate(${round(x)} ${y})"><title>${label}</title>${pointShape(mark)}</g>
`;
}

/** The shape of a point, around 0,0; the legend shows the same. */
export function pointShape(mark: PlotMark): Markup {
  return mark === 'cross' ? html`<path d="M-4-4 4 4M4-4-4 4"/>` : html`<circle r="3.5"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
