import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { splitWords } from '../src/cli/args/input.ts';
import { parseCipher } from '../src/crypto/cipher-notation.ts';
import { Secret } from '../src/crypto/secret.ts';
import { startServer } from '../src/emulator/server.ts';
import { displayWidth } from '../src/reports/human.ts';
import { application, applicationOf } from './conformance/support.ts';
import { makeCertificate } from './support/certificates.ts';
import { type RunResult, run } from './support/run.ts';
import { startSide } from './support/side.ts';

/**
 * Runs the commands of `transcripts/*.txt` and compares their exact output.
 *
 *     # a stanza's title
 *     $ authcli key inspect nonsense
 *     standard output, line by line
 *     ! standard error, line by line
 *     exit 1
 *
 * `< text` behind a command is standard input (`\n` a line end). Stanzas of a file share one
 * config file, in their order. `UPDATE_TRANSCRIPTS=1` writes the files anew: read the difference.
 */
const transcripts = 'test/transcripts';

const updating = process.env.UPDATE_TRANSCRIPTS === '1';

/** `faults` is what the line `@` of a stanza has in front of its command. */
function stanzasOf(file: string) {
  return readFileSync(file, 'utf8')
    .split(/^(?=# )/m)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [title = '', ...lines] = part.trimEnd().split('\n');
      const faults = lines[0]?.startsWith('@') ? lines.shift()?.slice(2) : '';
      const [command = '', ...expected] = lines;
      return {
        title: title.slice(2),
        faults,
        command: command.slice(2),
        expected: expected.join('\n'),
      };
    });
}

/** Tests each stanza of a file, or writes it anew. */
function testStanzas(
  file: string,
  outputOf: (command: string, faults: string) => Promise<string>,
): void {
  const written: string[] = [];
  after(() => {
    if (updating) writeFileSync(file, `${written.join('\n\n')}\n`);
  });
  for (const { title, faults = '', command, expected } of stanzasOf(file)) {
    it(title, async () => {
      const seen = await outputOf(command, faults);
      const setup = faults === '' && !file.startsWith(failures) ? [] : [`@ ${faults}`.trimEnd()];
      written.push([`# ${title}`, ...setup, `$ ${command}`, seen].join('\n'));
      if (!updating) assert.equal(seen, expected);
    });
  }
}

function outputLines({ stdout, stderr }: RunResult): readonly string[] {
  const lines = (text: string, mark: string): readonly string[] =>
    text === ''
      ? []
      : text
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => (mark + line).trimEnd());
  return [...lines(stdout, ''), ...lines(stderr, '! ')];
}

for (const file of readdirSync(transcripts).filter((name) => name.endsWith('.txt'))) {
  describe(`transcript ${file}`, () => {
    const temporary = mkdtempSync(join(tmpdir(), 'authcli-transcript-'));
    after(() => rmSync(temporary, { recursive: true, force: true }));
    testStanzas(join(transcripts, file), async (command) => {
      const configFile = join(temporary, 'config.json');
      const [line = '', stdin = ''] = command.split(' < ');
      const given = { configFile, stdin: stdin.replaceAll('\\n', '\n') };
      const result = await run(wordsOf(line), given);
      const lines = [...outputLines(result), `exit ${result.status}`];
      return lines.join('\n').replaceAll(configFile, 'CONFIG');
    });
  });
}

/**
 * What each kind of failure prints on a terminal of 80 columns, and that the command it names next can be run.
 *
 *     # a stanza's title
 *     @ faults of the emulated application, or `cipher=NOTATION`, which are gone when the next command is run
 *     $ authcli simulate-signup --url APP
 *     standard output, line by line
 *     ! standard error, line by line
 *     exit 1, next 0
 *
 * APP is the emulated application, HTTPS the same with a certificate that nothing trusts, SERVICE the emulated
 * service, NOBODY a port where nothing listens until the next command is run.
 */
const failures = 'test/transcripts/failures/';
const columns = 80;
const maxLines = 12;
const cipherWord = 'cipher=';

const folder = mkdtempSync(join(tmpdir(), 'authcli-failures-'));
const configFile = join(folder, 'config.json');
let handle = application();
const closing: (() => Promise<unknown>)[] = [];
const addresses: Record<string, string> = {};
const env = {
  // No progress lines, which a slow machine would show.
  TERM: 'dumb',
  NO_COLOR: '1',
  PTN_TOKEN: 'a-token-of-tests',
  SECRET: 'a-secret-of-tests',
  KEY: '01234567890123456789012345678901',
  OTHER_KEY: 'abcdefghijklmnopqrstuvwxyz012345',
};

const runOnTerminal = (argv: readonly string[]) =>
  run(argv, { configFile, cwd: folder, isTerminal: true, columns, env });

/** Serves the application as it is at that moment. */
async function serve(port = 0, tls?: Parameters<typeof startServer>[0]['tls']) {
  const server = await startServer({
    host: '127.0.0.1',
    port,
    tls,
    handle: (call) => handle(call),
  });
  closing.push(server.close);
  return server;
}

before(async () => {
  const { cert, key } = makeCertificate();
  const [plain, secure, nobody] = [
    await serve(),
    await serve(0, { certificate: cert, privateKey: Secret.text(key) }),
    await serve(),
  ];
  await nobody.close();
  const user = ['--url', `${plain.url}/callback`, '--ptn-cd', 'alice', '--quiet'];
  await run(['simulate-signup', ...user], { configFile });
  const service = await startSide(['service'], { configFile });
  closing.push(service.stop);
  addresses.APP = `${plain.url}/callback`;
  addresses.HTTPS = `${secure.url}/callback`;
  addresses.NOBODY = `${nobody.url}/callback`;
  addresses.SERVICE = service.url;
});

after(async () => {
  await Promise.all(closing.map((close) => close()));
  rmSync(folder, { recursive: true, force: true });
});

describe('what a failure prints', () => {
  testStanzas(`${failures}failures.txt`, outputOfFailure);
});

async function outputOfFailure(command: string, faults: string): Promise<string> {
  handle = applicationWith(faults.split(' ').filter(Boolean));
  const ended = await runOnTerminal(
    wordsOf(command.replace(/APP|HTTPS|SERVICE|NOBODY/g, (name) => addresses[name] ?? name)),
  );
  const { status, stderr } = ended;
  const screen = stderr.trimEnd().split('\n');
  assert.ok(screen.length <= maxLines, stderr);
  for (const line of screen) assert.ok(displayWidth(line) <= columns, line);
  handle = application();
  // Its lines joined as a shell joins them.
  const next = /^next: {2}([\s\S]*)\n$/m.exec(stderr)?.[1]?.replaceAll(/ \\\n +/g, ' ');
  const started = command.includes('NOBODY')
    ? await serve(Number(new URL(addresses.NOBODY ?? '').port))
    : undefined;
  const again = next === undefined ? undefined : await runOnTerminal(wordsOf(next));
  await started?.close();
  const ending = `exit ${status}, next ${again?.status ?? 'none'}`;
  return withoutAddresses([...outputLines(ended), ending].join('\n'));
}

/** The emulated application with these faults, and with the cipher of a word such as `cipher=aes-256-ecb`. */
function applicationWith(words: readonly string[]) {
  const cipher = words.find((word) => word.startsWith(cipherWord));
  const faults = words.filter((word) => word !== cipher);
  if (cipher === undefined) return application(...faults);
  return applicationOf(parseCipher(cipher.slice(cipherWord.length)), ...faults);
}

function wordsOf(command: string): readonly string[] {
  const [program, ...argv] = splitWords(command);
  assert.equal(program, 'authcli');
  return argv;
}

/** Ports are different in each run, and of the same length. */
function withoutAddresses(text: string): string {
  return text
    .replace(/127\.0\.0\.1:\d{5}/g, '127.0.0.1:PORT0')
    .replace(/\d+ ms\b/g, 'N ms')
    .replace(/sha256:[0-9a-f]{12}/g, 'sha256:FINGERPRINT0')
    .replace(/in \d+(?:\.\d+)? s/g, 'in N s')
    .replace(/seed \w+/g, 'seed S')
    .replaceAll(configFile, 'CONFIG');
}
