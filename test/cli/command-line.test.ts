import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findCommand, splitCommandLine } from '../../src/cli/command-line.ts';
import { commands } from '../../src/cli/commands/index.ts';
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

  it('leaves what stands behind -- alone', () => {
    const { words, rest, behind } = split('emulate app --port 0 -- authcli simulate-signup --json');
    assert.deepEqual(words, ['emulate', 'app']);
    assert.deepEqual(rest, ['--port', '0']);
    assert.deepEqual(behind, ['authcli', 'simulate-signup', '--json']);
  });

  const unknown: readonly (readonly [words: string, message: RegExp, hint: RegExp])[] = [
    ['simulate-sigup', /no command "simulate-sigup"/, /Did you mean simulate-signup/],
    ['key genrate', /no command "key genrate"/, /Did you mean key generate/],
    ['key', /key needs a command/, /key generate, key wrap/],
    ['xyzzy', /no command "xyzzy"/, /--help` lists/],
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
