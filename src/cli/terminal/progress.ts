import type { Output } from '../context.ts';
import { cutToColumns } from './style.ts';

export type ProgressText = string | (() => string);

export interface Progress {
  update(text: ProgressText): void;
  /** Removes the line until the next frame, so that other text can be written. */
  clear(): void;
  stop(): void;
}

export const noProgress: Progress = { update: () => {}, clear: () => {}, stop: () => {} };

const quietMs = 500;
const frameMs = 100;
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const clearLine = '\r\x1b[2K';

/** Starts a progress line after half a second. */
export function startProgress(output: Output, text: ProgressText): Progress {
  let shown = text;
  let frame = 0;
  let isDrawn = false;
  const clear = (): void => {
    if (isDrawn) output.write(clearLine);
    isDrawn = false;
  };
  const draw = (): void => {
    const line = `${frames[frame % frames.length]} ${typeof shown === 'string' ? shown : shown()}`;
    // A line that wraps could not be cleared.
    output.write(clearLine + cutToColumns(line, output.columns - 1));
    isDrawn = true;
    frame += 1;
  };
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
