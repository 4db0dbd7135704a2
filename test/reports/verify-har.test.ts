import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifyHar } from '../../src/reports/verify-har.ts';
import { application, verify } from '../conformance/support.ts';

const sending = ['key-exchange/answers-success', 'key-exchange/rejects-missing-field'];
const result = await verify(application(), { check: [...sending, 'protocol/tls'] });
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
    const pages = log.pages.map(({ id, comment, pageTimings }) => [id, comment, pageTimings]);
    assert.deepEqual(
      pages,
      sending.map((id) => [id, 'passed', {}]),
    );
    assert.deepEqual([...new Set(log.entries.map(({ pageref }) => pageref))].sort(), sending);
    for (const { startedDateTime } of log.pages)
      assert.match(startedDateTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('says which requests are invalid on purpose', () => {
    const comments = log.entries.map(({ comment }) => comment).filter(Boolean);
    const wrong = ['missing-ptn-cd', 'missing-public-key'];
    assert.deepEqual(
      comments.sort(),
      wrong.map((name) => `invalid on purpose: ${name}`),
    );
  });
});
