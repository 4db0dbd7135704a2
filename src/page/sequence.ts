import { displayWidth } from '../reports/human.ts';
import { escapeControls, shorten } from '../text.ts';

/** One request and its response, as a sequence diagram shows them. */
export interface SequenceStep {
  readonly request: string;
  /** The fields that it carries, or what else is worth a second line. */
  readonly requestDetail?: string;
  readonly response: string;
  readonly responseDetail?: string;
  /** `none`: no response came. */
  readonly outcome: 'good' | 'bad' | 'fault' | 'none';
  /** The right side sends the request. */
  readonly isFromRight?: boolean;
  readonly isHighlighted?: boolean;
}

/** How the diagram is drawn. */
export interface SequenceOptions {
  /** In CSS pixels. */
  readonly width: number;
  readonly names: readonly [left: string, right: string];
}

/** One line with a head, and the texts above it. */
type Arrow = ReturnType<typeof arrow>;

/** An SVG element as data, for the markup of reports and the DOM of the page. */
export interface SvgElement {
  readonly name: 'svg' | 'g' | 'text' | 'line' | 'path' | 'rect';
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (SvgElement | string)[];
}

const head = 40;
const side = 14;
const line = 17;
/** Of a character of the monospaced type at 12 pixels. */
const characterWidth = 7.25;

/** Draws who sent what to whom, oldest first; `description` is for screen readers. */
export function drawSequence(
  steps: readonly SequenceStep[],
  { width, names, description }: SequenceOptions & { readonly description: string },
): SvgElement {
  const layout = layOutSequence(steps, { width, names });
  const { height } = layout;
  const root = {
    class: 'sequence',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'aria-label': description,
  };
  const [left, right] = layout.names;
  return svg('svg', root, [
    ...layout.lifelines.map((x) =>
      svg('line', { class: 'life', x1: x, x2: x, y1: 30, y2: height }),
    ),
    svg('text', { class: 'name', x: 2, y: 20 }, [left]),
    svg('text', { class: 'name', x: width - 2, y: 20, 'text-anchor': 'end' }, [right]),
    ...layout.steps.map((step) => drawStep(step, width)),
  ]);
}

function drawStep(
  { step, top, height, request, response }: ReturnType<typeof place>,
  width: number,
): SvgElement {
  const ground = {
    x: side + 4,
    y: top + 1,
    width: width - 2 * side - 8,
    height: height - 4,
    rx: 6,
  };
  return svg('g', { class: `is-${step.outcome}` }, [
    ...(step.isHighlighted ? [svg('rect', ground)] : []),
    drawArrow(request, 'request'),
    drawArrow(response, 'response'),
  ]);
}

function drawArrow(arrow: Arrow, kind: 'request' | 'response'): SvgElement {
  const { textX, anchor, text, detail, y } = arrow;
  const write = (content: string, style: string, lineY: number) =>
    svg('text', { class: style, x: textX, y: lineY, 'text-anchor': anchor }, [content]);
  const texts =
    detail === undefined
      ? [write(text, 'title', y - 6)]
      : [write(text, 'title', y - 6 - line), write(detail, 'detail', y - 6)];
  return svg('g', { class: kind }, [...texts, ...drawLine(arrow)]);
}

/** The line and its head; of a response that never arrived a shorter line and a cross. */
function drawLine({ from, to, y, isLost }: Arrow): SvgElement[] {
  const direction = Math.sign(to - from);
  const end = isLost ? (from + to) / 2 : to - 7 * direction;
  const shape = isLost
    ? { class: 'lost', d: `M${end - 5} ${y - 5}l10 10m0 -10l-10 10` }
    : { class: 'head', d: `M${to} ${y}L${end} ${y - 4}V${y + 4}Z` };
  return [svg('path', { class: 'shaft', d: `M${from} ${y}H${end}` }), svg('path', shape)];
}

function svg(
  name: SvgElement['name'],
  attributes: SvgElement['attributes'],
  children: SvgElement['children'] = [],
): SvgElement {
  return { name, attributes, children };
}

/** Where everything goes, in CSS pixels; texts are escaped and fit their space. */
export function layOutSequence(steps: readonly SequenceStep[], { width, names }: SequenceOptions) {
  const lifelines = [side, width - side] as const;
  let top = head;
  const placed = steps.map((step) => {
    const each = place(step, top, lifelines);
    top += each.height;
    return each;
  });
  const space = width / 2 - 24;
  const fitting = [fit(names[0], space), fit(names[1], space)] as const;
  return { height: top + 6, lifelines, names: fitting, steps: placed };
}

function place(step: SequenceStep, top: number, [left, right]: readonly [number, number]) {
  const [from, to] = step.isFromRight ? [right, left] : [left, right];
  const requestY = top + 22 + (step.requestDetail === undefined ? 0 : line);
  const responseY = requestY + 24 + (step.responseDetail === undefined ? 0 : line);
  const request = arrow(from, to, requestY, [step.request, step.requestDetail]);
  const response = arrow(to, from, responseY, [step.response, step.responseDetail]);
  return {
    step,
    top,
    height: responseY + 12 - top,
    request,
    response: { ...response, isLost: step.outcome === 'none' },
  };
}

function arrow(
  from: number,
  to: number,
  y: number,
  [text, detail]: readonly [string, string | undefined],
) {
  const direction = Math.sign(to - from);
  const space = Math.abs(to - from) - 24;
  return {
    from,
    to: to - direction,
    y,
    textX: from + 12 * direction,
    anchor: direction > 0 ? 'start' : 'end',
    text: fit(text, space),
    detail: detail === undefined ? undefined : fit(detail, space),
    isLost: false,
  };
}

function fit(text: string, width: number): string {
  const columns = Math.max(1, Math.floor(width / characterWidth));
  const safe = escapeControls(text);
  let length = columns;
  while (length > 1 && displayWidth(shorten(safe, length)) > columns) length -= 1;
  return shorten(safe, length);
}
