import { displayWidth } from '../reports/human.ts';
import type { Output } from './context.ts';

/** What is shown: a text, or how to make it anew for every frame, where it holds a time. */
export type ProgressText = string | (() => string);

/** A line on a terminal that says what is being waited for. */
export interface Progress {
  update(text: ProgressText): void;
  /** Takes the line away so that something else can be written; the next frame brings it back. */
  clear(): void;
  stop(): void;
}

/** Where there is nobody to show anything to. */
export const noProgress: Progress = { update: () => {}, clear: () => {}, stop: () => {} };

const quietMs = 500;
const frameMs = 100;
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const clearLine = '\r\x1b[2K';

/**
 * Starts a progress line; nothing is shown in the first half second, and `stop` leaves no trace of it.
 *
 * @param options `atOnce`: for work that holds up the process, so that nothing could be drawn later
 */
export function startProgress(
  output: Output,
  text: ProgressText,
  { atOnce = false }: { readonly atOnce?: boolean } = {},
): Progress {
  let shown = text;
  let frame = 0;
  let isDrawn = false;
  const clear = (): void => {
    if (isDrawn) output.write(clearLine);
    isDrawn = false;
  };
  const draw = (): void => {
    const line = `${frames[frame % frames.length]} ${typeof shown === 'string' ? shown : shown()}`;
    output.write(clearLine + fit(line, output.columns - 1));
    isDrawn = true;
    frame += 1;
  };
  if (atOnce) draw();
  let ticking: NodeJS.Timeout | undefined;
  const waiting = setTimeout(() => {
    draw();
    ticking = setInterval(draw, frameMs).unref();
  }, quietMs).unref();
  return {
    update: (next) => {
      shown = next;
    },
    clear,
    stop: () => {
      clearTimeout(waiting);
      clearInterval(ticking);
      clear();
    },
  };
}

/** The beginning of `line` that takes at most `columns`: a line that wraps could not be cleared. */
function fit(line: string, columns: number): string {
  if (displayWidth(line) <= columns) return line;
  let end = Math.min(line.length, columns - 1);
  while (end > 0 && displayWidth(line.slice(0, end)) > columns - 1) end -= 1;
  return `${line.slice(0, Math.max(0, end))}…`;
}
