/** The progress of something. */
export interface Tally {
  /** "checks" */
  readonly unit: string;
  readonly done: number;
  /** Absent if it is unknown. */
  readonly total?: number;
  readonly elapsedMs: number;
}

/** Before this, the time left is noise. */
const telling = { done: 2, elapsedMs: 1000 };

/** "12 of 35 checks, 3 s left", without the time at the beginning. */
export function tallyText({ unit, done, total, elapsedMs }: Tally): string {
  if (total === undefined) return `${done} ${unit}`;
  const count = `${done} of ${total} ${unit}`;
  if (done < telling.done || elapsedMs < telling.elapsedMs) return count;
  return `${count}, ${spanText(((total - done) / done) * elapsedMs)} left`;
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
