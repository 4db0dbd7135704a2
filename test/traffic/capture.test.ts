import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import { secretsOf, subjectOf } from '../../src/traffic/capture.ts';
import { fixtureRows } from '../support/fixtures.ts';

const message = (value: unknown) => ({ body: Buffer.from(JSON.stringify(value)) });

describe('the subject of an exchange', () => {
  type Row = readonly [request: unknown, response: unknown, subject: string];
  it('follows from the fields of its request, else of its response', () => {
    for (const [request, response, subject] of fixtureRows<Row>('readings/subjects.jsonl')) {
      const { operation, ptnCd = '' } = subjectOf(message(request), message(response));
      assert.equal(`${operation} ${ptnCd}`.trim(), subject);
    }
  });
});

it('knows the secrets of an exchange by their place in either message', () => {
  const secrets = secretsOf({
    source: 'line 1',
    operation: 'token',
    key: Secret.text('a key'),
    request: {
      target: '/token?ptn_token=in-the-query',
      headers: [
        ['Authorization', 'Bearer a-credential'],
        ['X-Auth-Version', '1'],
      ],
      ...message({ client_id: 'c', secret_key: ['s', 123456], ptn_token: 't', acs_token: 'sent' }),
    },
    response: message({ code: '0000', result: { ptn_cd: 'u', acs_token: { value: 'received' } } }),
  });
  const texts = secrets.map((secret) => secret.reveal());
  const inRequest = ['Bearer a-credential', 'a-credential', 'in-the-query', 's', '123456', 't'];
  assert.deepEqual(texts, ['a key', ...inRequest, 'sent', 'received']);
});
