import type { LoadResult } from '../load/result.ts';
import type { ThresholdVerdict } from '../load/thresholds.ts';
import { exitStatus } from './exit-status.ts';
import { type Failure, failureOf } from './hints.ts';

/**
 * Why a load fails; undefined where it is as it should be. A run that was stopped says so; then one
 * that nobody answered; then thresholds; then any failure, unless it was said how many may fail.
 */
export function failureOfLoad(
  result: LoadResult,
  thresholds: readonly ThresholdVerdict[],
  toleratesErrors: boolean,
  stoppedBy: unknown,
): Failure | undefined {
  if (stoppedBy !== undefined) return failureOf(stoppedBy);
  const { errors, failed, succeeded, answered } = result;
  const [worst] = errors;
  const ended = succeeded + failed;
  if (worst !== undefined && !answered) {
    const { code, message, hint } = worst;
    return { code, message, hint, exitStatus: exitStatus.unreachable };
  }
  const broken = thresholds.filter(({ kept }) => !kept);
  if (broken.length > 0) return brokenThresholds(broken);
  if (ended === 0) {
    return {
      code: 'threshold-missed',
      message: 'Nothing was counted: no attempt ended.',
      hint: 'Let it run longer, or with a shorter warm-up.',
    };
  }
  if (worst === undefined || toleratesErrors) return undefined;
  const { code, message, hint } = worst;
  return {
    code,
    message: `${failed} of ${ended} failed. ${message}`,
    hint: hint === '' ? `authcli explain ${code}` : hint,
    exitStatus: exitStatus.negative,
  };
}

function brokenThresholds(broken: readonly ThresholdVerdict[]): Failure {
  const said = broken.map(({ threshold, observed }) => `${threshold}: it was ${observed}`);
  return {
    code: 'threshold-missed',
    message: `The load misses ${broken.length === 1 ? 'a threshold' : 'thresholds'}: ${said.join('; ')}.`,
    hint: '',
  };
}

/** What the figures alone don't say, as sentences. */
export function notesOf(result: LoadResult): readonly string[] {
  const { busy, notStarted, unfinished, weaknesses, examinedKeys, warmUp } = result;
  return [
    ...(busy > 0.9 && result.succeeded > 0
      ? [
          `authcli itself was the limit: its busiest thread worked ${Math.round(busy * 100)}% of the time, so latencies hold its own waiting. More threads (on a machine of its own), or a lower rate, show the application alone.`,
        ]
      : []),
    ...(notStarted > 0
      ? [
          `${notStarted} were due and not begun, because as many as allowed were under way: the application did not keep up.`,
        ]
      : []),
    ...(unfinished > 0 ? [`${unfinished} were under way when the run was stopped.`] : []),
    ...(warmUp.failed > 0
      ? [`${warmUp.failed} of ${warmUp.attempted} failed in the warm-up, which is not counted.`]
      : []),
    ...weaknesses.map(
      ({ code, count, message }) =>
        `${count} of the ${examinedKeys} keys that were examined closely are weak (${code}): ${message}`,
    ),
  ];
}
