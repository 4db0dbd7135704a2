/** The progress of something. */
export interface Tally {
  /** "checks" */
  readonly unit: string;
  readonly done: number;
  /** Absent if it is unknown. */
  readonly total?: number;
  readonly elapsedMs: number;
}

/** Before this, pace and time left are noise. */
const telling = { done: 2, elapsedMs: 1000 };

/** "12 of 35 checks, 8 a second, 3 s left", without pace and time left at the beginning. */
export function tallyText({ unit, done, total, elapsedMs }: Tally): string {
  const count = total === undefined ? `${done} ${unit}` : `${done} of ${total} ${unit}`;
  if (done < telling.done || elapsedMs < telling.elapsedMs) return count;
  const perSecond = done / (elapsedMs / 1000);
  const left = total === undefined ? [] : [`${spanText(((total - done) / perSecond) * 1000)} left`];
  return [count, paceText(perSecond), ...left].join(', ');
}

export function elapsedText(milliseconds: number): string {
  return `${Math.floor(milliseconds / 1000)} s so far`;
}

/** "0 s", "42 s", "3 min", "2 h" */
export function spanText(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

function paceText(perSecond: number): string {
  if (perSecond >= 10) return `${Math.round(perSecond)} a second`;
  if (perSecond >= 1) return `${perSecond.toFixed(1)} a second`;
  return `${Math.max(0.1, perSecond * 60).toFixed(perSecond * 60 >= 10 ? 0 : 1)} a minute`;
}
