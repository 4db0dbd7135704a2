import { readArtilleryReport } from '../../load/artillery-report.ts';
import { judgeThresholds } from '../../load/thresholds.ts';
import { type LoadDocument, toLoadDocument } from '../../reports/load-document.ts';
import { loadLines } from '../../reports/load-human.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { loadFlags, thresholdFlags } from '../load-flags.ts';
import { failureOfLoad, notesOf } from '../load-outcome.ts';
import { writeLoadReports } from '../load-reports.ts';
import { type OptionsOf, required } from '../options.ts';
import { checkReportFiles } from '../report-files.ts';
import type { Session } from '../session.ts';
import { columnsOf } from '../style.ts';

const flags = {
  file: required('<file>', 'what `artillery run --output` wrote; "-" reads standard input', {
    input: 'file',
    parse: readArtilleryReport,
  }),
  ...thresholdFlags,
  report: loadFlags.report,
} as const;

export const loadImport = defineCommand({
  path: 'load import',
  about:
    'Reads what came of an exported load: the JSON report of Artillery becomes that of `load`, with the same figures, reports, thresholds and exit statuses.',
  flags,
  examples: [
    { about: 'a look at it', line: 'authcli load import report.json' },
    {
      about: 'as a page, held to a threshold',
      line: 'authcli load import report.json --report html=load.html --max-p99 200ms',
    },
    { about: 'failures by cause', line: 'authcli load import report.json --json | jq .errors' },
  ],
  run: importLoad,
});

async function importLoad(options: OptionsOf<typeof flags>, session: Session): Promise<Outcome> {
  await checkReportFiles(options.report, session);
  const result = options.file;
  const thresholds = judgeThresholds(result, options);
  const document: LoadDocument = toLoadDocument(result, {
    version: session.context.version,
    url: '',
    pace: 'run by Artillery',
    thresholds,
    notes: notesOf(result),
  });
  const failure = failureOfLoad(result, thresholds, options.maxErrors !== undefined, undefined);
  const parts = { document, failure, command: 'load import' };
  await writeLoadReports(parts, options.report, session);
  const { style, context } = session;
  const lines = loadLines(document, style, columnsOf(context.stdout));
  return { fields: { ...document }, lines, failure };
}
