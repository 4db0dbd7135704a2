import { drawSequence } from '../reports/sequence.ts';
import { describeSequence, stepOf } from '../watch/view/sequence.ts';
import type { Row } from '../watch/view/wire.ts';
import { h, svgNode } from './dom.ts';
import { outcomes } from './list.ts';

interface Options {
  /** The id of the row that is highlighted. */
  readonly chosen: number;
  readonly names: readonly [left: string, right: string];
}

/** Who sent what to whom, as wide as its container. */
export function sequenceFigure(rows: readonly Row[], { chosen, names }: Options): HTMLElement {
  const plain = rows.map(stepOf);
  const description = describeSequence(plain, names);
  const steps = plain.map((step, index) => ({
    ...step,
    response: `${outcomes[step.outcome][0]} ${step.response}`,
    isHighlighted: rows[index]?.id === chosen,
  }));
  const figure = h('figure', { class: 'sequence' });
  let drawnWidth = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.min(760, Math.floor(entry?.contentRect.width ?? 0));
    if (width < 120 || width === drawnWidth) return;
    drawnWidth = width;
    figure.replaceChildren(svgNode(drawSequence(steps, { width, names, description })));
  }).observe(figure);
  return figure;
}
