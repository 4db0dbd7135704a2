import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readReportedError } from '../../src/diagnosis/stack-trace.ts';

const logs = readFileSync('fixtures/stack-traces.txt', 'utf8').split(/^=== /m).slice(1);
const ifAny = (text: string | undefined) => (text === '-' ? undefined : text);

describe('readReportedError', () => {
  for (const log of logs) {
    const [title = '', ...lines] = log.trimEnd().split('\n');
    const [stack, source, words] = title.split(' | ');
    it(`finds ${words} at ${source} (${stack})`, () => {
      const error = readReportedError(lines);
      assert.ok((error?.words[0] ?? '').includes(ifAny(words) ?? ''));
      // What is handed on is read in the same way.
      if (error)
        assert.equal(readReportedError(error.words[0]?.split('\n') ?? [])?.source, error.source);
      assert.equal(error?.words.length === undefined, words === '-');
      assert.deepEqual([error?.source, error?.stack], [ifAny(source), ifAny(stack)]);
      assert.ok((error?.lines.length ?? 0) <= 12);
      assert.doesNotMatch(
        error?.lines.join('\n') ?? '',
        /node_modules|site-packages|vendor\/laravel/,
      );
    });
  }
});
