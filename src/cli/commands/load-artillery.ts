import { join } from 'node:path';
import { readArtilleryReport } from '../../load/artillery-report.ts';
import { judgeThresholds } from '../../load/thresholds.ts';
import { fields, verdict } from '../../reports/human.ts';
import { type LoadDocument, toLoadDocument } from '../../reports/load-document.ts';
import { loadLines } from '../../reports/load-human.ts';
import { escapeControls, shellWord } from '../../text.ts';
import { cipherFlag, clientIdFlag, urlFlag } from '../args/flags.ts';
import { loadReportLimit } from '../args/input-limit.ts';
import { networkFlags } from '../args/network-flags.ts';
import { defaulted, type OptionsOf, required } from '../args/options.ts';
import { choice, duration, integer, nonEmpty } from '../args/values.ts';
import { confirmation, defineCommand, type Outcome } from '../command.ts';
import { exportedFiles } from '../load/load-export-files.ts';
import { loadFlags, thresholdFlags } from '../load/load-flags.ts';
import { failureOfLoad, notesOf, writeLoadReports } from '../load/load-reports.ts';
import { makeLoadKeyPairs } from '../load/load-task.ts';
import { resolveHeaders } from '../network.ts';
import { writeNewFiles } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import { registrationFlags } from '../simulate/simulation-flags.ts';
import { columnsOf } from '../terminal/style.ts';
import { checkReportFiles } from '../verify/report-files.ts';

const engines = ['artillery'] as const;

const exportFlags = {
  engine: defaulted('--engine <name>', 'the load generator to export for', 'artillery', {
    input: 'word',
    choices: engines,
    parse: choice(engines),
  }),
  out: required('--out <folder>', 'the folder to create for the files', {
    input: 'path',
    parse: nonEmpty,
  }),
  url: urlFlag,
  clientId: clientIdFlag,
  cipher: cipherFlag,
  rate: defaulted('--rate <per-second>', 'start N sign-ups per second on each worker', '50', {
    parse: integer(1, 1_000_000),
  }),
  duration: defaulted('--duration <duration>', 'how long', '60s', { parse: duration }),
  rampUp: defaulted('--ramp-up <duration>', 'ramp up to the rate first', '10s', {
    parse: duration,
  }),
  keyPairs: loadFlags.keyPairs,
  userInfo: registrationFlags.userInfo,
  noUserInfo: registrationFlags.noUserInfo,
  timeout: networkFlags.timeout,
  header: networkFlags.header,
} as const;

export const loadExport = defineCommand({
  path: 'load export',
  about:
    'Exports the scenario of `load` for many machines: for Artillery 2, which runs it locally, on AWS Fargate, AWS Lambda or Azure Container Instances. The folder contains artillery.yml, processor.mjs (no dependencies), its settings, a pool of key pairs, and a README with the commands.',
  flags: exportFlags,
  exclusive: [['userInfo', 'noUserInfo']],
  notes: [
    'Existing files are not overwritten. The private keys among the files are generated for this load only.',
  ],
  examples: {
    'a load for Artillery':
      'authcli load export --engine artillery --out load --url https://staging.example.com/callback',
    'a hundred a second for ten minutes':
      'authcli load export --out load-100 --url http://localhost:8080/callback --rate 100 --duration 10m',
    'import the results': 'authcli load import report.json --report html=load.html',
  },
  run: exportLoad,
});

async function exportLoad(
  options: OptionsOf<typeof exportFlags>,
  session: Session,
): Promise<Outcome> {
  const { out, url, clientId, cipher, rate, noUserInfo } = options;
  const headers = await resolveHeaders(options.header, session);
  const keyPairs = await makeLoadKeyPairs(options.keyPairs, session);
  const settings = exportedFiles({
    url,
    clientId,
    cipher,
    timeoutMs: options.timeout,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, value.reveal()])),
    rate,
    seconds: Math.max(1, Math.round(options.duration / 1000)),
    rampUpSeconds: Math.round(options.rampUp / 1000),
    userInfo: noUserInfo ? null : options.userInfo?.reveal(),
    keyPairs,
  });
  const processor = await session.context.packageText('dist/artillery/processor.mjs');
  const files = [...settings, { name: 'processor.mjs', text: processor }];
  await writeNewFiles(out, files, '--out', session);
  const names = files.map(({ name }) => name);
  return {
    fields: { engine: options.engine, out, files: names },
    lines: [
      verdict(
        true,
        `A load for ${options.engine} is in ${out}: ${names.join(', ')}.`,
        session.style,
      ),
      ...fields(
        [
          [
            'run it',
            escapeControls(
              `artillery run ${shellWord(join(out, 'artillery.yml'))} --output report.json`,
            ),
          ],
        ],
        session.style,
      ),
    ].map(confirmation),
  };
}

const importFlags = {
  file: required('<file>', 'what `artillery run --output` wrote; "-" reads standard input', {
    input: 'file',
    limit: loadReportLimit,
    parse: readArtilleryReport,
  }),
  ...thresholdFlags,
  report: loadFlags.report,
} as const;

export const loadImport = defineCommand({
  path: 'load import',
  about:
    'Converts the JSON report of Artillery for an exported load into a result of `load`, with the same figures, reports, thresholds and exit statuses.',
  flags: importFlags,
  examples: {
    'print the results': 'authcli load import report.json',
    'write an HTML report and check a threshold':
      'authcli load import report.json --report html=load.html --max-p99 200ms',
    'failures by cause': 'authcli load import report.json --json | jq .errors',
  },
  run: importLoad,
});

async function importLoad(
  options: OptionsOf<typeof importFlags>,
  session: Session,
): Promise<Outcome> {
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
  const failure = failureOfLoad(result, thresholds, options.maxErrors !== undefined);
  const parts = { document, failure, command: 'load import' };
  await writeLoadReports(parts, options.report, session);
  const { style, context } = session;
  const lines = loadLines(document, {
    style,
    width: columnsOf(context.stdout),
    fixedBelow: failure?.code,
  });
  return { fields: { ...document }, lines, failure };
}
