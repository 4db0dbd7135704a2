import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { explainErrorText } from '../../src/cli/explain/error-texts.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { readPrivateKey } from '../../src/crypto/key-reading.ts';
import { identifyCipher } from '../../src/diagnosis/cipher-identification.ts';
import { diagnosePayload } from '../../src/diagnosis/payload.ts';
import { readReportedError } from '../../src/diagnosis/stack-trace.ts';
import { diagnoseWrappedKey } from '../../src/diagnosis/wrapped-key.ts';
import { AuthcliError } from '../../src/errors.ts';
import { secretsInMessage } from '../../src/protocol/secret-fields.ts';
import { fitLine, wrapCommand } from '../../src/reports/human.ts';
import { Redactor } from '../../src/reports/redact.ts';
import { rewrapStrings } from '../../src/traffic/key-substitution.ts';
import { readTraffic } from '../../src/traffic/sources/read.ts';

type Read = (text: string) => unknown;

async function traffic(text: string): Promise<void> {
  async function* chunks() {
    for (let at = 0; at < text.length; at += 1 << 16)
      yield Buffer.from(text.slice(at, at + (1 << 16)));
  }
  for await (const _ of readTraffic(chunks(), { note() {}, whole: buffer }));
}

const redactor = new Redactor();
for (const secret of ['hidden-secret', 'a'.repeat(1000)]) redactor.add(secret);

/** Of a peer whose every secret is in its message. */
function redactOwnSecrets(text: string): void {
  const own = new Redactor();
  for (const secret of secretsInMessage({ body: Buffer.from(text) })) own.addFromPeer(secret);
  own.head(text);
}

const { key: privateKey } = readPrivateKey(readFileSync('fixtures/keys/private.pkcs8.pem', 'utf8'));
const key = 'Xq7vTn2RbLw9Zk4MdYc1Ge8HsJf5Pu3A';

/** Readers of foreign text with more than one argument, and those of whole files. */
const rows: Readonly<Record<string, Read>> = {
  'a log': (text) => traffic(`{"ptn_cd":\n1${text}`),
  'a log, within an object': (text) => traffic(`{"ptn_cd":[${text}`),
  'a log, within a value': (text) => traffic(`Body(ptn_cd=a, used_type=[1${text}, ptnCd=2)`),
  'an archive': (text) => traffic(`{"log":{"entries":[{"comment":"${text}`),
  'a recording': (text) => traffic(`{"schema":"authcli/recording/1"}\n{"request":${text}`),
  'the redactor of what a peer wrote': (text) => redactor.head(text),
  'the redactor of what tells its secrets': redactOwnSecrets,
  'the redactor of what authcli writes': (text) => redactor.text(text),
  'the secrets of a message': (text) => secretsInMessage({ query: text, body: Buffer.from(text) }),
  explain: (text) => explainErrorText(text, defaultCipher),
  'the log of an application': (text) => readReportedError(text.match(/[^\n]{1,8192}/g) ?? []),
  'a line on a terminal': (text) => fitLine(text, 80),
  'a command on a terminal': (text) => wrapCommand(text, 80),
  'a wrapped key': (text) => diagnoseWrappedKey(text, { privateKey }),
  'a payload': (text) => diagnosePayload(text, key, { cipher: defaultCipher }),
  'a payload to identify': (text) => identifyCipher([text], key, { knownPlaintext: text }),
  rewrapStrings: (text) => rewrapStrings(Buffer.from(text), []),
};

const folders = [
  'traffic',
  'protocol',
  'diagnosis',
  'crypto',
  'client',
  'conformance',
  'state',
  'cli',
  'reports',
];
const declaration =
  /^export function\*? (\w+)\(\s*(?:text|raw|body|bytes|line): (string|Uint8Array|string \| Uint8Array)(?:,\s*\w+\??(?:: \w+)? = [^,)]*|,\s*\w+\?: [^,)]*)*,?\s*\)/gm;

/** Every exported function whose only required argument is a text or bytes. */
async function discovered(): Promise<Record<string, Read>> {
  const found: Record<string, Read> = {};
  for (const folder of folders) {
    const names = readdirSync(`src/${folder}`, { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((each) => each.endsWith('.ts'))) {
      const source = readFileSync(`src/${folder}/${name}`, 'utf8');
      for (const [, reader = '', type] of source.matchAll(declaration)) {
        const module = await import(`../../src/${folder}/${name}`);
        found[`${folder}/${name} ${reader}`] = (text) =>
          module[reader](type === 'Uint8Array' ? Buffer.from(text) : text);
      }
    }
  }
  return found;
}

const hostile = [
  ...' \n\t\\"\'=/\0a0.-;,{[<%@',
  ...[
    '\\"',
    '\\x22',
    "='",
    '=>',
    'a=b ',
    '&quot;',
    '\n\t[a] => (',
    'A.',
    '{},\n',
    '{"',
    '</',
    '<a ',
    '%25',
    '&',
    'at (',
    '(/a:1:',
    ' Error',
    '&amp;',
    '://',
    '\\u',
    'x x ',
    '-----',
  ],
  ...['<RSAKeyValue>', '-----BEGIN CERTIFICATE-----', '----- BEGIN ', 'kotlin.', 'System.A.'],
  ...['secret_key ', '<secret_key>', 'secret_key="', 'secret_key:[', 'name="secret_key"\n'],
];

async function millisecondsOf(read: Read, unit: string, size: number): Promise<number> {
  const text = `${unit.repeat(Math.ceil(size / unit.length))}!`;
  const before = process.cpuUsage();
  try {
    await read(text);
  } catch (error) {
    if (!(error instanceof AuthcliError)) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('Readers of foreign text', async () => {
  for (const [name, read] of Object.entries({ ...rows, ...(await discovered()) })) {
    it(`take linear time: ${name}`, { timeout: 60_000 }, async () => {
      for (const unit of hostile) {
        // what is quick at a quarter of a megabyte isn't worth a comparison
        const large = await millisecondsOf(read, unit, 1 << 18);
        if (large < 250) continue;
        const small = await millisecondsOf(read, unit, 1 << 16);
        assert.ok(
          large < 9 * small + 250,
          `${JSON.stringify(unit)}: ${small} ms, then ${large} ms`,
        );
      }
    });
  }

  it('are found', async () => {
    const names = Object.keys(await discovered());
    assert.ok(names.length > 30, names.join('\n'));
  });
});
