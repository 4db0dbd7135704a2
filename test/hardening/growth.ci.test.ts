import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { parseSync } from 'rolldown/utils';
import { refuseManyValues } from '../../src/cli/args/input.ts';
import { explainErrorText } from '../../src/cli/explain/error-texts.ts';
import { LogTail } from '../../src/cli/process/log-tail.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { readPrivateKey } from '../../src/crypto/key-reading.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { identifyCipher } from '../../src/diagnosis/cipher-identification.ts';
import { recogniseStack } from '../../src/diagnosis/error-text.ts';
import { diagnosePayload } from '../../src/diagnosis/payload.ts';
import { readReportedError } from '../../src/diagnosis/stack-trace.ts';
import { diagnoseWrappedKey } from '../../src/diagnosis/wrapped-key.ts';
import { AuthcliError } from '../../src/errors.ts';
import { readResponse } from '../../src/protocol/response.ts';
import { secretsInMessage } from '../../src/protocol/secret-fields.ts';
import { fitLine, wrapCommand } from '../../src/reports/human.ts';
import { containsSecret, findSecrets, Redactor } from '../../src/reports/redact.ts';
import { rewrapStrings } from '../../src/traffic/key-substitution.ts';
import { readTraffic } from '../../src/traffic/sources/read.ts';
import { encodeLike } from '../../src/traffic/text-form.ts';
import { isThorough } from '../support/draws.ts';

type Read = (text: string) => unknown;

async function* chunksOf(text: string) {
  for (let at = 0; at < text.length; at += 1 << 16)
    yield Buffer.from(text.slice(at, at + (1 << 16)));
}

async function traffic(text: string): Promise<void> {
  for await (const _ of readTraffic(chunksOf(text), { note() {}, whole: buffer }));
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

interface Span {
  readonly start: number;
  readonly end: number;
}

/** What takes texts of authcli's own, a number of bytes that is fixed, or is read by another row. */
const own = `
  withProgress toWireRequest jsonResponse verdict asStarted commandAsStarted subjectIn runGivenCommand
  writeOutputFile writeAll StandardOutput readSetting Session Secret Markup InputReader isBare allowedFolder
  allowedFile CollectedBytes IncomingResponse startReplay readTraffic LogReader NotationReader Pairing Redactor
  recordingWriter substituteKeys PayloadJudge readJsonFile diagnosePayload
  diagnoseFailedStep peel examinePlaintext parseRequest diagnoseNoCipher withOwnModulus`.split(
  /\s+/,
);

/** Readers of foreign text with more than one argument, and those of whole files. */
const rows: Readonly<Record<string, Read>> = {
  'a log': (text) => traffic(`{"ptn_cd":\n1${text}`),
  'a log, within an object': (text) => traffic(`{"ptn_cd":[${text}`),
  'a log, within a value': (text) => traffic(`Body(ptn_cd=a, used_type=[1${text}, ptnCd=2)`),
  'a log, after a request': (text) => traffic(`{"ptn_cd":"a","partner_sp":"A"}\nx${text}`),
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
  'a payload': (payload) => diagnosePayload({ payload, key, cipher: defaultCipher }),
  'a payload to identify': (text) => identifyCipher([text], key, { knownPlaintext: text }),
  'protocol/response.ts readResponse': (text) => readResponse(Buffer.from(text), undefined),
  'reports/redact.ts findSecrets': (text) => findSecrets(text, [], 'peer'),
  'reports/redact.ts containsSecret': (text) => containsSecret(text, Secret.text(key)),
  'diagnosis/error-text.ts recogniseStack': (text) =>
    recogniseStack([['A', text]], Buffer.from(text)),
  'traffic/text-form.ts encodeLike': (text) => encodeLike(text, Buffer.from(text)),
  'cli/args/input.ts refuseManyValues': (text) =>
    refuseManyValues(Buffer.from(text), 'it', { bytes: 1 << 23, values: 300_000 }),
  'the log that is followed': (text) => new LogTail().reader()(Buffer.from(text)),
  rewrapStrings: (text) => rewrapStrings(Buffer.from(text), []),
};

/** What parameters are called that take what others wrote. */
const foreign =
  /^(?:text|raw|body|bytes|input|lines?|log|header|contentType|chunks?|head|payload|written|notation|whole)$/;

const kinds: Readonly<Record<string, (text: string) => unknown>> = {
  string: (text) => text,
  'string | undefined': (text) => text,
  'string | Uint8Array': (text) => text,
  Uint8Array: (text) => Buffer.from(text),
  'readonly string[]': (text) => text.match(/[^\n]{1,8192}/g) ?? [],
  'AsyncIterable<Uint8Array>': chunksOf,
};

/** What a reader gets beside the text, by the names of its parameters. */
const others: Readonly<Record<string, unknown>> = {
  ...{ width: 80, columns: 80, max: 80, order: 'little', encoding: 'base64', atLineStart: true },
  ...{ catalogue: [], substitutes: [], localTimeZone: 'UTC', key, cipher: defaultCipher },
  ...{ before: '{', pattern: '*a*b*', characters: ' ', offset: 1 << 15, size: 64, note: () => {} },
};

const form = /^(\w+): (.+)$/s;

function takesForeign(parameter: string): boolean {
  const [, name = '', type = ''] = form.exec(parameter) ?? [];
  return foreign.test(name) && type in kinds;
}

/** What makes the arguments of a function, as its parameters are written; undefined where it needs a row. */
function argumentsOf(parameters: readonly string[]) {
  const needed = parameters.filter((each) => !/^\w+\?| = /.test(each));
  const made = needed.map((each) => {
    const [, name = '', type = ''] = form.exec(each) ?? [];
    if (foreign.test(name)) return kinds[type];
    return name in others ? () => others[name] : undefined;
  });
  return made.every((make) => make !== undefined) ? made : undefined;
}

/** Every exported function and class that takes a foreign text; undefined for one that needs a row. */
async function discovered(): Promise<ReadonlyMap<string, Read | undefined>> {
  const found = new Map<string, Read | undefined>();
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((each) => each.endsWith('.ts') && !/browser/.test(each))) {
    const source = readFileSync(`src/${file}`, 'utf8');
    const written = ({ params }: { params: readonly Span[] }) =>
      params.map(({ start, end }) => source.slice(start, end));
    for (const statement of parseSync(file, source).program.body) {
      const declared = statement.type === 'ExportNamedDeclaration' && statement.declaration;
      if (!declared || !('id' in declared) || !declared.id) continue;
      const name = `${file} ${source.slice(declared.id.start, declared.id.end)}`;
      if (declared.type === 'FunctionDeclaration') {
        const parameters = written(declared);
        if (parameters.some(takesForeign)) found.set(name, await callOf(name, parameters));
      } else if (declared.type === 'ClassDeclaration') {
        const takes = declared.body.body.some(
          (each) => each.type === 'MethodDefinition' && written(each.value).some(takesForeign),
        );
        if (takes) found.set(name, undefined);
      }
    }
  }
  return found;
}

async function callOf(name: string, parameters: readonly string[]): Promise<Read | undefined> {
  const made = argumentsOf(parameters);
  if (made === undefined) return undefined;
  const [file = '', reader = ''] = name.split(' ');
  const module = await import(`../../src/${file}`);
  return async (text) => {
    const result = await module[reader](...made.map((make) => make(text)));
    if (typeof result !== 'string' && result?.[Symbol.iterator]) for (const _ of result);
    if (result?.[Symbol.asyncIterator]) for await (const _ of result);
  };
}

const hostile = [
  ...' \n\t\\"\'=/\0a0.-;,{[<%@',
  ...['\\"', '\\x22', "='", '=>', 'a=b ', '&quot;', '\n\t[a] => (', 'A.', '{},\n', '{"'],
  ...['</', '<a '],
  ...['%25', '&', 'at (', '(/a:1:', ' Error', '&amp;', '://', '\\u', 'x x ', '-----'],
  ...['<RSAKeyValue>', '-----BEGIN CERTIFICATE-----', '----- BEGIN ', 'kotlin.', 'System.A.'],
  ...['secret_key ', '<secret_key>', 'secret_key="', 'secret_key:[', 'name="secret_key"\n'],
];

const runs = [' ', '\n', '\t', '\\', '"', 'a', '0', '{'];
const separators = [':', '=', ',', ';', '&', '=>', ': "', '<'];
/** A run on either side of a separator: some are tried like the others, the rest small, and not in CI. */
const around = runs.flatMap((run) => separators.map((separator) => [run, separator] as const));
const some = around.filter((_, index) => index % 7 === 0);
const rest = around.filter((_, index) => isThorough && index % 7 !== 0);

/** Each four times the one before. CI stops where a reader that isn't linear takes a quarter of a second more. */
const small = [1 << 14, 1 << 16];
const sizes = isThorough ? [1 << 16, 1 << 18, 1 << 20] : small;
const inputs: readonly (readonly [unit: string, separator: string, sizes: readonly number[]])[] = [
  ...hostile.map((unit) => [unit, '', sizes] as const),
  ...some.map(([unit, separator]) => [unit, separator, sizes] as const),
  ...rest.map(([unit, separator]) => [unit, separator, small] as const),
];

async function millisecondsOf(read: Read, text: string): Promise<number> {
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
  const found = await discovered();
  for (const [name, read] of [...found, ...Object.entries(rows)]) {
    if (read === undefined) continue;
    it(`take linear time: ${name}`, { timeout: isThorough ? 600_000 : 60_000 }, async () => {
      for (const [unit, separator, [smallest, ...larger]] of inputs) {
        const textOf = (size = 0) => {
          const half = unit.repeat(Math.ceil(size / unit.length / 2));
          return `${half}${separator}${half}!`;
        };
        let before = await millisecondsOf(read, textOf(smallest));
        for (const size of larger) {
          const taken = await millisecondsOf(read, textOf(size));
          const what = JSON.stringify([unit, separator]);
          const grown = `${what}: ${before} ms, then ${taken} ms of ${size}`;
          assert.ok(taken < 9 * before + 250, grown);
          before = taken;
        }
      }
    });
  }

  it('have each a row, or arguments that are known', () => {
    const isTold = (name: string) => name in rows || own.includes(name.split(' ')[1] ?? '');
    const without = [...found].filter(([name, read]) => read === undefined && !isTold(name));
    assert.deepEqual(
      without.map(([name]) => name),
      [],
    );
    assert.ok(found.size > 150, `${found.size} are found`);
  });
});
