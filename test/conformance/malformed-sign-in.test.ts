import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { authenticateRequest, tokenRequest } from '../../src/client/signin.ts';
import {
  type MalformedSignInName,
  malformedSignInNames,
  malformSignIn,
} from '../../src/conformance/malformed-sign-in.ts';
import { seededBytes } from '../../src/conformance/test-data.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { verifyService } from './service-support.ts';

const common = {
  authUrl: 'http://localhost/auth',
  clientId: 'shop',
  secretKey: Secret.text('the secret key'),
};
const right = {
  token: tokenRequest({ ...common, ptnToken: Secret.text('a-ptn-token') }),
  authenticate: authenticateRequest({
    ...common,
    acsToken: Secret.text('an-acs-token'),
  }),
};

const spoil = (name: MalformedSignInName) => {
  const isLater = /^(?:acs|authenticate)|-as-acs-token$/.test(name) && !/-as-ptn-token$/.test(name);
  const operation = isLater ? 'authenticate' : 'token';
  const original = right[operation];
  return { original, malformed: malformSignIn(name, original, seededBytes('test')) };
};

const fieldsOf = (body: Uint8Array) => JSON.parse(Buffer.from(body).toString());

/** The token of the request makes these wrong. */
const byTokenNames = [
  'acs-token-used',
  'acs-token-in-parallel',
  'acs-token-expired',
  'ptn-token-foreign',
  'acs-token-as-ptn-token',
  'ptn-token-as-acs-token',
];

describe('malformSignIn', () => {
  for (const name of malformedSignInNames) {
    it(`changes one field at most: ${name}`, () => {
      const { original, malformed } = spoil(name);
      assert.equal(malformed.name, name);
      assert.match(malformed.about, new RegExp(`^an? ${malformed.operation} request `));
      const before = fieldsOf(original.body);
      const after = fieldsOf(malformed.request.body);
      const changed = Object.keys(before).filter((field) => before[field] !== after[field]);
      const byToken = byTokenNames.includes(name);
      assert.equal(changed.length, byToken ? 0 : 1);
    });
  }

  for (const [name, where] of [
    ['secret-in-header', ({ headers }) => headers.at(-1)?.join(': ')],
    ['secret-in-basic', ({ headers }) => headers.at(-1)?.join(': ')],
    ['secret-in-query', ({ url }) => url.search],
  ] as readonly (readonly [
    MalformedSignInName,
    (request: typeof right.token) => string | undefined,
  ])[]) {
    it(`${name} contains the secret there and not in the body`, () => {
      const { request } = spoil(name).malformed;
      const basic = Buffer.from('shop:the secret key').toString('base64');
      const forms = ['secret_key: the secret key', `Authorization: Basic ${basic}`];
      assert.ok([...forms, '?secret_key=the+secret+key'].includes(where(request) ?? ''));
      assert.equal('secret_key' in fieldsOf(request.body), false);
    });
  }

  it('leaves the right request as it was', () => {
    const before = Buffer.from(right.token.body).toString();
    for (const name of malformedSignInNames) spoil(name);
    assert.equal(Buffer.from(right.token.body).toString(), before);
    assert.equal(right.token.url.search, '');
  });

  it('has nothing that no check sends', async () => {
    const { exchanges } = await verifyService();
    const sent = new Set(exchanges.map(({ malformed }) => malformed));
    assert.deepEqual(
      malformedSignInNames.filter((name) => !sent.has(name)),
      [],
    );
  });
});
