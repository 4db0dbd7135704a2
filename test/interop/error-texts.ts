import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import { recogniseErrorText } from '../../src/diagnosis/error-text.ts';
import type { Stack } from '../../src/errors.ts';

/**
 * Runs a program that makes mistakes for real and prints "situation, tab, error text" for each, and tests
 * that each text is recognised. Libraries of OpenSSL don't tell their stack.
 */
export function describeErrorTexts(
  stack: Stack,
  command: string,
  args: readonly string[],
  least: number,
) {
  describe(`Error texts of ${command}`, () => {
    let made: readonly (readonly string[])[] = [];
    before(() => {
      const { stdout, stderr, status } = spawnSync(command, args, {
        encoding: 'utf8',
        env: { ...process.env, GO111MODULE: 'off' },
      });
      assert.equal(status, 0, stderr);
      made = stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t'));
    });

    it(`are recognised as what they mean, ${least} or more`, () => {
      const seen = made.map(([situation = '', text = '']) => {
        const found = recogniseErrorText(text);
        return `${found?.situation} ${text}` === `${situation} ${text}`
          ? ''
          : `${situation}: ${text} is recognised as ${found?.situation} (${found?.text})`;
      });
      assert.deepEqual(
        seen.filter((line) => line !== ''),
        [],
      );
      assert.ok(made.length >= least, `${made.length} texts`);
    });

    it(`name ${stack}, where they name a stack`, () => {
      const others = made
        .map(([, text = '']) => [text, recogniseErrorText(text)?.stack] as const)
        .filter(([, named]) => named !== undefined && named !== stack);
      assert.deepEqual(others, []);
    });
  });
}
