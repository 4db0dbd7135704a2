import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import { secretsOf, subjectOf } from '../../src/relay/capture.ts';

const message = (value: unknown) => ({ body: Buffer.from(JSON.stringify(value)) });

describe('the subject of an exchange', () => {
  const cases: readonly [string, unknown, unknown, object][] = [
    [
      'a key exchange',
      { used_type: '1', ptn_cd: 'u', public_key: 'MII' },
      {},
      { operation: 'key-exchange', ptnCd: 'u' },
    ],
    [
      'a registration of a service that sends used_type as a number',
      { used_type: 2, ptn_cd: 'u' },
      {},
      { operation: 'registration', ptnCd: 'u' },
    ],
    [
      'a token, whose user is in the response',
      { client_id: 'c', secret_key: 's', ptn_token: 't' },
      { code: '0000', result: { ptn_cd: 'u' } },
      { operation: 'token', ptnCd: 'u' },
    ],
    [
      'an authenticate call',
      { secret_key: 's', acs_token: 't' },
      {},
      { operation: 'authenticate' },
    ],
    ['a response alone', 'no object', { result: { ptn_sp: 'x' } }, { operation: 'authenticate' }],
    ['other traffic', { hello: 'world' }, [], { operation: 'other' }],
  ];
  for (const [name, request, response, expected] of cases) {
    it(`is that of ${name}`, () => {
      assert.deepEqual(subjectOf(message(request), message(response)), expected);
    });
  }

  it('is unknown of a body that is not JSON', () => {
    assert.deepEqual(subjectOf({ body: Buffer.from('<html>') }), { operation: 'other' });
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
      ...message({
        client_id: 'c',
        secret_key: ['s', 123456],
        ptn_token: 't',
        acs_token: 'sent',
      }),
    },
    response: message({ code: '0000', result: { ptn_cd: 'u', acs_token: { value: 'received' } } }),
  });
  const texts = secrets.map((secret) => secret.reveal());
  assert.deepEqual(texts, [
    'a key',
    'in-the-query',
    'Bearer a-credential',
    'a-credential',
    's',
    '123456',
    't',
    'sent',
    'received',
  ]);
});
