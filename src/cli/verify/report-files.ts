import { createReadStream, statSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import {
  headBytes,
  isSame,
  type ReportKind,
  type ReportSubject,
  reportKindNames,
  subjectIn,
} from '../../reports/verify-kinds.ts';
import { escapeControls, shorten } from '../../text.ts';
import { flag } from '../args/options.ts';
import { choice, quote } from '../args/values.ts';
import { isPipeline } from '../context.ts';
import { type Failure, publishedFailure, usage } from '../failure.ts';
import { checkWritable, writeOutputFile } from '../process/output-file.ts';
import type { Session } from '../session.ts';

interface ReportFile<Kind extends ReportKind> {
  readonly kind: Kind;
  readonly file: string;
}

/** `--report KIND=FILE`, with `example` in the error. */
export const reportFlagOf = <Kind extends ReportKind>(kinds: readonly Kind[], example: string) =>
  flag(
    '--report <kind=file...>',
    `write a report: ${kinds.join(', ')}; {name} in its path names the target`,
    {
      input: 'word',
      group: 'output',
      parse: (text): ReportFile<Kind> => {
        const [, kind = '', file = ''] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
        if (file !== '') return { kind: choice(kinds)(kind), file };
        const hint = `For example ${example}; kinds: ${kinds.join(', ')}.`;
        throw usage(`${quote(text)} is not KIND=FILE.`, hint);
      },
    },
  );

/** Reports of checks. */
export const reportFlag = reportFlagOf(reportKindNames, 'junit=verify.xml');

/** Writes the reports of a run, each by its kind. */
export type WriteReports<Kind extends ReportKind = ReportKind> = (
  textOf: (kind: Kind) => string,
) => Promise<void>;

/**
 * Prepares the files of --report, with what names the target in the place of `{name}`. Throws `usage` before anything
 * is sent if one can't be written, is named twice, or has the report of another target; the last also when it is written,
 * by which time another run may have done so.
 */
export async function prepareReports<Kind extends ReportKind>(
  given: readonly ReportFile<Kind>[],
  of: ReportSubject,
  session: Session,
): Promise<WriteReports<Kind>> {
  const subject = { ...of, target: session.redact(of.target) };
  const name = fileNameOf(subject);
  const files = given.map(({ kind, file }) => ({ kind, file: file.replaceAll('{name}', name) }));
  const seen = new Set<string>();
  for (const { kind, file } of files) {
    const path = resolve(session.context.cwd, file);
    if (seen.has(path))
      throw usage(`--report: ${file} is given twice.`, 'Use a separate file for each report.');
    seen.add(path);
    await checkWritable(file, '--report', session);
    await keepOthers({ kind, file }, files, subject, session);
  }
  return async (textOf) => {
    for (const { kind, file } of files) {
      await keepOthers({ kind, file }, files, subject, session);
      await writeOutputFile(file, textOf(kind), '--report', session);
    }
  };
}

/** "localhost-8080-callback" */
function fileNameOf({ command, target }: ReportSubject): string {
  const place = URL.canParse(target) ? new URL(target) : undefined;
  const name = place ? place.host + place.pathname : target;
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join('-').slice(0, 100) || command;
}

/**
 * Throws `usage` if a file is there that is no report, or in a pipeline that of another target: a person who tries
 * one after the other wants the last.
 */
async function keepOthers(
  { kind, file }: ReportFile<ReportKind>,
  all: readonly ReportFile<ReportKind>[],
  subject: ReportSubject,
  { context }: Session,
): Promise<void> {
  const head = await headOf(resolve(context.cwd, file));
  if (head === '') return;
  const found = subjectIn(kind, head);
  if (found !== undefined && (isSame(found, subject) || !isPipeline(context.env))) return;
  const { dir, name, ext } = parse(file);
  const named = join(dir, `${name}-{name}${ext}`);
  const add = all.map((each) => {
    const other = each.file === file ? named : each.file;
    return ['--report', `${each.kind}=${other}`] as const;
  });
  const target = escapeControls(shorten(found?.target ?? '', 200));
  const what = found
    ? `the report of authcli ${found.command} ${target}`
    : `no ${kind} report of authcli`;
  throw usage(
    `--report: ${file} is ${what}; it would be overwritten.`,
    'Put the target into the name of the file with {name}, or remove the file first.',
    { again: true, without: ['--report'], add },
  );
}

/** The beginning of a file, which names what a report is of; empty where there is none to read, as of a pipe. */
async function headOf(path: string): Promise<string> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return '';
  return readText(createReadStream(path, { end: headBytes - 1 })).catch(() => '');
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
