import { counted } from '../text.ts';
import type { TrendCheck, TrendDocument, TrendPeriod } from './trend-document.ts';

/** "186 of 200 runs passed (93%), 12 failed, 2 unreachable" */
export function trendVerdict({ summary }: TrendDocument): string {
  const { runs, passed, failed, unreachable } = summary;
  // Rounded down: only all runs are 100%.
  const share = Math.floor((passed / runs) * 1000) / 10;
  const others = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unreachable > 0 ? [`${unreachable} unreachable`] : []),
  ];
  return [`${passed} of ${counted(runs, 'run')} passed (${share}%)`, ...others].join(', ');
}

/** Whether all is well now. */
export function endsWell({ runs }: TrendDocument): boolean {
  return runs.at(-1)?.status === 'passed';
}

/** "14 runs failed: registration/latest-key" */
export function periodText({ runs, status, failed, unreachable }: TrendPeriod): string {
  const what = status === 'unreachable' ? `unreachable (${unreachable})` : status;
  const which = failed.length === 0 ? '' : `: ${failed.join(', ')}`;
  return `${counted(runs, 'run')} ${what}${which}`;
}

/** The checks that failed or warned in some run, the most failures first. */
export function troubledChecks({ checks }: TrendDocument): readonly TrendCheck[] {
  return checks
    .filter(({ failed, warned }) => failed + warned > 0)
    .sort((a, b) => b.failed - a.failed || b.warned - a.warned);
}

/** What of the folder is not shown. */
export function leftOutText({ left_out: left }: TrendDocument): readonly string[] {
  const { interrupted, other_files: files } = left;
  return [
    ...Object.entries(left.targets).map(
      ([target, reports]) => `Left out: ${counted(reports, 'report')} of ${target} (--target).`,
    ),
    ...(interrupted > 0 ? [`Left out: ${counted(interrupted, 'interrupted run')}.`] : []),
    ...(files > 0 ? [`Left out: ${counted(files, 'file')} without a report of verify.`] : []),
  ];
}
