import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  isKnownFailure,
  judgeBaseline,
  type KnownFailure,
  readBaseline,
  updateBaseline,
  writeBaseline,
} from '../../src/conformance/baseline.ts';
import { checks as catalogue } from '../../src/conformance/catalogue.ts';
import type { CheckResult, Status } from '../../src/conformance/result.ts';

const today = '2027-01-15';

function result(id: string, status: Status): CheckResult {
  const check = catalogue.find((candidate) => candidate.id === id);
  assert.ok(check);
  const isTroubled = status === 'failed' || status === 'warned';
  const diagnosis = { code: 'oaep-sha1', message: '', hint: '', calls: {} } as const;
  const fault = isTroubled ? { expected: 'a', observed: 'b', fix: 'c', diagnosis } : undefined;
  return { check, status, startedAt: 0, durationMs: 0, exchanges: [], notes: [], fault };
}

const results = [
  result('key-exchange/wraps-key', 'failed'),
  result('key-exchange/key-sizes', 'warned'),
  result('key-exchange/key-length', 'passed'),
  result('registration/latest-key', 'skipped'),
];

const entry = (check: string, until?: string): KnownFailure => ({
  check,
  reason: 'a reason',
  ...(until && { until }),
});
const names = (entries: readonly KnownFailure[]) => entries.map(({ check }) => check);

describe('judgeBaseline', () => {
  for (const { title, baseline, known, stale = [], expired = [] } of [
    {
      title: 'an id',
      baseline: [entry('key-exchange/wraps-key')],
      known: ['key-exchange/wraps-key'],
    },
    {
      title: 'a glob',
      baseline: [entry('key-exchange/*')],
      known: ['key-exchange/wraps-key', 'key-exchange/key-sizes'],
    },
    {
      title: 'a check that passes',
      baseline: [entry('key-exchange/key-length')],
      known: [],
      stale: ['key-exchange/key-length'],
    },
    { title: 'a check that was skipped', baseline: [entry('registration/latest-key')], known: [] },
    { title: 'a check that did not run', baseline: [entry('protocol/tls')], known: [] },
    { title: 'a warning', baseline: [entry('*/key-sizes')], known: ['key-exchange/key-sizes'] },
    {
      title: 'the last day',
      baseline: [entry('*/wraps-key', today)],
      known: ['key-exchange/wraps-key'],
    },
    {
      title: 'a day that is over',
      baseline: [entry('*/wraps-key', '2027-01-14')],
      known: [],
      expired: ['*/wraps-key'],
    },
  ] as const) {
    it(`takes ${title}`, () => {
      const judgement = judgeBaseline(results, baseline, today);
      assert.deepEqual([...judgement.known.keys()], known);
      assert.deepEqual(names(judgement.stale), stale);
      assert.deepEqual(names(judgement.expired), expired);
    });
  }

  it('is asked of one check before the others have run', () => {
    const [wrapsKey] = results;
    assert.ok(wrapsKey);
    assert.equal(isKnownFailure(wrapsKey.check, [entry('key-exchange/wr*')], today), true);
    assert.equal(
      isKnownFailure(wrapsKey.check, [entry('key-exchange/wr*', '2020-01-01')], today),
      false,
    );
  });
});

describe('updateBaseline', () => {
  it('keeps reasons, adds what is new with what was found, and drops what is stale', () => {
    const before = [
      entry('key-exchange/key-length'),
      entry('protocol/tls'),
      entry('*/wraps-key', '2020-01-01'),
    ];
    assert.deepEqual(updateBaseline(results, before, today), [
      entry('protocol/tls'),
      entry('*/wraps-key', '2020-01-01'),
    ]);
    assert.deepEqual(updateBaseline(results, [], today), [
      { check: 'key-exchange/wraps-key', reason: 'Found on 2027-01-15: oaep-sha1' },
    ]);
    assert.deepEqual(updateBaseline(results, [entry('key-exchange/*')], today), [
      entry('key-exchange/*'),
    ]);
  });
});

describe('the file of known failures', () => {
  const read = (value: unknown) =>
    readBaseline(typeof value === 'string' ? value : JSON.stringify(value), catalogue);
  const list = (...entries: readonly unknown[]) => ({
    schema: 'authcli/expect/1',
    known_failures: entries,
  });

  it('is read as it is written', () => {
    const baseline = [entry('key-exchange/*'), entry('protocol/tls', '2027-12-31')];
    assert.deepEqual(read(writeBaseline(baseline)), baseline);
  });

  for (const [title, value, message] of [
    ['no JSON', 'key-exchange/*', 'is not a JSON object'],
    ['another schema', { schema: 'x', known_failures: [] }, 'has no "schema": "authcli/expect/1"'],
    ['no list', { schema: 'authcli/expect/1' }, 'has no list "known_failures"'],
    ['an entry that is a text', list('protocol/tls'), 'has an entry 1 that is not an object'],
    ['no reason', list({ check: 'protocol/tls' }), 'has no "reason" in entry 1'],
    ['an empty reason', list({ check: 'protocol/tls', reason: ' ' }), 'has no "reason" in entry 1'],
    ['no check', list({ reason: 'x' }), 'has no "check" in entry 1'],
    [
      'an unknown field',
      list({ check: 'protocol/tls', reasn: 'x' }),
      'has the unknown field "reasn" in entry 1',
    ],
    [
      'a day that is none',
      list({ check: 'protocol/tls', reason: 'x', until: '2027-02-30' }),
      'has an "until" in entry 1 that is not a date such as 2027-01-31',
    ],
    [
      'a time',
      list({ check: 'protocol/tls', reason: 'x', until: 'tomorrow' }),
      'has an "until" in entry 1 that is not a date such as 2027-01-31',
    ],
  ] as const) {
    it(`refuses ${title}`, () => {
      assert.throws(() => read(value), {
        code: 'usage',
        message: `The file of known failures ${message}.`,
      });
    });
  }

  it('refuses a pattern that matches no check', () => {
    assert.throws(() => read(list({ check: 'protocol/tsl', reason: 'x' })), {
      code: 'usage',
      message: 'No check matches "protocol/tsl".',
      hint: 'Did you mean "protocol/tls"?',
    });
  });
});
