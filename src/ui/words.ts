import type { RowOutcome } from '../watch/view/wire.ts';

export const outcomeMarks: Readonly<Record<RowOutcome, string>> = {
  good: '✓',
  bad: '✗',
  fault: '!',
  none: '⌀',
};

export const outcomeNames: Readonly<Record<RowOutcome, string>> = {
  good: 'went well',
  bad: 'failed',
  fault: 'spoilt by a fault, on request',
  none: 'no answer',
};

/** Local time with seconds. */
export function clockTime(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/** Local time with milliseconds. */
export function exactTime(at: number): string {
  return `${clockTime(at)}.${String(at % 1000)
    .padStart(3, '0')
    .slice(0, 3)}`;
}

/** "1 exchange", "2 exchanges" */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
