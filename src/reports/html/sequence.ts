import { shorten } from '../../text.ts';
import { displayWidth } from '../human.ts';
import { html, type Markup } from './markup.ts';

/** One request and its answer, as the diagram shows them. */
export interface SequenceStep {
  readonly request: string;
  /** The fields that it carries, or what else is worth a second line. */
  readonly requestDetail?: string;
  readonly answer: string;
  readonly answerDetail?: string;
  readonly outcome: 'good' | 'bad' | 'none';
  /** This is the exchange that shows the fault. */
  readonly isEvidence?: boolean;
  /** The right side sends the request, and the left side answers. */
  readonly isReceived?: boolean;
}

/** Who is on either side, and how it is drawn. */
export interface SequenceOptions {
  readonly left: string;
  readonly right: string;
  /** In CSS pixels. */
  readonly width: number;
  readonly description: string;
}

const head = { height: 30, gap: 14 };
const life = 14;
const line = 17;
/** Of a character of the monospaced type at 12 pixels. */
const characterWidth = 7.25;

/** Who sent what to whom, top to bottom, as an SVG. */
export function drawSequence(steps: readonly SequenceStep[], options: SequenceOptions): Markup {
  const { width, left, right, description } = options;
  let y = head.height + head.gap;
  const drawn = steps.map((step, index) => {
    const top = y;
    y += heightOf(step);
    return drawStep(step, index, top, width);
  });
  return html`<svg class="sequence" viewBox="0 0 ${width} ${y + 4}" width="${width}" height="${y + 4}" role="img" aria-label="${description}">
<line class="life" x1="${life}" x2="${life}" y1="${head.height}" y2="${y}"/><line class="life" x1="${width - life}" x2="${width - life}" y1="${head.height}" y2="${y}"/>
${participant(left, 'left', width)}${participant(right, 'right', width)}
${drawn}</svg>`;
}

function participant(name: string, side: 'left' | 'right', width: number): Markup {
  const text = fit(name, width / 2 - 40);
  const boxWidth = Math.ceil(displayWidth(text) * characterWidth) + 24;
  const x = side === 'left' ? 1 : width - boxWidth - 1;
  return html`<rect class="participant" x="${x}" y="1" width="${boxWidth}" height="${head.height - 2}" rx="6"/><text class="name" x="${x + boxWidth / 2}" y="20" text-anchor="middle">${text}</text>`;
}

function heightOf({ requestDetail, answerDetail }: SequenceStep): number {
  const details = [requestDetail, answerDetail].filter((detail) => detail !== undefined);
  return 68 + details.length * line;
}

function drawStep(step: SequenceStep, index: number, top: number, width: number): Markup {
  const room = width - 2 * life - 28;
  const requestAt = top + 22 + (step.requestDetail === undefined ? 0 : line);
  const answerAt = requestAt + 28 + (step.answerDetail === undefined ? 0 : line);
  const [near, far] = step.isReceived ? [width - life, life + 4] : [life, width - life - 4];
  const answering = step.isReceived ? life : width - life;
  const marker = step.outcome === 'good' ? '✓ ' : '✗ ';
  return html`<g class="step ${step.outcome}${step.isEvidence && ' evidence'}">
${step.isEvidence && html`<rect class="highlight" x="${life + 4}" y="${top - 1}" width="${width - 2 * life - 8}" height="${heightOf(step) - 6}" rx="6"/>`}
<rect class="active" x="${answering - 3}" y="${requestAt}" width="6" height="${answerAt - requestAt}"/>
<text x="${life + 12}" y="${top + 15}">${fit(`${index + 1} ${step.request}`, room)}</text>
${step.requestDetail !== undefined && html`<text class="detail" x="${life + 12}" y="${top + 15 + line}">${fit(step.requestDetail, room)}</text>`}
${arrow(near, far, requestAt, 'request')}
<text class="outcome" x="${width - life - 14}" y="${answerAt - 7 - (step.answerDetail === undefined ? 0 : line)}" text-anchor="end">${fit(marker + step.answer, room)}</text>
${step.answerDetail !== undefined && html`<text class="detail" x="${width - life - 14}" y="${answerAt - 7}" text-anchor="end">${fit(step.answerDetail, room)}</text>`}
${step.outcome === 'none' ? lost(far, width / 2, answerAt) : arrow(far, near, answerAt, 'answer')}
</g>
`;
}

/** A line with its head at `to`. */
function arrow(from: number, to: number, y: number, kind: 'request' | 'answer'): Markup {
  const back = to > from ? to - 8 : to + 8;
  return html`<path class="${kind}" d="M${from} ${y}H${back}"/><path class="head" d="M${to} ${y}L${back} ${y - 4}V${y + 4}Z"/>`;
}

/** An answer that never arrived. */
function lost(from: number, x: number, y: number): Markup {
  return html`<path class="answer" d="M${from} ${y}H${x}"/><path class="lost" d="M${x - 5} ${y - 5}L${x + 5} ${y + 5}M${x + 5} ${y - 5}L${x - 5} ${y + 5}"/>`;
}

function fit(text: string, width: number): string {
  const columns = Math.floor(width / characterWidth);
  let length = columns;
  while (displayWidth(shorten(text, length)) > columns && length > 1) length -= 1;
  return shorten(text, length);
}
