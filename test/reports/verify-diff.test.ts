import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainStyle } from '../../src/reports/human.ts';
import { type ComparedCheck, diffLines, diffRuns } from '../../src/reports/verify-diff.ts';

/** `passed` or `failed(CODE)`; undefined where the run has no such check. */
const checks: readonly (readonly [id: string, before?: string, after?: string])[] = [
  ['broke', 'passed', 'failed(timeout)'],
  ['fixed', 'failed(oaep-sha1)', 'passed'],
  ['other', 'failed(oaep-sha1)', 'failed(hex)'],
  ['same', 'failed(hex)', 'failed(hex)'],
  ['warned', 'passed', 'warned(redirect)'],
  ['unjudged', 'failed(hex)', 'skipped'],
  ['gone', 'passed', undefined],
  ['new', undefined, 'passed'],
  ['new-failure', undefined, 'failed(hex)'],
];

function run(which: 1 | 2): readonly ComparedCheck[] {
  return checks.flatMap((row) => {
    const [, status, code] = /^(\w+)(?:\((.*)\))?/.exec(row[which] ?? '') ?? [];
    const check = { id: row[0], title: row[0], status: status ?? '' };
    return status === undefined ? [] : { ...check, ...(code && { diagnosis: { code } }) };
  });
}

describe('diffRuns', () => {
  it('reports what broke, what was fixed, and what else is not as it was', () => {
    assert.deepEqual(diffLines(diffRuns(run(1), run(2)), plainStyle), [
      ...['Broke', '  ✗ broke  passed → failed (timeout)'],
      ...['  ✗ new-failure  not there → failed (hex)', ''],
      ...['Fixed', '  ✓ fixed  failed (oaep-sha1) → passed', ''],
      ...['Changed', '  ! other  failed (oaep-sha1) → failed (hex)'],
      ...['  ! warned  passed → warned (redirect)', '  ! unjudged  failed (hex) → skipped', ''],
      ...['New', '  · new  not there → passed', ''],
      ...['Gone', '  · gone  passed → not there'],
    ]);
  });

  it('finds nothing in the same run', () => {
    assert.deepEqual(diffLines(diffRuns(run(2), run(2)), plainStyle), []);
  });
});
