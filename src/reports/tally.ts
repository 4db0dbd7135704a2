/** "12 of 35 checks, 3 s left"; at the beginning without the time, which is noise there. */
export function tallyText(done: number, total: number, elapsedMs: number): string {
  const count = `${done} of ${total} checks`;
  if (done < 2 || elapsedMs < 1000) return count;
  return `${count}, ${spanText(((total - done) / done) * elapsedMs)} left`;
}

/** "0 s", "42 s", "3 min", "2 h" */
export function spanText(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
