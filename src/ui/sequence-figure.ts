import {
  type Arrow,
  describeSequence,
  layOutSequence,
  type SequenceStep,
} from '../watch/view/sequence.ts';
import type { Row } from '../watch/view/wire.ts';
import { h, svg } from './dom.ts';

/** Who sent what to whom, as wide as there is room. */
export function sequenceFigure(
  rows: readonly Row[],
  options: { readonly chosen: number; readonly names: readonly [string, string] },
): HTMLElement {
  const figure = h('figure', { class: 'sequence' });
  let drawnWidth = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.min(760, Math.floor(entry?.contentRect.width ?? 0));
    if (width < 120 || width === drawnWidth) return;
    drawnWidth = width;
    figure.replaceChildren(draw(rows, { ...options, width }));
  }).observe(figure);
  return figure;
}

function draw(
  rows: readonly Row[],
  options: {
    readonly chosen: number;
    readonly names: readonly [string, string];
    readonly width: number;
  },
): SVGElement {
  const sequence = layOutSequence(rows, options);
  const { width, height, lifelines, names } = sequence;
  return svg(
    'svg',
    {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      'aria-label': describeSequence(sequence),
    },
    ...lifelines.map((x) => svg('line', { class: 'life', x1: x, x2: x, y1: 30, y2: height })),
    svg('text', { class: 'name', x: 2, y: 20 }, names[0]),
    svg('text', { class: 'name', x: width - 2, y: 20, 'text-anchor': 'end' }, names[1]),
    ...sequence.steps.map((step) => drawStep(step, width)),
  );
}

function drawStep(
  { row, top, height, request, answer, isChosen }: SequenceStep,
  width: number,
): SVGElement {
  return svg(
    'g',
    { class: `step is-${row.outcome}${isChosen ? ' chosen' : ''}` },
    svg('rect', { class: 'back', x: 18, y: top + 3, width: width - 36, height: height - 6, rx: 6 }),
    ...drawArrow(request, 'request'),
    ...drawArrow(answer, answer.isLost ? 'lost' : 'answer'),
  );
}

function drawArrow(
  { from, to, y, text, textX, anchor }: Arrow,
  kind: 'request' | 'answer' | 'lost',
): SVGElement[] {
  const isRight = to > from;
  const end = kind === 'lost' ? (from + to) / 2 : to;
  const back = isRight ? end - 7 : end + 7;
  const label = svg(
    'text',
    { class: `${kind}-text`, x: textX, y: y - 6, 'text-anchor': anchor },
    text,
  );
  const line = svg('path', { class: kind, d: `M${from} ${y}H${kind === 'lost' ? end : back}` });
  const head =
    kind === 'lost'
      ? svg('path', { class: 'cross', d: `M${end - 5} ${y - 5}l10 10m0 -10l-10 10` })
      : svg('path', { class: `head ${kind}`, d: `M${end} ${y}L${back} ${y - 4}V${y + 4}Z` });
  return [label, line, head];
}
