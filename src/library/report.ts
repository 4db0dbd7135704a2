import { plainStyle } from '../reports/human.ts';
import type { VerifyDocument } from '../reports/verify-document.ts';

/** The forms that a report can be given. */
export type ReportFormat = 'text' | 'json' | 'junit' | 'html' | 'markdown' | 'tap';

/**
 * A report of `verifyCallback` as a text: for people (the default), or as a file for pipelines.
 *
 * @example
 * ```ts
 * import { formatReport, startApplication, verifyCallback } from 'authcli';
 *
 * await using application = await startApplication({ faults: ['oaep-sha1'] });
 * const check = 'key-exchange/wraps-key';
 * const { report } = await verifyCallback({ url: application.url, check });
 * // what failed, why, and the call that does it right:
 * console.log(await formatReport(report));
 * const junit = await formatReport(report, 'junit');
 * console.log(junit.startsWith('<?xml'));
 * ```
 */
export async function formatReport(
  report: VerifyDocument,
  format: ReportFormat = 'text',
): Promise<string> {
  if (format === 'text') {
    const { verifyLines } = await import('../reports/verify-human.ts');
    return `${verifyLines(report, plainStyle).join('\n')}\n`;
  }
  const { reportKinds } = await import('../reports/verify-kinds.ts');
  return reportKinds[format]({ document: report, json: report, har: undefined });
}
