import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PasscodeVerdict, UserSecrets } from '../../src/client/passcode.ts';
import { authenticate, requestToken, type SigninInput, signIn } from '../../src/client/signin.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { Secret } from '../../src/crypto/secret.ts';
import type { Diagnosis } from '../../src/errors.ts';
import { withTransport } from '../support/client.ts';
import {
  type PeerService,
  type ServiceVariant,
  startService,
  userKey,
  userPasscode,
} from '../support/peer-service.ts';

const known: UserSecrets = { key: Secret.key(userKey), superPasscode: Secret.text(userPasscode) };

function inputFor(service: PeerService, changes: Partial<SigninInput> = {}): SigninInput {
  return {
    authUrl: service.authUrl,
    clientId: 'client-1',
    secretKey: Secret.text('server-secret-1'),
    ptnToken: Secret.text('ptn-token-1'),
    cipher: defaultCipher,
    lookUpUser: (ptnCd) => (ptnCd === 'user-1' ? known : {}),
    ...changes,
  };
}

async function run(variant: ServiceVariant, changes: Partial<SigninInput> = {}) {
  const service = await startService(variant);
  const outcome = await withTransport({}, (transport) =>
    signIn(transport, inputFor(service, changes)),
  ).finally(() => service.close());
  return { outcome, service };
}

describe('signIn', () => {
  it('plays the application’s server to the letter', async () => {
    const { outcome, service } = await run({});
    assert.equal(outcome.diagnosis, undefined);
    assert.ok(outcome.ok);
    assert.equal(outcome.passcode, 'match');
    assert.equal(outcome.ptnCd, 'user-1');
    assert.equal(outcome.token.result?.expireDt, '20300102030405');
    assert.deepEqual(
      service.calls.map(({ path, body }) => [path, body]),
      [
        [
          '/login/process/token',
          { client_id: 'client-1', secret_key: 'server-secret-1', ptn_token: 'ptn-token-1' },
        ],
        [
          '/login/process/authenticate',
          { client_id: 'client-1', secret_key: 'server-secret-1', acs_token: 'acs-0123456789' },
        ],
      ],
    );
  });

  it('sends the secret in bodies alone', async () => {
    const { service } = await run({});
    for (const { path, headers } of service.calls) {
      assert.doesNotMatch(path + JSON.stringify(headers), /server-secret-1/);
    }
  });

  it('waits for a lookup', async () => {
    const { outcome } = await run({}, { lookUpUser: async () => known });
    assert.equal(outcome.passcode, 'match');
  });

  it('says which user the service means', async () => {
    const { outcome, service } = await run({}, { expectedPtnCd: 'user-2' });
    assert.equal(outcome.ok, false);
    assert.equal(outcome.passcode, 'not-checked');
    assert.equal(outcome.diagnosis?.code, 'other-user');
    assert.match(outcome.diagnosis?.message ?? '', /user "user-1", not of "user-2"/);
    assert.equal(service.calls.length, 1);
  });
});

interface PasscodeCase {
  readonly name: string;
  readonly variant?: ServiceVariant;
  readonly user?: UserSecrets;
  readonly cipher?: string;
  readonly passcode: PasscodeVerdict;
  readonly code?: Diagnosis['code'];
  readonly note?: RegExp;
  readonly message?: RegExp;
}

const cases: readonly PasscodeCase[] = [
  { name: 'no key', user: {}, passcode: 'not-checked', note: /No key is known/ },
  {
    name: 'no passcode',
    user: { key: Secret.key(userKey) },
    passcode: 'not-checked',
    note: /No passcode is stored/,
  },
  {
    name: 'another passcode',
    variant: { passcode: 'Super-Passcode-0043' },
    passcode: 'mismatch',
    code: 'passcode-mismatch',
  },
  {
    name: 'a passcode that only begins alike',
    variant: { passcode: `${userPasscode}x` },
    passcode: 'mismatch',
    code: 'passcode-mismatch',
  },
  {
    name: 'another key',
    variant: { key: 'Another-Key-0123456789-ABCDEFGHI' },
    passcode: 'undecryptable',
  },
  {
    name: 'another key, under a cipher that checks nothing',
    variant: { key: 'Another-Key-0123456789-ABCDEFGHI', algorithm: 'aes-256-ctr' },
    cipher: 'aes-256-ctr',
    passcode: 'undecryptable',
    code: 'wrong-key',
  },
  {
    name: 'another cipher',
    variant: { algorithm: 'aes-256-ecb' },
    passcode: 'undecryptable',
    code: 'cipher-mismatch',
    message: /decrypts with aes-256-ecb\?key=utf8&padding=pkcs7&encoding=base64/,
  },
  {
    name: 'another cipher, and the set one decrypts anything',
    variant: { algorithm: 'aes-256-cbc' },
    cipher: 'aes-256-ctr',
    passcode: 'undecryptable',
    code: 'cipher-mismatch',
    message: /decrypts with aes-256-cbc/,
  },
  {
    name: 'another cipher, and no stored passcode',
    variant: { algorithm: 'aes-256-cbc' },
    user: { key: Secret.key(userKey) },
    cipher: 'aes-256-cbc?iv=zero',
    passcode: 'undecryptable',
    code: 'cipher-mismatch',
  },
  {
    name: 'text that is no payload',
    variant: {
      respond: (path, right) =>
        path.endsWith('token') ? right : '{"code":"0000","message":"","result":{"ptn_sp":"AAAA"}}',
    },
    passcode: 'undecryptable',
    code: 'payload-encoding',
  },
];

describe('the passcode', () => {
  for (const { name, variant = {}, user, cipher, passcode, code, note, message } of cases) {
    it(`${name}: ${passcode}`, async () => {
      const { outcome } = await run(variant, {
        ...(user && { lookUpUser: () => user }),
        ...(cipher && { cipher: parseCipher(cipher) }),
      });
      assert.equal(outcome.passcode, passcode, outcome.diagnosis?.message);
      assert.equal(outcome.ok, passcode === 'match' || passcode === 'not-checked');
      if (code) assert.equal(outcome.diagnosis?.code, code, outcome.diagnosis?.message);
      if (note) assert.match(outcome.authenticate?.notes.join('\n') ?? '', note);
      if (message) assert.match(outcome.diagnosis?.message ?? '', message);
      const told = JSON.stringify([outcome.diagnosis, outcome.authenticate?.notes]);
      assert.ok(!told.includes(userPasscode) && !told.includes(userKey));
    });
  }
});

describe('a service that responds wrongly', () => {
  const responses: readonly (readonly [Diagnosis['code'], string])[] = [
    ['code-not-success', '{"code":"1001","message":"expired"}'],
    ['code-not-string', '{"code":0,"message":"","result":{}}'],
    ['not-json', 'busy'],
    ['html-instead-of-json', '<html><title>502</title></html>'],
    ['empty-body', ''],
    ['result-missing', '{"code":"0000","message":""}'],
    ['field-missing', '{"code":"0000","message":"","result":{}}'],
  ];
  for (const [code, text] of responses) {
    it(`at the token: ${code}, and no second call`, async () => {
      const { outcome, service } = await run({ respond: () => text });
      assert.equal(outcome.diagnosis?.code, code);
      assert.equal(outcome.ok, false);
      assert.equal(outcome.passcode, 'not-checked');
      assert.equal(outcome.authenticate, undefined);
      assert.equal(service.calls.length, 1);
    });

    it(`at the authentication: ${code}`, async () => {
      const { outcome, service } = await run({
        respond: (path, right) => (path.endsWith('/token') ? right : text),
      });
      assert.equal(outcome.diagnosis?.code, code);
      assert.equal(outcome.ok, false);
      assert.equal(outcome.passcode, 'not-checked');
      assert.equal(service.calls.length, 2);
    });
  }

  it('with an invalid date: field-malformed, the value kept', async () => {
    const respond = (path: string, right: string) =>
      path.endsWith('/token') ? right.replace('20300102030405', '20301302030405') : right;
    const { outcome } = await run({ respond });
    assert.equal(outcome.diagnosis?.code, 'field-malformed');
    assert.equal(outcome.token.reading?.seen.expireDt, '20301302030405');
  });

  for (const ptnSp of ['!*.!*.', '', 'Super-Passcode!']) {
    it(`with a ptn_sp that can't be decoded ("${ptnSp}"): undecryptable`, async () => {
      for (const lookUpUser of [() => known, () => ({})]) {
        const respond = (path: string, right: string) =>
          path.endsWith('/token')
            ? right
            : JSON.stringify({ code: '0000', message: '', result: { ptn_sp: ptnSp } });
        const { outcome } = await run({ respond }, { lookUpUser });
        assert.equal(outcome.ok, false);
        assert.equal(outcome.passcode, 'undecryptable');
        assert.equal(outcome.diagnosis?.code, 'field-malformed');
      }
    });
  }

  it('not at all: the connection', async () => {
    const service = await startService();
    await service.close();
    const outcome = await withTransport({}, (transport) => signIn(transport, inputFor(service)));
    assert.equal(outcome.diagnosis?.code, 'refused');
  });
});

describe('each call alone', () => {
  it('requestToken', async () => {
    const service = await startService();
    const outcome = await withTransport({}, (transport) =>
      requestToken(transport, { ...inputFor(service), expectedPtnCd: 'user-1' }),
    ).finally(() => service.close());
    assert.ok(outcome.ok);
    assert.equal(outcome.result?.acsToken, 'acs-0123456789');
  });

  it('authenticate', async () => {
    const service = await startService();
    const input = { ...inputFor(service), acsToken: Secret.text('acs-1'), user: known };
    const outcome = await withTransport({}, (transport) => authenticate(transport, input)).finally(
      () => service.close(),
    );
    assert.equal(outcome.passcode, 'match');
    assert.equal(service.calls[0]?.body.acs_token, 'acs-1');
    assert.equal(Buffer.from(outcome.plaintext ?? []).toString(), userPasscode);
  });
});
