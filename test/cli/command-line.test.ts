import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { findCommand, parseFlags, splitCommandLine } from '../../src/cli/args/command-line.ts';
import { globalFlags } from '../../src/cli/args/global-flags.ts';
import type { Flags } from '../../src/cli/args/options.ts';
import { repeatLine } from '../../src/cli/args/repeat-line.ts';
import { commands } from '../../src/cli/commands/index.ts';
import { keyInspect } from '../../src/cli/commands/key-inspect.ts';
import { relay } from '../../src/cli/commands/relay.ts';
import { signin } from '../../src/cli/commands/signin.ts';
import { verify } from '../../src/cli/commands/verify.ts';
import { AuthcliError } from '../../src/errors.ts';

const split = (line: string) => splitCommandLine(line.split(' '), commands);

describe('the command line', () => {
  const cases: readonly (readonly [line: string, words: string, rest: string])[] = [
    ['key generate --json', 'key generate', '--json'],
    ['--json key generate', 'key generate', '--json'],
    ['key --json generate', 'key generate', '--json'],
    [
      '--config x.json key --profile a generate --alphabet 01',
      'key generate',
      '--config x.json --profile a --alphabet 01',
    ],
    ['--config=x.json demo', 'demo', '--config=x.json'],
    ['config profile list', 'config profile list', ''],
    ['config set url http://x', 'config set', 'url http://x'],
    ['decrypt key generate', 'decrypt', 'key generate'],
    ['signin --ptn-token token', 'signin', '--ptn-token token'],
    ['--secret-key S signin', 'signin', '--secret-key S'],
    ['--secret-key=S signin', 'signin', '--secret-key=S'],
    ['--secret-key S --json key generate', 'key generate', '--secret-key S --json'],
    ['--secret-key S sigin', 'sigin', '--secret-key S'],
    ['--strict verify', 'verify', '--strict'],
    ['decrypt -', 'decrypt', '-'],
    ['nonsense at all', 'nonsense', 'at all'],
    ['key nonsense x', 'key nonsense', 'x'],
  ];
  for (const [line, words, rest] of cases) {
    it(`finds "${words}" in "${line}"`, () => {
      const found = split(line);
      assert.equal(found.words.join(' '), words);
      assert.equal(found.rest.join(' '), rest);
    });
  }

  it('leaves what is behind -- alone', () => {
    const { words, rest, behind } = split('emulate app --port 0 -- authcli simulate-signup --json');
    assert.deepEqual(words, ['emulate', 'app']);
    assert.deepEqual(rest, ['--port', '0']);
    assert.deepEqual(behind, ['authcli', 'simulate-signup', '--json']);
  });

  const unknown: readonly (readonly [words: string, message: RegExp, hint: RegExp])[] = [
    ['simulate-sigup', /Unknown command "simulate-sigup"/, /Did you mean "simulate-signup"/],
    ['key genrate', /Unknown command "key genrate"/, /Did you mean "key generate"/],
    ['key', /key needs a command/, /key generate, key wrap/],
    ['xyzzy', /Unknown command "xyzzy"/, /--help` lists/],
  ];
  for (const [words, message, hint] of unknown) {
    it(`says what is near "${words}"`, () => {
      assert.throws(
        () => findCommand(words.split(' '), commands),
        (error: unknown) =>
          error instanceof AuthcliError &&
          error.code === 'usage' &&
          message.test(error.message) &&
          hint.test(error.hint),
      );
    });
  }
});

describe('a wrong command line', () => {
  const refuses = (flags: Flags, line: string, message: string) =>
    it(`is refused: ${line}`, () =>
      assert.throws(
        () => parseFlags('command', { ...flags, ...globalFlags }, line.split(' ')),
        (error) => error instanceof AuthcliError && error.message.startsWith(message),
      ));

  refuses(verify.flags, '--url --client-id c', '--url needs a value: ');
  refuses(verify.flags, '--url --client-id=c', '--url needs a value: ');
  refuses(verify.flags, '--strict --url', '--url needs a value: ');
  refuses(signin.flags, '--ptn-token --auth-url U', '--ptn-token needs a value: ');
  refuses(signin.flags, '--auth-url U extra words', 'Unexpected word "extra".');
  refuses(
    signin.flags,
    '--secret-key two words',
    'Unexpected word after the value of --secret-key',
  );
  refuses(keyInspect.flags, 'one two', 'Unexpected word after the value of <text>');
  refuses(verify.flags, '--strickt word', 'Unknown option');

  it('suggests no other option for one of the commands that send requests', () => {
    assert.throws(
      () => parseFlags('relay', { ...relay.flags, ...globalFlags }, ['--retry', '2']),
      (error) =>
        error instanceof AuthcliError &&
        error.message === "Unknown option '--retry'." &&
        error.hint.startsWith("relay doesn't take --retry, which is for commands that send") &&
        error.data.suggestedOption === undefined,
    );
  });

  it('is not one where a value only looks like an option', () => {
    const given = (flags: Flags, line: string) => parseFlags('command', flags, line.split(' '));
    assert.deepEqual(given(signin.flags, '--ptn-token -').get('ptnToken'), ['-']);
    assert.deepEqual(given(signin.flags, '--ptn-token --abc').get('ptnToken'), ['--abc']);
    assert.deepEqual(given(signin.flags, '--ptn-token=--auth-url').get('ptnToken'), ['--auth-url']);
  });
});

describe('an option that is given twice', () => {
  const flags = { ...verify.flags, ...globalFlags };
  const parse = (...argv: string[]) => parseFlags('verify', flags, argv);
  const refuses = (argv: readonly string[], message: RegExp) =>
    assert.throws(
      () => parse(...argv),
      (error) =>
        error instanceof AuthcliError && error.code === 'usage' && message.test(error.message),
    );

  it('is refused unless it can be repeated, without its values', () => {
    refuses(['--url', 'http://a', '--url', 'http://b'], /^--url was given twice\.$/);
    refuses(['--url=http://a', '--url', 'http://a'], /^--url was given twice\.$/);
    refuses(['--profile', 'a', '--profile=b', '--profile', 'c'], /^--profile was given 3 times\.$/);
  });

  it('is taken where it can be repeated, and where it is a switch', () => {
    const given = parse('--check', 'a', '--check', 'b', '--strict', '--strict');
    assert.deepEqual(given.get('check'), ['a', 'b']);
    assert.ok(given.has('strict'));
  });
});

describe('a command line to repeat', () => {
  const repeated = (...argv: string[]) =>
    repeatLine(
      {
        path: 'verify',
        line: splitCommandLine(['verify', ...argv], commands),
        flags: { ...verify.flags, ...globalFlags },
        program: 'authcli',
        supplied: new Map(),
      },
      { add: [['--check', 'a/b']], without: ['--skip'] },
    );

  const cases: readonly (readonly [argv: readonly string[], line: string])[] = [
    [['--url', 'http://h/?a=b&c'], "--url 'http://h/?a=b&c'"],
    [['--url=http://h/x', '--strict'], '--url http://h/x --strict'],
    [['--check', 'x', '--skip=y', '--cipher', 'aes-128-cbc'], '--cipher aes-128-cbc'],
    [['--json', '--report', 'html=x', '--verbose', '--profile', 'p'], '--profile p'],
    [['--secret-key', 'bare', '--secret-key', 'env:NAME'], '--secret-key env:NAME'],
    [['--header', 'X-Key: bare', '--header', 'X-Key: env:K'], "--header 'X-Key: env:K'"],
    [['--proxy', 'http://u:p@h:1', '--insecure'], '--insecure'],
    [['--signin', '--', 'sh', '-c', 'a b'], "--signin -- sh -c 'a b'"],
  ];
  for (const [argv, line] of cases) {
    it(`is what was typed, without secrets: ${argv.join(' ')}`, () => {
      assert.equal(repeated(...argv), `authcli verify --check a/b ${line}`);
    });
  }

  it('reads a secret from standard input that is required and in no profile', () => {
    const line = splitCommandLine(['signin', '--ptn-token', 'bare', '--ptn-cd', 'a'], commands);
    const flags = { ...signin.flags, ...globalFlags };
    const typed = { path: 'signin', line, flags, program: 'authcli', supplied: new Map() };
    assert.equal(repeatLine(typed), 'authcli signin --ptn-token - --ptn-cd a');
  });

  const hostile = [
    `a"b`,
    "a'b",
    'a\\b\\',
    'a\nb',
    'a\r\n--url=x',
    '$(id)`id`!',
    '--secret-key',
    ' ',
  ];
  for (const value of hostile) {
    it(`leaves a secret out and gives a shell the same words: ${JSON.stringify(value)}`, () => {
      const secret = `Kx7${value}Kx7`;
      const line = repeated(
        ...['--secret-key', secret, `--super-passcode=${secret}`, '--key', secret],
        ...['--header', `X-Key: ${secret}`, '--proxy', `http://u:${secret}@h:1`],
        ...['--seed', value, '--signin', '--', 'sign', value],
      );
      assert.ok(!line.includes('Kx7'), line);
      const printing = `authcli() { printf '%s\\0' "$@"; }\n${line}`;
      const words = execFileSync('sh', ['-c', printing], { encoding: 'utf8' }).split('\0');
      const options = ['--check', 'a/b', '--seed', value, '--signin'];
      assert.deepEqual(words, ['verify', ...options, '--', 'sign', value, '']);
    });
  }
});
