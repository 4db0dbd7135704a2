import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { textContent } from '../../src/cli/args/input.ts';
import type { Flag } from '../../src/cli/args/options.ts';
import { commands } from '../../src/cli/commands/index.ts';
import { run } from '../support/run.ts';

const text = '0123456789abcdef0123456789ABCDEF';

/** Flags whose secret is text that a command works with: references may replace it. */
const isSecretText = (flag: Flag<unknown>): boolean =>
  flag.secret && flag.references && flag.input === 'text';

describe('the values of secret flags', () => {
  for (const { path, load } of commands) {
    it(`are a type of their own: ${path}`, async () => {
      const { flags } = await load();
      for (const flag of Object.values<Flag<unknown>>(flags).filter(isSecretText)) {
        const value = flag.parse([textContent(text)]);
        assert.equal(inspect(value).includes(text), false, `${path} ${flag.syntax}`);
        assert.equal(JSON.stringify(value).includes(text), false, `${path} ${flag.syntax}`);
      }
    });
  }
});

describe('a secret on the command line', () => {
  for (const line of [
    `--secret-key ${text} signin`,
    `--secret-key ${text} sigin`,
    `--secret-key ${text}`,
    `signin --secret-key part ${text}`,
    `signin --secret-key ${text} --secret-key ${text}`,
    `signin --ptn-token ${text} --bogus`,
    `key inspect part ${text}`,
    `simulate-signup --secret-key ${text}`,
    `simulate-signup --secret-key=${text}`,
    `verify --acs-token=${text} --url http://127.0.0.1:1/`,
  ]) {
    it(`is not echoed: ${line.replaceAll(text, 'S')}`, async () => {
      for (const json of [[], ['--json']]) {
        const argv = [...line.split(' '), ...json];
        const result = await run(argv, { configFile: '/nowhere/config.json' });
        assert.equal(result.status, 2);
        assert.equal(`${result.stdout}${result.stderr}`.includes(text), false);
      }
    });
  }
});
