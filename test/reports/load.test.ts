import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LoadResult } from '../../src/load/run.ts';
import { plainLook } from '../../src/reports/failure-text.ts';
import { displayWidth } from '../../src/reports/human.ts';
import { loadHtml, loadLines, perSecond } from '../../src/reports/load.ts';
import { hostileLoad, loadDocument } from '../support/load-sample.ts';

const wide = plainLook();
const certain = { confidence: 'certain', calls: {} } as const;

describe('a load for people', () => {
  const missed = { threshold: 'p99 at most 30 ms', kept: false, observed: '40 ms' };
  const kept = { threshold: 'errors at most 1%', kept: true, observed: '0 of 1000 (0%)' };
  const all = '1000 of 1000 sign-ups succeeded, each key unwrapped and checked';
  const cases: readonly (readonly [Partial<LoadResult>, string, ...(typeof missed)[]])[] = [
    [{}, `✓ ${all}.`],
    [{ failed: 5 }, `✗ ${all.replace('of 1000', 'of 1005')}.`],
    [{ failed: 5 }, `✓ ${all.replace('of 1000', 'of 1005')}.`, kept],
    [{ interrupted: true }, `✗ The run was interrupted: ${all}.`],
    [{ succeeded: 0 }, '✗ 0 of 0 sign-ups succeeded.'],
    [{}, `✗ ${all}; 1 of 2 thresholds missed.`, missed, kept],
  ];
  for (const [changes, verdict, ...thresholds] of cases) {
    it(`ends with ${verdict}`, () => {
      assert.equal(loadLines(loadDocument(changes, { thresholds }), wide).at(-1), verdict);
    });
  }

  it('gives the fix of each failure but the one that is printed below', () => {
    const error = { ...certain, count: 1, message: 'M.' };
    const document = loadDocument({
      errors: [
        { ...error, code: 'timeout', hint: 'Raise it.' },
        { ...error, code: 'refused', hint: 'Start it.' },
      ],
    });
    const lines = loadLines(document, wide, 'timeout');
    assert.deepEqual(
      lines.filter((line) => /M\.|it\./.test(line)),
      ['  ✗ 1 × timeout: M.', '  ✗ 1 × refused: M.', '    Start it.'],
    );
  });

  it('names thresholds, kept and missed', () => {
    const document = loadDocument({}, { thresholds: [missed, kept] });
    const text = loadLines(document, wide).join('\n');
    assert.match(text, /✗ p99 at most 30 ms: 40 ms\n {2}✓ errors at most 1%: 0 of 1000/);
    assert.match(loadHtml(document), /p99 at most 30 ms: missed/);
  });

  it('shows each latency below the other where a table does not fit', () => {
    const shown = (width: number) => loadLines(loadDocument(), { ...wide, width });
    assert.match(shown(100).join('\n'), /latency +p50 +p90 +p99 +max\n/);
    const narrow = shown(40);
    assert.match(narrow.join('\n'), /\n {2}whole sign-up\n {4}p50 +[\d.]+ ms\n {4}p90 /);
    for (const line of narrow.slice(1, -1)) assert.ok(displayWidth(line) <= 40, line);
  });

  it('says a rate in digits that mean something', () => {
    const rates = [567.836, 100, 98.765, 0.0512, 0];
    const shown = rates.map((rate) => perSecond({ signups_per_second: rate }));
    assert.deepEqual(shown, ['568', '100', '98.8', '0.0512', '0']);
  });

  it('keeps text of the other side text', () => {
    assert.doesNotMatch(loadLines(hostileLoad(), wide).join(''), /\p{Cc}/u);
  });
});
