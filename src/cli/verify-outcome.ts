import type { BaselineJudgement } from '../conformance/baseline.ts';
import type { CheckResult, RunResult } from '../conformance/result.ts';
import { exitStatus } from './exit-status.ts';
import { type Failure, failureOf } from './hints.ts';

/**
 * Why a run fails; undefined where it is as it should be. A run that was stopped says so; then one
 * that reached nobody; then failures that aren't known, entries of the baseline that are stale,
 * and a run in which nothing could be judged.
 */
export function failureOfRun(
  result: RunResult,
  baseline: BaselineJudgement,
  stoppedBy: unknown,
  command = 'verify',
): Failure | undefined {
  const { unreachable, checks } = result;
  if (stoppedBy !== undefined) return failureOf(stoppedBy);
  if (unreachable !== undefined) return unreachable;
  const failed = checks.filter(
    ({ status, check }) => status === 'failed' && !baseline.known.has(check.id),
  );
  if (failed.length > 0) return failedChecks(failed, checks.length, command);
  if (baseline.stale.length > 0) return staleBaseline(baseline);
  return checks.some(({ status }) => status !== 'skipped') ? undefined : nothingJudged(result);
}

/** The diagnosis of the first failure stands for all; a connection that failed is then no reason for status 3. */
function failedChecks(
  [first, ...others]: readonly CheckResult[],
  all: number,
  command: string,
): Failure {
  const code = first?.fault?.diagnosis?.code ?? 'checks-failed';
  const id = first?.check.id ?? '';
  const how = id.startsWith('signin/') ? ' --signin …' : '';
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return {
    code,
    message: `${others.length + 1} of ${all} checks failed: ${id}${more}.`,
    hint: `Run \`authcli ${command} --check ${id}${how}\` again when it is mended.`,
    exitStatus: exitStatus.negative,
  };
}

function staleBaseline({ stale }: BaselineJudgement): Failure {
  const names = stale.map(({ check }) => check).join(', ');
  return {
    code: 'checks-failed',
    message: `Known failures no longer fail: ${names}.`,
    hint: 'Take them off the list, or run again with --update-expect.',
  };
}

function nothingJudged({ controls, checks }: RunResult): Failure {
  const control = controls.find(({ status }) => status === 'failed' || status === 'warned');
  const reason = checks.find((check) => check.reason !== undefined)?.reason ?? '';
  return {
    code: control?.fault?.diagnosis?.code ?? 'checks-failed',
    message: `No check could be judged. ${reason}`,
    hint: control?.fault?.mend ?? '',
    exitStatus: exitStatus.negative,
  };
}
