import assert from 'node:assert/strict';
import { it } from 'node:test';
import { verifyHar } from '../../src/reports/verify-document.ts';
import { application, verify } from '../conformance/support.ts';

const sending = ['key-exchange/answers-success', 'key-exchange/rejects-missing-field'];
const result = await verify(application(), { check: [...sending, 'protocol/tls'] });
const { log } = verifyHar(result, { version: '1.2.3', command: 'verify', target: 'x' });

it('the HTTP archive of a run has every exchange in order, its check, and what is invalid on purpose', () => {
  assert.equal(log.version, '1.2');
  assert.deepEqual(log.creator, { name: 'authcli', version: '1.2.3' });
  assert.equal(log.entries.length, result.exchanges.length);
  const times = log.entries.map(({ startedDateTime }) => startedDateTime);
  assert.deepEqual(times, [...times].sort());
  const comments = log.entries.map(({ comment = '' }) => comment);
  for (const comment of comments) assert.ok(sending.some((id) => comment.startsWith(id)));
  const wrong = comments.filter((comment) => comment.includes('on purpose')).sort();
  const missing = ['missing-ptn-cd', 'missing-public-key'];
  const expected = missing.map((name) => `${sending[1]}; invalid on purpose: ${name}`);
  assert.deepEqual(wrong, expected);
});
