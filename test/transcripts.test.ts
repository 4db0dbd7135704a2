import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { splitWords } from '../src/cli/args/input.ts';
import { startServer } from '../src/emulator/server.ts';
import { displayWidth } from '../src/reports/human.ts';
import { workspace } from './cli/workspace.ts';
import { application } from './conformance/support.ts';
import type { RunResult } from './support/run.ts';
import { startSide } from './support/side.ts';

/*
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
const transcripts = 'test/transcripts/';

const updating = process.env.UPDATE_TRANSCRIPTS === '1';

/** Tests each stanza of a file, or writes it anew; `faults` is what the line `@` has, in a file of failures. */
function testStanzas(
  file: string,
  outputOf: (command: string, faults: readonly string[]) => Promise<string>,
): void {
  const written: string[] = [];
  after(() => {
    if (updating) writeFileSync(file, `${written.join('\n\n')}\n`);
  });
  for (const stanza of readFileSync(file, 'utf8').split(/\n(?=# )/)) {
    const [, head = '', title = '', faults = '', command, expected] =
      /^(# (.*)\n(?:@(.*)\n)?\$ authcli (.*)\n)([\s\S]*)$/.exec(`${stanza.trimEnd()}\n`) ?? [];
    assert.ok(command !== undefined, `${file}: no "$ authcli COMMAND" below ${stanza}`);
    it(title, async () => {
      const seen = await outputOf(command, faults.split(' ').filter(Boolean));
      written.push(head + seen);
      if (!updating) assert.equal(`${seen}\n`, expected);
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
    const { configFile, cli } = workspace();
    testStanzas(transcripts + file, async (command) => {
      const [line = '', stdin = ''] = command.split(' < ');
      const cwd = process.cwd();
      const result = await cli(splitWords(line), { cwd, stdin: stdin.replaceAll('\\n', '\n') });
      const lines = [...outputLines(result), `exit ${result.status}`];
      return lines.join('\n').replaceAll(configFile, 'CONFIG');
    });
  });
}

/*
 * What each kind of failure prints on a terminal of 80 columns, and that the command it names next can be run.
 *
 *     # a stanza's title
 *     @ faults of the emulated application, which are gone when the next command is run
 *     $ authcli simulate-signup --url APP
 *     standard output, line by line
 *     ! standard error, line by line
 *     exit 1, next 0
 *
 * APP is the emulated application, SERVICE the emulated service, NOBODY a port where nothing listens until the next
 * command is run.
 */
describe('what a failure prints', () => {
  const columns = 80;
  const maxLines = 12;
  const { freshConfig, cli } = workspace();
  const addresses: Record<string, string> = {};
  const env = {
    // No progress lines, which a slow machine would show.
    TERM: 'dumb',
    NO_COLOR: '1',
    PTN_TOKEN: 'a-token-of-tests',
    SECRET: 'a-secret-of-tests',
    KEY: '01234567890123456789012345678901',
  };
  const closing: (() => Promise<unknown>)[] = [];
  after(() => Promise.all(closing.map((close) => close())));
  let handle = application();
  const serve = (port = 0) =>
    startServer({ host: '127.0.0.1', port, handle: (call) => handle(call) });
  const runOnTerminal = (line: string) => cli(splitWords(line), { isTerminal: true, columns, env });

  before(async () => {
    const [app, nobody, service] = [
      await serve(),
      await serve(),
      await startSide(['service'], { configFile: freshConfig() }),
    ];
    closing.push(app.close, service.stop);
    await nobody.close();
    addresses.APP = `${app.url}/callback`;
    addresses.NOBODY = `${nobody.url}/callback`;
    addresses.SERVICE = service.url;
  });

  testStanzas(`${transcripts}failures/failures.txt`, async (command, faults) => {
    handle = application(...faults);
    const line = command.replace(/APP|SERVICE|NOBODY/g, (name) => addresses[name] ?? name);
    const ended = await runOnTerminal(line);
    const screen = ended.stderr.trimEnd().split('\n');
    assert.ok(screen.length <= maxLines, ended.stderr);
    for (const shown of screen) assert.ok(displayWidth(shown) <= columns, shown);
    handle = application();
    // Its lines joined as a shell joins them.
    const [, next] = /^next: {2}authcli ([\s\S]*)\n$/m.exec(ended.stderr) ?? [];
    const started = command.includes('NOBODY')
      ? await serve(Number(new URL(addresses.NOBODY ?? '').port))
      : undefined;
    const again = next && (await runOnTerminal(next.replaceAll(/ \\\n +/g, ' ')));
    await started?.close();
    const ending = `exit ${ended.status}, next ${again ? again.status : 'none'}`;
    return withoutAddresses([...outputLines(ended), ending].join('\n'));
  });
});

/** Ports are different in each run, and of the same length. */
function withoutAddresses(text: string): string {
  return text
    .replace(/127\.0\.0\.1:\d{5}/g, '127.0.0.1:PORT0')
    .replace(/\d+ ms\b/g, 'N ms')
    .replace(/sha256:[0-9a-f]{12}/g, 'sha256:FINGERPRINT0')
    .replace(/in \d+(?:\.\d+)? s/g, 'in N s')
    .replace(/seed \w+/g, 'seed S');
}
