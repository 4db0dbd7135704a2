import type { CheckDocument } from './verify-document.ts';

/** How long valid requests took that got a response, in milliseconds. */
export interface Latency {
  readonly requests: number;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

/** The latencies of a run, by operation. */
export function latenciesOf(document: Timed): Readonly<Record<string, Latency>> {
  return Object.fromEntries(
    [...durationsOf(document)].map(([operation, values]) => [operation, latencyOf(values)]),
  );
}

type Exchanges = Pick<CheckDocument, 'exchanges'>;

/** The part of a run that shows how long its requests took. */
interface Timed {
  readonly checks: readonly Exchanges[];
  readonly controls: readonly Exchanges[];
}

/** How long each valid request of a run took that got a response, by operation. */
export function durationsOf({ checks, controls }: Timed): ReadonlyMap<string, readonly number[]> {
  const durations = new Map<string, number[]>();
  for (const { operation, intent, http_status: status, duration_ms: ms } of [
    ...checks,
    ...controls,
  ].flatMap(({ exchanges }) => exchanges)) {
    if (intent !== 'right' || status === null) continue;
    const known = durations.get(operation);
    if (known === undefined) durations.set(operation, [ms]);
    else known.push(ms);
  }
  return durations;
}

/** Of at least one duration, in any order. */
export function latencyOf(durations: readonly number[]): Latency {
  const sorted = [...durations].sort((a, b) => a - b);
  const at = (share: number): number => percentile(sorted, share);
  return { requests: sorted.length, p50: at(0.5), p95: at(0.95), max: at(1) };
}

/** The value that `share` (0 to 1) of the ascending, non-empty `values` don't exceed (nearest rank). */
function percentile(values: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(share * values.length));
  return values[rank - 1] ?? Number.NaN;
}
