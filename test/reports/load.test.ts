import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LoadResult } from '../../src/load/result.ts';
import { plainStyle } from '../../src/reports/human.ts';
import { toLoadDocument } from '../../src/reports/load-document.ts';
import { loadHtml } from '../../src/reports/load-html.ts';
import { loadLines } from '../../src/reports/load-human.ts';
import { hostileLoad, loadDocument, loadResult } from '../support/load-sample.ts';

describe('the document of a load', () => {
  it('has the fields that scripts read', () => {
    const { attempted, succeeded, failed, signups_per_second, latency_ms, errors } = loadDocument({
      succeeded: 990,
      failed: 10,
      errors: [{ code: 'timeout', count: 10, message: 'No answer.', hint: '' }],
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
      assert.match(loadLines(document, plainStyle).at(-1) ?? '', verdict);
      assert.match(loadHtml(document), /<h1>/);
    });
  }

  it('names thresholds, kept and missed', () => {
    const thresholds = [
      { threshold: 'p99 at most 30 ms', kept: false, observed: '40 ms' },
      { threshold: 'errors at most 1%', kept: true, observed: '0 of 1000 (0%)' },
    ];
    const document = loadDocument({}, { thresholds });
    const text = loadLines(document, plainStyle).join('\n');
    assert.match(text, /✗ p99 at most 30 ms: 40 ms/);
    assert.match(text, /✓ errors at most 1%: 0 of 1000/);
    assert.match(text, /1 of 2 thresholds missed\.$/);
    assert.match(loadHtml(document), /p99 at most 30 ms: missed/);
  });

  it('keeps text of the other side text', () => {
    const page = loadHtml(hostileLoad());
    assert.doesNotMatch(page, /<script|<img|\p{Cc}(?<!\n)/u);
    assert.match(page, /&lt;script&gt;/);
    assert.doesNotMatch(loadLines(hostileLoad(), plainStyle).join(''), /\p{Cc}/u);
  });
});
