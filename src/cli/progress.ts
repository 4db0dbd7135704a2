import type { Output } from './context.ts';

/** A line on a terminal that says what is being waited for. */
export interface Progress {
  update(text: string): void;
  stop(): void;
}

const quietMs = 500;
const frameMs = 100;
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;

/** Starts a progress line; nothing is shown in the first half second, and `stop` leaves no trace of it. */
export function startProgress(output: Output, text: string): Progress {
  let shown = text;
  let frame = 0;
  let drawn = false;
  const draw = (): void => {
    drawn = true;
    const line = `${frames[frame % frames.length]} ${shown}`;
    output.write(`\r\x1b[2K${line.slice(0, output.columns - 1)}`);
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
    stop: () => {
      clearTimeout(waiting);
      clearInterval(ticking);
      if (drawn) output.write('\r\x1b[2K');
    },
  };
}
