import { displayWidth } from '../../reports/human.ts';
import { escapeControls, shorten } from '../../text.ts';
import type { Row } from './wire.ts';

/** One line with a head, and its text. */
export interface Arrow {
  /** In CSS pixels, from left to right or back. */
  readonly from: number;
  readonly to: number;
  readonly y: number;
  readonly text: string;
  readonly textX: number;
  readonly anchor: 'start' | 'end';
}

/** One request and its answer as they are drawn. */
export interface SequenceStep {
  readonly row: Row;
  readonly top: number;
  readonly height: number;
  readonly request: Arrow;
  /** Without a head where no answer came. */
  readonly answer: Arrow & { readonly isLost: boolean };
  readonly isChosen: boolean;
}

/** A diagram of who sent what to whom, top to bottom. */
export interface Sequence {
  readonly width: number;
  readonly height: number;
  readonly lifelines: readonly [left: number, right: number];
  readonly names: readonly [left: string, right: string];
  readonly steps: readonly SequenceStep[];
}

const head = 40;
const stepHeight = 58;
const side = 14;
/** Of a character of the monospaced type at 12 pixels. */
const characterWidth = 7.25;

/** Lays rows out, oldest first; the emulator stands on the right, whoever talks to it on the left. */
export function layOutSequence(
  rows: readonly Row[],
  options: {
    readonly width: number;
    readonly names: readonly [left: string, right: string];
    readonly chosen: number;
  },
): Sequence {
  const { width, names, chosen } = options;
  const lifelines = [side, width - side] as const;
  const steps = rows.map((row, index) => {
    const top = head + index * stepHeight;
    const isChosen = row.id === chosen;
    const [from, to] = row.way === 'in' ? lifelines : ([lifelines[1], lifelines[0]] as const);
    const room = width - 2 * side - 24;
    const request = arrow(from, to, top + 22, fit(row.what, room));
    const answer = arrow(to, from, top + 46, fit(answerText(row), room));
    const isLost = row.outcome === 'none';
    return { row, top, height: stepHeight, request, answer: { ...answer, isLost }, isChosen };
  });
  const room = width / 2 - 24;
  return {
    width,
    height: head + rows.length * stepHeight + 6,
    lifelines,
    names: [fit(names[0], room), fit(names[1], room)],
    steps,
  };
}

/** The diagram in words, for those who don't see it. */
export function describeSequence({ steps, names: [left, right] }: Sequence): string {
  return steps
    .map(({ row }, index) => {
      const [from, to] = row.way === 'in' ? [left, right] : [right, left];
      return `${index + 1}. ${from} to ${to}: ${row.what}; answer: ${answerText(row)}`;
    })
    .join('. ');
}

/** "HTTP 200, code 0000, 3 ms" */
function answerText({ status, code, durationMs, outcome, diagnosis }: Row): string {
  if (outcome === 'none') return 'no answer';
  const parts = [`HTTP ${status}`, `code ${code ?? 'none'}`, `${durationMs} ms`];
  const why = diagnosis === null || diagnosis === code ? '' : `, ${diagnosis}`;
  return parts.join(', ') + why;
}

function arrow(from: number, to: number, y: number, text: string): Arrow {
  const isRight = to > from;
  return {
    from,
    to: isRight ? to - 1 : to + 1,
    y,
    text,
    textX: isRight ? from + 12 : from - 12,
    anchor: isRight ? 'start' : 'end',
  };
}

function fit(text: string, width: number): string {
  const columns = Math.max(1, Math.floor(width / characterWidth));
  const safe = escapeControls(text);
  let length = columns;
  while (length > 1 && displayWidth(shorten(safe, length)) > columns) length -= 1;
  return shorten(safe, length);
}
