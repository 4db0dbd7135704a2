import { join } from 'node:path';
import { fields, verdict } from '../../reports/human.ts';
import { escapeControls, shellWord } from '../../text.ts';
import { cipherFlag, clientIdFlag, urlFlag } from '../args/flags.ts';
import { networkFlags } from '../args/network-flags.ts';
import { defaulted, type OptionsOf, required } from '../args/options.ts';
import { choice, duration, integer, nonEmpty } from '../args/values.ts';
import { confirmation, defineCommand, type Outcome } from '../command.ts';
import { exportedFiles } from '../load/load-export-files.ts';
import { makeLoadKeyPairs } from '../load/load-task.ts';
import { resolveHeaders } from '../network.ts';
import { writeNewFiles } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import { registrationFlags } from '../simulate/simulation-flags.ts';

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
  },
  run: exportLoad,
});

async function exportLoad(
  options: OptionsOf<typeof exportFlags>,
  session: Session,
): Promise<Outcome> {
  const { out, url, clientId, cipher, rate, noUserInfo } = options;
  const headers = await resolveHeaders(options.header, session);
  const keyPairs = await makeLoadKeyPairs(session);
  const settings = exportedFiles({
    url,
    clientId,
    cipher,
    timeoutMs: options.timeout,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, value.reveal()])),
    rate,
    seconds: Math.max(1, Math.round(options.duration / 1000)),
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
