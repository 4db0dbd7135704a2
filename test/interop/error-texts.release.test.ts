import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { notInstalled } from '../../scripts/test/programs.ts';
import { recogniseErrorText } from '../../src/diagnosis/error-text.ts';

/* Programs that make mistakes for real, and print "situation, tab, error text" for each. */
const programs = [
  ['node', process.execPath, 'node/error-texts.mjs'],
  ['python', 'python3', 'python/error_texts.py'],
  ['java', 'java', 'java/ErrorTexts.java'],
  ['php', 'php', 'php/error_texts.php'],
  ['go', 'go', 'run', 'go/error_texts.go'],
] as const;

for (const [stack, command, ...args] of programs) {
  describe(`the error texts of ${stack}`, { skip: notInstalled(stack) }, () => {
    it('are recognised as what they mean, and as those of their stack if of one', () => {
      const options = {
        cwd: 'test/interop',
        encoding: 'utf8',
        env: { ...process.env, GO111MODULE: 'off' },
      } as const;
      const { stdout, stderr, status } = spawnSync(command, args, options);
      assert.equal(status, 0, stderr);
      const made = stdout.trim().split('\n');
      assert.ok(made.length > 20, `${made.length} texts`);
      for (const line of made) {
        const [situation, text = ''] = line.split('\t');
        const found = recogniseErrorText(text);
        assert.equal(found?.situation, situation, text);
        // Libraries of OpenSSL don't tell their stack.
        assert.equal(found?.stack ?? stack, stack, text);
      }
    });
  });
}
