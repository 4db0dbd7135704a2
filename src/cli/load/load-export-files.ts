import type { Cipher } from '../../crypto/cipher.ts';
import { formatCipher } from '../../crypto/cipher-notation.ts';
import type { NewFile } from '../process/output-file.ts';

/** The settings of an exported load. */
export interface ExportSettings {
  readonly url: URL;
  readonly clientId: string;
  readonly cipher: Cipher;
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Sign-ups per second. */
  readonly rate: number;
  readonly seconds: number;
  readonly userInfo?: string | null;
  readonly keyPairs: readonly string[];
}

/** The files that Artillery needs, except for the processor. */
export function exportedFiles(settings: ExportSettings): readonly NewFile[] {
  const { url, clientId, cipher, timeoutMs, headers, userInfo, keyPairs } = settings;
  const fields = {
    url: url.href,
    clientId,
    cipher: formatCipher(cipher),
    timeoutMs,
    ...(userInfo !== undefined && { userInfo }),
    headers,
  };
  return [
    { name: 'artillery.yml', text: artilleryConfig(settings) },
    { name: 'settings.json', text: json(fields), secret: true },
    { name: 'key-pairs.json', text: json(keyPairs), secret: true },
    { name: 'README.md', text: readme(settings) },
  ];
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** JSON strings are valid YAML 1.2. */
function artilleryConfig({ url, rate, seconds }: ExportSettings): string {
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

function readme({ url, rate }: ExportSettings): string {
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

## On this machine

\`\`\`console
$ artillery run artillery.yml --output report.json
\`\`\`

## On AWS Fargate

\`\`\`console
$ artillery run-fargate artillery.yml --region eu-central-1 --count 10 --output report.json
\`\`\`

## On AWS Lambda

\`\`\`console
$ artillery run-lambda artillery.yml --region eu-central-1 --count 10 --output report.json
\`\`\`

## On Azure Container Instances

\`\`\`console
$ artillery run-aci artillery.yml --region westeurope --count 10 --output report.json
\`\`\`

Each worker (\`--count\`) runs the whole of artillery.yml: ten workers make ten times the rate. Keys are compared with
those of the same worker.

## Results

Artillery counts \`authcli.succeeded\`, \`authcli.failed\` and \`authcli.error.CODE\`, and measures \`authcli.latency_ms\`,
\`authcli.key_exchange_ms\` and \`authcli.registration_ms\`. \`authcli explain CODE\` says what a code means.
`;
}
