import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { RunResult } from '../conformance/result.ts';
import type { Style } from '../reports/human.ts';
import type { VerifyDocument } from '../reports/verify-document.ts';
import { verifyGithub } from '../reports/verify-github.ts';
import { verifyHar } from '../reports/verify-har.ts';
import { verifyLines } from '../reports/verify-human.ts';
import { reportKinds } from '../reports/verify-kinds.ts';
import { verifyMarkdown } from '../reports/verify-markdown.ts';
import { verifyTap } from '../reports/verify-tap.ts';
import { type Failure, publishedFailure } from './hints.ts';
import { writeReportFile } from './report-files.ts';
import type { Session } from './session.ts';
import type { CheckRunOptions } from './verify-flags.ts';

/** What the reports are made of. */
export interface ReportParts {
  /** Redacted. */
  readonly document: VerifyDocument;
  /** Whole, for the archive of its exchanges. */
  readonly result: RunResult;
  readonly failure: Failure | undefined;
  /** Its name, for the document. */
  readonly command: string;
}

/** What standard output shows of a run. */
export function linesOf(
  document: VerifyDocument,
  format: CheckRunOptions['format'],
  style: Style,
): readonly string[] {
  if (format === 'tap') return verifyTap(document).trimEnd().split('\n');
  return format === 'github' ? verifyGithub(document) : verifyLines(document, style);
}

/** Writes the reports that were asked for, and the summary of the step on GitHub. */
export async function writeReports(
  parts: ReportParts,
  { report, format }: Pick<CheckRunOptions, 'report' | 'format'>,
  session: Session,
): Promise<void> {
  const source = {
    document: parts.document,
    json: jsonOf(parts, session),
    har: harOf(parts, session),
  };
  for (const { kind, file } of report) {
    await writeReportFile(file, reportKinds[kind](source), session);
  }
  const { env, cwd } = session.context;
  const { GITHUB_STEP_SUMMARY: summary } = env;
  if (format !== 'github' || !summary) return;
  await appendFile(resolve(cwd, summary), `${verifyMarkdown(parts.document)}\n`).catch(() =>
    session.warn("the summary of the step can't be written"),
  );
}

/** The same document that --json prints. */
function jsonOf({ document, failure, command }: ReportParts, session: Session): unknown {
  const error = failure && { error: redacted(publishedFailure(failure), session) };
  return { ok: failure === undefined, command, ...document, ...error };
}

function harOf({ result }: ReportParts, session: Session): unknown {
  return redacted(verifyHar(result, { version: session.context.version }), session);
}

function redacted(value: unknown, { showsSecrets, secrets }: Session): unknown {
  return showsSecrets ? value : secrets.json(value);
}
