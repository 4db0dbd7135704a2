import { jsonDocument } from '../reports/json.ts';
import type { LoadDocument } from '../reports/load-document.ts';
import { loadHtml } from '../reports/load-html.ts';
import { type Failure, publishedFailure } from './hints.ts';
import type { loadReportKinds } from './load-flags.ts';
import { type ReportFile, writeReportFile } from './report-files.ts';
import type { Session } from './session.ts';

/** What the reports of a load are made of. */
export interface LoadReportParts {
  /** Redacted. */
  readonly document: LoadDocument;
  readonly failure: Failure | undefined;
  /** Its name, for the document. */
  readonly command: string;
}

/** Writes the reports that were asked for. */
export async function writeLoadReports(
  { document, failure, command }: LoadReportParts,
  files: readonly ReportFile<(typeof loadReportKinds)[number]>[],
  session: Session,
): Promise<void> {
  const error = failure && redacted(publishedFailure(failure), session);
  for (const { kind, file } of files) {
    const text =
      kind === 'html'
        ? loadHtml(document)
        : jsonDocument({
            ok: error === undefined,
            command,
            ...document,
            ...(error !== undefined && { error }),
          });
    await writeReportFile(file, text, session);
  }
}

function redacted(value: unknown, { showsSecrets, secrets }: Session): unknown {
  return showsSecrets ? value : secrets.json(value);
}
