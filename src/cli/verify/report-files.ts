import { resolve } from 'node:path';
import { type ReportKind, reportKindNames } from '../../reports/verify-kinds.ts';
import { flag } from '../args/options.ts';
import { choice, quote } from '../args/values.ts';
import { type Failure, publishedFailure, usage } from '../failure.ts';
import { checkWritable } from '../process/output-file.ts';
import type { Session } from '../session.ts';

export interface ReportFile<Kind extends string = ReportKind> {
  readonly kind: Kind;
  readonly file: string;
}

/** Reports of checks. */
export const reportFlag = flag(
  '--report <kind=file...>',
  `write a report: ${reportKindNames.join(', ')}`,
  { input: 'word', group: 'output', parse: reportFileOf(reportKindNames, 'junit=verify.xml') },
);

/** Reads `KIND=FILE`, with `example` in the error. */
export function reportFileOf<Kind extends string>(
  kinds: readonly Kind[],
  example: string,
): (text: string) => ReportFile<Kind> {
  return (text) => {
    const [, kind = '', file = ''] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
    if (file === '') {
      const hint = `For example ${example}; kinds: ${kinds.join(', ')}.`;
      throw usage(`${quote(text)} is not KIND=FILE.`, hint);
    }
    return { kind: choice(kinds)(kind), file };
  };
}

/** Throws `usage` before anything is sent if a file can't be written, or is named twice. */
export async function checkReportFiles(
  files: readonly ReportFile<string>[],
  session: Session,
): Promise<void> {
  const seen = new Set<string>();
  for (const { file } of files) {
    const path = resolve(session.context.cwd, file);
    if (seen.has(path))
      throw usage(`--report: ${file} is given twice.`, 'Use a separate file for each report.');
    seen.add(path);
    await checkWritable(file, '--report', session);
  }
}

/** The document that --json prints. */
export async function jsonReport(
  { document, failure }: { readonly document: object; readonly failure: Failure | undefined },
  session: Session,
): Promise<Readonly<Record<string, unknown>>> {
  const next = failure && (await session.next(failure));
  const error = failure && { error: session.redactJson(publishedFailure(failure, next)) };
  return { ok: failure === undefined, ...document, ...error };
}
