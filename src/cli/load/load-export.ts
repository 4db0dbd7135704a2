import { join } from 'node:path';
import { formatCipher } from '../../crypto/cipher.ts';
import type { ExportedSettings } from '../../load/artillery-processor.ts';
import { checkSignupSettings } from '../../load/scenario.ts';
import { fields } from '../../reports/human.ts';
import { jsonDocument } from '../../reports/json.ts';
import { escapeControls, shellWord } from '../../text.ts';
import { cipherFlag, clientIdFlag, urlFlag } from '../args/flags.ts';
import { flag, type OptionsOf } from '../args/options.ts';
import { networkFlags } from '../args/shared-flags.ts';
import { duration, integer, nonEmpty } from '../args/values.ts';
import { confirmation, defineCommand, type Outcome } from '../command.ts';
import type { Context } from '../context.ts';
import { resolveHeaders } from '../network.ts';
import { type NewFile, writeNewFiles } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import { registrationFlags } from '../simulate/simulation-flags.ts';
import { loadKeyPairs } from './load.ts';

const engines = ['artillery'] as const;

const exportFlags = {
  engine: flag('--engine <name>', 'the load generator to export for', {
    fallback: 'artillery',
    input: 'word',
    choices: engines,
  }),
  out: flag('--out <folder>', 'the folder to create for the files', {
    required: true,
    input: 'path',
    parse: nonEmpty,
  }),
  url: urlFlag,
  clientId: clientIdFlag,
  cipher: cipherFlag,
  rate: flag('--rate <per-second>', 'start N sign-ups per second on each worker', {
    fallback: '50',
    parse: integer(1, 1_000_000),
  }),
  duration: flag('--duration <duration>', 'how long', { fallback: '60s', parse: duration }),
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
  const userInfo = noUserInfo ? null : options.userInfo?.reveal();
  checkSignupSettings(cipher, userInfo);
  const headers = await resolveHeaders(options.header, session);
  const keyPairs = await loadKeyPairs([], session);
  const settings: ExportedSettings = {
    url: url.href,
    clientId,
    cipher: formatCipher(cipher),
    timeoutMs: options.timeout,
    userInfo,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, value.reveal()])),
  };
  const seconds = Math.max(1, Math.round(options.duration / 1000));
  const processor = await oneModule('artillery.cjs', 'signUp', session.context);
  const files: readonly NewFile[] = [
    { name: 'artillery.yml', text: artilleryConfig(url, rate, seconds) },
    { name: 'settings.json', text: jsonDocument(settings), secret: true },
    { name: 'key-pairs.json', text: jsonDocument(keyPairs), secret: true },
    { name: 'README.md', text: readme(url, rate) },
    { name: 'processor.mjs', text: processor },
  ];
  await writeNewFiles(out, files, session);
  const names = files.map(({ name }) => name);
  const command = `artillery run ${shellWord(join(out, 'artillery.yml'))} --output report.json`;
  return {
    fields: { engine: options.engine, out, files: names },
    lines: [
      session.done(`A load for ${options.engine} is in ${out}: ${names.join(', ')}.`),
      ...fields([['run it', escapeControls(command)]], session.style).map(confirmation),
    ],
  };
}

/**
 * An ES module with one export of a CommonJS module of the package, that contains all which this loads: it runs where
 * nothing is installed.
 */
async function oneModule(entry: string, name: string, context: Context): Promise<string> {
  const texts = new Map<string, string>();
  const add = async (file: string): Promise<void> => {
    if (texts.has(file)) return;
    const text = await context.packageText(`dist/${file}`);
    texts.set(file, text);
    for (const [, other = ''] of text.matchAll(/\brequire\("\.\/([\w.-]+)"\)/g)) await add(other);
  };
  await add(entry);
  const files = [...texts].map(
    ([file, text]) => `${JSON.stringify(`./${file}`)}(require, module, exports) {\n${text}\n},\n`,
  );
  return `import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
const __filename = fileURLToPath(import.meta.url);
const external = createRequire(import.meta.url);
const loaded = new Map();
const files = {
${files.join('')}};
function require(name) {
  if (files[name] === undefined) return external(name);
  if (!loaded.has(name)) {
    const module = { exports: {} };
    loaded.set(name, module);
    files[name](require, module, module.exports);
  }
  return loaded.get(name).exports;
}
export const { ${name} } = require('./${entry}');
`;
}

/** JSON strings are valid YAML 1.2. */
function artilleryConfig(url: URL, rate: number, seconds: number): string {
  return `# Sign-ups at a callback URL, each key unwrapped and checked, by \`authcli load export\`.
config:
  target: ${JSON.stringify(url.href)}
  processor: ./processor.mjs
  # The files that remote workers need beside this one and the processor.
  includeFiles:
    - settings.json
    - key-pairs.json
  phases:
    - name: steady
      duration: ${seconds}
      arrivalRate: ${rate}
scenarios:
  - name: sign-up
    flow:
      - function: signUp
`;
}

function readme(url: URL, rate: number): string {
  return `# A load of sign-ups for Artillery

Signs up generated users at ${url.href}, ${rate} a second on each worker: both callbacks, every key that comes
back is decrypted and checked.

| file | |
|---|---|
| \`artillery.yml\` | phases and target: change rates and lengths here |
| \`processor.mjs\` | what each virtual user does; needs nothing installed |
| \`settings.json\` | client id, cipher, time limit, headers |
| \`key-pairs.json\` | the service's key pairs of this load: private keys, used for nothing else |

Artillery 2 needs Node.js 22.18 or later. It brings a browser that nothing here needs:
\`npm install --ignore-scripts -g artillery\` leaves it out.

\`\`\`console
$ artillery run artillery.yml --output report.json
$ artillery run-fargate artillery.yml --region eu-central-1 --count 10 --output report.json
$ artillery run-lambda artillery.yml --region eu-central-1 --count 10 --output report.json
$ artillery run-aci artillery.yml --region westeurope --count 10 --output report.json
\`\`\`

These run it on this machine, on AWS Fargate, on AWS Lambda and on Azure Container Instances.
Each worker (\`--count\`) runs the whole of artillery.yml: ten workers make ten times the rate. Keys are compared with
those of the same worker.

Artillery counts \`authcli.succeeded\`, \`authcli.failed\` and \`authcli.error.CODE\`, and measures \`authcli.latency_ms\`,
\`authcli.key_exchange_ms\` and \`authcli.registration_ms\`. \`authcli explain CODE\` says what a code means.
`;
}
