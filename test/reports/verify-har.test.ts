import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifyHar } from '../../src/reports/verify-har.ts';
import { application, verify } from '../conformance/support.ts';

const check = [
  'key-exchange/answers-success',
  'key-exchange/rejects-missing-field',
  'protocol/tls',
];
const result = await verify(application(), { check });
const { log } = verifyHar(result, { version: '1.2.3' });

describe('the HTTP archive of a run', () => {
  it('has every exchange, in the order in which they were sent', () => {
    assert.equal(log.version, '1.2');
    assert.deepEqual(log.creator, { name: 'authcli', version: '1.2.3' });
    assert.equal(log.entries.length, result.exchanges.length);
    const times = log.entries.map(({ startedDateTime }) => startedDateTime);
    assert.deepEqual(times, [...times].sort());
  });

  it('has a page for each check that sent something, and every entry on one', () => {
    const ids = log.pages.map(({ id }) => id);
    assert.deepEqual(ids, ['key-exchange/answers-success', 'key-exchange/rejects-missing-field']);
    assert.deepEqual([...new Set(log.entries.map(({ pageref }) => pageref))].sort(), ids);
    for (const page of log.pages) {
      assert.equal(page.comment, 'passed');
      assert.deepEqual(page.pageTimings, {});
      assert.match(page.startedDateTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
  });

  it('says which requests are invalid on purpose', () => {
    const comments = log.entries.map(({ comment }) => comment).filter(Boolean);
    assert.deepEqual(comments.sort(), [
      'invalid on purpose: missing-ptn-cd',
      'invalid on purpose: missing-public-key',
    ]);
  });

  it('has what HAR 1.2 demands of an entry', () => {
    for (const { request, response, cache, timings, time } of log.entries) {
      for (const name of [
        'method',
        'url',
        'httpVersion',
        'cookies',
        'headers',
        'queryString',
        'headersSize',
        'bodySize',
      ]) {
        assert.ok(name in request, name);
      }
      for (const name of [
        'status',
        'statusText',
        'httpVersion',
        'cookies',
        'headers',
        'content',
        'redirectURL',
        'headersSize',
        'bodySize',
      ]) {
        assert.ok(name in response, name);
      }
      assert.deepEqual(cache, {});
      const { ssl: _, ...parts } = timings;
      const sum = Object.values(parts)
        .filter((part) => part > 0)
        .reduce((a, b) => a + b, 0);
      assert.ok(Math.abs(sum - time) < 0.01, `${sum} and ${time}`);
    }
  });
});
