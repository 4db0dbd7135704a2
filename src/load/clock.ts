/** Milliseconds since the epoch, with fractions: the clock that all threads of a load go by. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}
