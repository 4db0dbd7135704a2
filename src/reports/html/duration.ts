/** A duration for people, in as many digits as it is worth: `0.8 ms`, `12 ms`, `1.24 s`, `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 9.95) return `${trim(milliseconds.toFixed(1))} ms`;
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_995) return `${trim((milliseconds / 1000).toFixed(2))} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * The value that `share` (0 to 1) of `values` don't exceed (nearest rank); `values` ascend and
 * aren't empty.
 */
export function percentile(values: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(share * values.length));
  return values[rank - 1] ?? Number.NaN;
}

function trim(decimal: string): string {
  return decimal.replace(/\.?0+$/, '');
}
