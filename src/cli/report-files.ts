import { open, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type ReportKind, reportKindNames } from '../reports/verify-kinds.ts';
import { usage } from './hints.ts';
import { cannotWrite } from './output-file.ts';
import type { Session } from './session.ts';
import { choice, quote } from './values.ts';

/** A report that was asked for. */
export interface ReportFile<Kind extends string = ReportKind> {
  readonly kind: Kind;
  readonly file: string;
}

/** Reads `KIND=FILE` of a run of checks. */
export const reportFile = reportFileOf(reportKindNames, 'junit=verify.xml');

/** Reads `KIND=FILE` for some kinds. */
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

/** Finds out before anything is sent whether the files can be written; two of them can't be one. */
export async function checkReportFiles(
  files: readonly ReportFile<string>[],
  { context }: Session,
): Promise<void> {
  const seen = new Set<string>();
  for (const { file } of files) {
    const path = resolve(context.cwd, file);
    if (seen.has(path))
      throw usage(`--report: ${file} is named twice.`, 'Name one file for each report.');
    seen.add(path);
    await writing(file, async () => (await open(path, 'a')).close());
  }
}

/** Writes a report in place of what stood in the file. */
export async function writeReportFile(
  file: string,
  text: string,
  { context }: Session,
): Promise<void> {
  await writing(file, () => writeFile(resolve(context.cwd, file), text));
}

async function writing(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw cannotWrite(file, '--report', error as NodeJS.ErrnoException);
  }
}
