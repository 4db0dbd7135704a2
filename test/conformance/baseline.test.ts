import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  judgeBaseline,
  readBaseline,
  updateBaseline,
  writeBaseline,
} from '../../src/conformance/baseline.ts';
import { checks as catalogue } from '../../src/conformance/catalogue.ts';
import type { KnownFailure } from '../../src/conformance/document.ts';
import type { CheckResult, Status } from '../../src/conformance/result.ts';
import { diagnose } from '../../src/diagnosis/catalogue.ts';

const today = '2027-01-15';

function result(id: string, status: Status): CheckResult {
  const check = catalogue.find((candidate) => candidate.id === id);
  assert.ok(check);
  const isTroubled = status === 'failed' || status === 'warned';
  const diagnosis = diagnose('oaep-sha1', '');
  const fault = isTroubled ? { expected: 'a', observed: 'b', fix: 'c', diagnosis } : undefined;
  return { check, status, startedAt: 0, durationMs: 0, exchanges: [], notes: [], fault };
}

const wrapsKey = 'key-exchange/wraps-key';
const keySizes = 'key-exchange/key-sizes';
const keyLength = 'key-exchange/key-length';
const untested = ['protocol/exact-user-code', 'protocol/concurrent-signups'] as const;

const results = [
  result(wrapsKey, 'failed'),
  result(keySizes, 'warned'),
  result(keyLength, 'passed'),
  result('registration/latest-key', 'skipped'),
  result('protocol/exact-user-code', 'incomplete'),
  { ...result('protocol/concurrent-signups', 'incomplete'), lacks: 'protocol/exact-user-code' },
];

const entry = (check: string, until?: string): KnownFailure => {
  return { check, reason: 'a reason', ...(until && { until }) };
};

describe('judgeBaseline', () => {
  const [none, over] = [[] as const, entry('*/wraps-key', '2027-01-14')];
  for (const [title, given, known, stale, expired] of [
    ['an id', entry(wrapsKey), [wrapsKey], none, none],
    ['a glob', entry('key-exchange/*'), [wrapsKey, keySizes], none, none],
    ['a warning', entry('*/key-sizes'), [keySizes], none, none],
    ['what was not tested, and why', entry(untested[0]), untested, none, none],
    ['a check that passes', entry(keyLength), none, [entry(keyLength)], none],
    ['a check that was skipped', entry('registration/latest-key'), none, none, none],
    ['a check that did not run', entry('protocol/tls'), none, none, none],
    ['the last day', entry('*/wraps-key', today), [wrapsKey], none, none],
    ['a day that is over', over, none, none, [over]],
  ] as const) {
    it(`takes ${title}`, () => {
      const judgement = judgeBaseline(results, [given], today);
      const found = { ...judgement, known: [...judgement.known.keys()] };
      assert.deepEqual(found, { known, stale, expired });
    });
  }
});

describe('updateBaseline', () => {
  it('keeps reasons, adds what is new with what was found, and drops what is stale', () => {
    const others = [entry('protocol/*'), entry('*/wraps-key', '2020-01-01')];
    assert.deepEqual(updateBaseline(results, [entry(keyLength), ...others], today), others);
    const reason = 'Found on 2027-01-15: oaep-sha1';
    const added = updateBaseline(results, [], today);
    assert.deepEqual([added[0], added.length], [{ check: wrapsKey, reason }, 2]);
    const glob = [entry('key-exchange/*'), entry('protocol/*')];
    assert.deepEqual(updateBaseline(results, glob, today), glob);
  });
});

describe('the file of known failures', () => {
  const read = (value: unknown) => readBaseline(JSON.stringify(value), catalogue);
  const schema = 'authcli/expect/1';
  const list = (...known_failures: readonly unknown[]) => ({ schema, known_failures });
  const [check, reason] = ['protocol/tls', 'x'];
  const noDate = 'has an "until" in entry 1 that is not a date such as 2027-01-31';

  it('is read as it is written', () => {
    const baseline = [entry('key-exchange/*'), entry('protocol/tls', '2027-12-31')];
    assert.deepEqual(readBaseline(writeBaseline(baseline), catalogue), baseline);
  });

  for (const [title, value, message] of [
    ['no object', 'key-exchange/*', 'is not a JSON object'],
    ['another schema', { schema: 'x', known_failures: [] }, `has no "schema": "${schema}"`],
    ['no list', { schema }, 'has no list "known_failures"'],
    ['a text as entry', list(check), 'has an entry 1 that is not an object'],
    ['an empty reason', list({ check, reason: ' ' }), 'has no "reason" in entry 1'],
    ['an unknown field', list({ check, reasn: 'x' }), 'has the unknown field "reasn" in entry 1'],
    ['no day', list({ check, reason, until: '2027-02-30' }), noDate],
  ] as const) {
    it(`refuses ${title}`, () => {
      const error = { code: 'usage', message: `The file of known failures ${message}.` };
      assert.throws(() => read(value), error);
    });
  }

  it('refuses what is not JSON, and a pattern that matches no check', () => {
    assert.throws(() => readBaseline('{', catalogue), { message: /is not a JSON object\.$/ });
    assert.throws(() => read(list({ check: 'protocol/tsl', reason })), {
      code: 'usage',
      message: 'No check matches "protocol/tsl".',
      hint: 'Did you mean "protocol/tls"?',
    });
  });
});
