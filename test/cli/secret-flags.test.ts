import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { commands } from '../../src/cli/commands/index.ts';
import { textContent } from '../../src/cli/content.ts';
import type { Flag } from '../../src/cli/options.ts';

const text = '0123456789abcdef0123456789ABCDEF';

/** Flags whose secret is text that a command works with: references may stand for it. */
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
