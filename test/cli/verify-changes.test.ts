import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DiagnosisCode } from '../../src/errors.ts';
import { plainStyle } from '../../src/reports/human.ts';
import {
  changeLines,
  changeSummary,
  compareRun,
  nothingReported,
  type Observation,
} from '../../src/reports/monitor.ts';

const day = 86_400_000;

const statuses: Readonly<Record<string, string>> = { '+': 'passed', '-': 'failed', '~': 'warned' };

/** `+a -b(code)`: a passed, b failed; `!code`: no response came. */
function seen(text: string, extra: Partial<Observation> = {}): Observation {
  const code = /^!(.*)/.exec(text)?.[1] as DiagnosisCode | undefined;
  const unreachable = code && { code, message: `it said ${code}`, hint: 'Start it.' };
  const checks = [...text.matchAll(/([+~-])(\w+)(?:\((\w+)\))?/g)].map(
    ([, sign = '', id = '', code]) => ({
      id,
      title: `must ${id}`,
      status: statuses[sign] ?? '',
      ...(code && { diagnosis: { code, message: `it was ${code}` } }),
      ...(sign === '-' && { fix: `Fix ${id}.` }),
    }),
  );
  const started_at = new Date(0).toISOString();
  return { target: 'app', started_at, checks, unreachable, ...extra };
}

/** What is reported of each run, all handed on. */
function told(runs: readonly (string | Observation)[]): readonly string[] {
  let reported = nothingReported;
  return runs.map((run) => {
    const { change, next } = compareRun(reported, typeof run === 'string' ? seen(run) : run);
    reported = next;
    return change === undefined ? '' : changeSummary(change);
  });
}

describe('what counts as a change', () => {
  it('is another status or diagnosis of a check, reported once', () => {
    const [broke, changed, fixed] = ['1 check broke', '1 check changed', '1 check fixed'];
    const runs = ['+a+b', '+a+b', '+a-b(x)', '+a-b(x)', '+a-b(y)', '+a+b', '+a~b'];
    assert.deepEqual(told(runs), ['', '', broke, '', changed, fixed, changed]);
  });

  it('is what fails in the first run, not what passes', () => {
    assert.deepEqual(told(['+a-b']), ['1 check broke']);
  });

  it('is an endpoint that is not reached, whose checks are compared with those before', () => {
    const [down, again] = ['endpoint unreachable (refused)', 'endpoint reachable again'];
    assert.deepEqual(told(['!refused', '+a-b']), [down, `${again} (was refused), 1 check broke`]);
    assert.deepEqual(told(['+a+b', '!refused', '!refused', '!timeout', '+a-b']), [
      ...['', down, '', 'endpoint still unreachable (timeout, was refused)'],
      `${again} (was timeout), 1 check broke`,
    ]);
  });

  it('is a check that is new or gone', () => {
    assert.deepEqual(told(['+a', '+a+b', '+b']), ['', '1 check new', '1 check gone']);
  });
});

describe('a certificate', () => {
  const certificate = (days: number) => {
    const valid_to = new Date(days * day).toISOString();
    return { subject: 'app.test', issuer: 'CA', valid_to };
  };

  it('is reported at 30, 14, 7, 3, 1 and 0 days, and once it has expired', () => {
    const runs = [40, 31, 30, 29, 20, 14, 8, 7, 2, 1, 0, -1, -5].map((left) =>
      seen('+a', {
        started_at: new Date((100 - left) * day).toISOString(),
        certificate: certificate(100),
      }),
    );
    const found = told(runs).map((text) => /(-?\d+) days?\b|expired/.exec(text)?.[0] ?? '');
    const expected = ',,30 days,,,14 days,,7 days,2 days,1 day,0 days,expired,';
    assert.deepEqual(found, expected.split(','));
  });

  it('is reported where it was replaced, and not while nothing reads it', () => {
    const usual = seen('+a', { certificate: certificate(100) });
    const replaced = seen('+a', { certificate: certificate(200) });
    assert.deepEqual(told([usual, '!refused', usual, replaced]).slice(2), [
      'endpoint reachable again (was refused)',
      'certificate replaced: it expires in 200 days (1970-07-20), the one before until 1970-04-11',
    ]);
  });
});

describe('a change for people', () => {
  it('names what changed, and forges nothing', () => {
    const { next } = compareRun(nothingReported, seen('+a+b'));
    const { change } = compareRun(next, seen('!refused'));
    assert.ok(change);
    assert.deepEqual(changeLines(change, plainStyle), ['  ✗ endpoint unreachable (refused)']);
    const forged = { ...change, endpoint: { before: null, after: 'x\u001b[2J' } };
    assert.ok(!changeLines(forged, plainStyle).join('').includes('\u001b'));
  });

  it('is one line with each cause once, and the cause and fix of the first', () => {
    const before = compareRun(nothingReported, seen('+a+b+c+d+e+f+g')).next;
    const many = 'a, b, c and 1 more: Connection refused. e: must e. f: must f. And 1 other cause.';
    for (const [run, ...expected] of [
      ['!x', 'it said x', 'Start it.', 'endpoint unreachable (x). x.'],
      ['-a(refused)-b(refused)-c(refused)-d(refused)-e-f-g', 'it was refused', 'Fix a.', many],
    ] as const) {
      const { cause, fix, text } = compareRun(before, seen(run)).change ?? {};
      assert.deepEqual([cause, fix, text?.replace(/^app: (7 checks broke. )?/, '')], expected);
    }
  });
});
