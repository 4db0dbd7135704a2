import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LoadResult } from '../../src/load/result.ts';
import { displayWidth, plainStyle } from '../../src/reports/human.ts';
import { toLoadDocument } from '../../src/reports/load-document.ts';
import { loadHtml } from '../../src/reports/load-html.ts';
import { loadLines, perSecond } from '../../src/reports/load-human.ts';
import { hostileLoad, loadDocument, loadResult } from '../support/load-sample.ts';

const wide = { style: plainStyle, width: Number.POSITIVE_INFINITY };

describe('the document of a load', () => {
  it('has the fields that scripts read', () => {
    const { attempted, succeeded, failed, signups_per_second, latency_ms, errors } = loadDocument({
      succeeded: 990,
      failed: 10,
      errors: [{ code: 'timeout', count: 10, message: 'No answer.', hint: '', calls: {} }],
    });
    assert.deepEqual([attempted, succeeded, failed, signups_per_second], [1000, 990, 10, 100]);
    assert.deepEqual(errors, { timeout: 10 });
    const { p50, p90, p99, max } = latency_ms;
    assert.deepEqual([p50, p90, p99, max], [20, 30, 40, 50]);
  });

  it('leaves CPU time out where it isn’t known', () => {
    const facts = { version: '1', url: 'http://x/', pace: '', thresholds: [], notes: [] };
    assert.ok(!('cpu_ms' in toLoadDocument(loadResult(), facts)));
  });
});

const cases: readonly (readonly [string, Partial<LoadResult>, RegExp])[] = [
  [
    'one that went well',
    {},
    /✓ 1000 of 1000 sign-ups succeeded, each key unwrapped and checked\.$/,
  ],
  ['sign-ins', { scenario: 'signin' }, /✓ 1000 of 1000 sign-ins succeeded\.$/],
  ['one with failures', { failed: 5 }, /✗ 1000 of 1005 sign-ups succeeded/],
  ['an interrupted one', { interrupted: true }, /✗ The run was interrupted: 1000 of 1000/],
  ['one of nothing', { succeeded: 0 }, /✗ 0 of 0 sign-ups succeeded\.$/],
];

describe('a load for people', () => {
  for (const [name, changes, verdict] of cases) {
    it(`ends with the verdict on ${name}`, () => {
      const document = loadDocument(changes);
      assert.match(loadLines(document, wide).at(-1) ?? '', verdict);
    });
  }

  it('gives the fix of each failure but the one that is printed below', () => {
    const error = { count: 1, message: 'M.', calls: {} };
    const document = loadDocument({
      errors: [
        { ...error, code: 'timeout', hint: 'Raise it.' },
        { ...error, code: 'refused', hint: 'Start it.' },
      ],
    });
    const lines = loadLines(document, { ...wide, fixedBelow: 'timeout' });
    assert.deepEqual(
      lines.filter((line) => /M\.|it\./.test(line)),
      ['  ✗ 1 × timeout: M.', '  ✗ 1 × refused: M.', '    Start it.'],
    );
  });

  it('names thresholds, kept and missed', () => {
    const thresholds = [
      { threshold: 'p99 at most 30 ms', kept: false, observed: '40 ms' },
      { threshold: 'errors at most 1%', kept: true, observed: '0 of 1000 (0%)' },
    ];
    const document = loadDocument({}, { thresholds });
    const text = loadLines(document, wide).join('\n');
    assert.match(text, /✗ p99 at most 30 ms: 40 ms/);
    assert.match(text, /✓ errors at most 1%: 0 of 1000/);
    assert.match(text, /1 of 2 thresholds missed\.$/);
    assert.match(loadHtml(document), /p99 at most 30 ms: missed/);
  });

  it('shows each latency below the other where a table does not fit', () => {
    const document = loadDocument();
    const table = loadLines(document, wide).join('\n');
    assert.match(table, /latency +p50 +p90 +p99 +p99\.9 +max\n/);
    const narrow = loadLines(document, { style: plainStyle, width: 40 });
    assert.match(
      narrow.join('\n'),
      /\n {2}whole sign-up\n {4}p50 +[\d.]+ ms\n {4}p90 +[\d.]+ ms\n/,
    );
    for (const line of narrow.slice(1, -1)) assert.ok(displayWidth(line) <= 40, line);
  });

  it('says a rate in digits that mean something', () => {
    for (const [rate, shown] of [
      [567.836, '568'],
      [98.765, '98.8'],
      [0.0512, '0.0512'],
      [0, '0'],
    ] as const)
      assert.equal(perSecond({ ...loadDocument(), signups_per_second: rate }), shown);
  });

  it('keeps text of the other side text', () => {
    assert.doesNotMatch(loadLines(hostileLoad(), wide).join(''), /\p{Cc}/u);
  });
});
