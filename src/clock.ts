/** Read once: it is a getter. */
const { timeOrigin } = performance;

/** Milliseconds since the epoch, with fractions: durations are its differences. Also the same in every thread. */
export function preciseNow(): number {
  return timeOrigin + performance.now();
}
