import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainStyle } from '../../src/reports/human.ts';
import { type ComparedCheck, diffLines, diffRuns } from '../../src/reports/verify-diff.ts';

function check(id: string, status: string, code?: string): ComparedCheck {
  return { id, title: id, status, ...(code && { diagnosis: { code } }) };
}

const before = [
  check('a/broke', 'passed'),
  check('a/fixed', 'failed', 'oaep-sha1'),
  check('a/other', 'failed', 'oaep-sha1'),
  check('a/same', 'failed', 'hex'),
  check('a/warned', 'passed'),
  check('a/unjudged', 'failed', 'hex'),
  check('a/gone', 'passed'),
];
const after = [
  check('a/broke', 'failed', 'timeout'),
  check('a/fixed', 'passed'),
  check('a/other', 'failed', 'hex'),
  check('a/same', 'failed', 'hex'),
  check('a/warned', 'warned', 'redirect'),
  check('a/unjudged', 'skipped'),
  check('a/new', 'passed'),
  check('a/new-failure', 'failed', 'hex'),
];

describe('diffRuns', () => {
  const diff = diffRuns(before, after);
  const ids = (changes: readonly { readonly id: string }[]) => changes.map(({ id }) => id);

  it('reports what broke, what was fixed, and what else is not as it was', () => {
    assert.deepEqual(ids(diff.broke), ['a/broke', 'a/new-failure']);
    assert.deepEqual(ids(diff.fixed), ['a/fixed']);
    assert.deepEqual(ids(diff.changed), ['a/other', 'a/warned', 'a/unjudged']);
    assert.deepEqual(ids(diff.added), ['a/new']);
    assert.deepEqual(ids(diff.removed), ['a/gone']);
  });

  it('shows it', () => {
    const lines = diffLines(diff, plainStyle);
    assert.ok(lines.includes('  ✗ a/broke  passed → failed (timeout)'));
    assert.ok(lines.includes('  · a/gone  passed → not there'));
    assert.deepEqual(diffLines(diffRuns(after, after), plainStyle), [
      'No check has a different result.',
    ]);
  });
});
