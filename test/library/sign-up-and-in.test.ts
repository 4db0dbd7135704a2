import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startApplication } from '../../src/library/application.ts';
import { generateKeyPair } from '../../src/library/keys.ts';
import { startService } from '../../src/library/service.ts';
import { type SignInOptions, signIn } from '../../src/library/signin.ts';
import { type SimulateSignupOptions, simulateSignup } from '../../src/library/signup.ts';

const application = await startApplication();
const service = await startService({ callbackUrl: application.url });
const { privateKey } = await generateKeyPair();
const alice = await service.signUp({ ptnCd: 'alice', superPasscode: '482913' });
assert.ok(alice.ok);

const closed = await startApplication();
await closed.close();

const right = (): SignInOptions => ({
  authUrl: service.url,
  clientId: service.clientId,
  secretKey: service.secretKey,
  ptnToken: service.issuePtnToken('alice'),
});

describe('simulateSignup', { concurrency: false }, () => {
  it('reports everything of a sign-up', async () => {
    const userInfo = { email: 'bob@example.com', name: 'Bob' };
    const result = await simulateSignup({ url: application.url, privateKey, userInfo });
    assert.ok(result.ok);
    const kept = application.user(result.ptnCd);
    assert.equal(kept?.key, result.key);
    assert.equal(kept?.superPasscode, result.superPasscode);
    assert.equal(kept?.userInfo, '{"email":"bob@example.com","name":"Bob"}');
    assert.deepEqual(
      result.calls.map(({ operation, httpStatus, code }) => [operation, httpStatus, code]),
      [
        ['key-exchange', 200, '0000'],
        ['registration', 200, '0000'],
      ],
    );
  });

  it('sends no user information where there is to be none', async () => {
    const result = await simulateSignup({ url: application.url, privateKey, userInfo: false });
    assert.equal(result.userInfo, undefined);
    assert.equal(application.user(result.ptnCd)?.state, 'registered');
    assert.equal(application.user(result.ptnCd)?.userInfo, undefined);
  });

  it('returns a failure with its diagnosis, and the key that was read all the same', async () => {
    application.faults.on({ name: 'oaep-sha1', times: 1 });
    const result = await simulateSignup({ url: application.url, privateKey });
    assert.ok(!result.ok);
    assert.equal(result.diagnosis.code, 'oaep-sha1');
    assert.match(result.diagnosis.calls.node ?? '', /RSA_PKCS1_PADDING/);
    assert.equal(result.key, application.user(result.ptnCd)?.key);
    assert.equal(result.calls.length, 1);
  });

  it('leads names to the given addresses, the first that responds', async () => {
    const { port } = new URL(application.url);
    const named = `http://app.example.test:${port}/callback`;
    const alone = { [`app.example.test:${port}`]: '127.0.0.1' };
    const several = { [`*:${port}`]: ['127.0.0.9', '127.0.0.1'] };
    for (const resolve of [alone, several]) {
      const result = await simulateSignup({ url: named, privateKey, resolve });
      assert.ok(result.ok, !result.ok ? result.diagnosis.message : '');
    }
  });

  it('returns a failure where nothing responds', async () => {
    const result = await simulateSignup({ url: closed.url, privateKey });
    assert.equal(!result.ok && result.diagnosis.code, 'refused');
  });

  const url = application.url;
  const refusals: readonly (readonly [string, SimulateSignupOptions, RegExp])[] = [
    ['no URL', {} as never, /option url is the application's callback URL: it is undefined/],
    ['a URL without a scheme', { url: 'localhost:8080' }, /no scheme/],
    ['an unknown cipher', { url, cipher: 'aes-512' }, /aes-512/],
    ['a key that is none', { url, privateKey: 'x' }, /private key can't be used/],
    ['no time', { url, privateKey, timeoutMs: 0 }, /timeoutMs/],
    ['a header that frames', { url, privateKey, headers: { Connection: 'x' } }, /Connection/],
    [
      'a port that is left out',
      { url, privateKey, resolve: { 'a.test': '::1' } },
      /resolve .*"a\.test"/,
    ],
    [
      'no address',
      { url, privateKey, resolve: { 'a.test:80': 'b.test' } },
      /resolve .*"a\.test:80"/,
    ],
    ['no addresses', { url, privateKey, resolve: { '*:80': [] } }, /resolve .*"\*:80"/],
    ['a proxy that is none', { url, privateKey, proxy: 'socks5://x' }, /proxy/i],
  ];
  for (const [what, options, message] of refusals) {
    it(`refuses ${what}`, async () => {
      await assert.rejects(simulateSignup(options), { code: 'usage', message });
    });
  }

  it('ends with the reason of the signal', async () => {
    application.faults.on('silent');
    const signal = AbortSignal.timeout(50);
    await assert.rejects(simulateSignup({ url, privateKey, signal }), { name: 'TimeoutError' });
    application.faults.off();
    const reason = new Error('no longer needed');
    const aborted = AbortSignal.abort(reason);
    await assert.rejects(simulateSignup({ url, signal: aborted }), reason);
  });
});

describe('signIn', () => {
  it('compares the passcode', async () => {
    const { key, superPasscode } = alice;
    const result = await signIn({ ...right(), key, superPasscode, expireTimeZone: 'UTC' });
    assert.ok(result.ok);
    assert.equal(result.passcode, 'match');
    assert.equal(result.ptnCd, 'alice');
    assert.match(result.expireDt, /^\d{14}$/);
    const digits = result.expiresAt?.toISOString().replace(/\D/g, '').slice(0, 14);
    assert.equal(digits, result.expireDt);
    assert.deepEqual(
      result.calls.map(({ operation, code }) => [operation, code]),
      [
        ['token', '0000'],
        ['authenticate', '0000'],
      ],
    );
  });

  it('looks the user up once the service has named them', async () => {
    const asked: string[] = [];
    const findUser = async (ptnCd: string) => {
      asked.push(ptnCd);
      return { key: alice.key, superPasscode: 'another' };
    };
    const result = await signIn({ ...right(), findUser });
    assert.deepEqual(asked, ['alice']);
    assert.equal(result.passcode, 'mismatch');
    assert.equal(!result.ok && result.diagnosis.code, 'passcode-mismatch');
  });

  it('checks nothing without a key, and leaves the instant open without a time zone', async () => {
    const result = await signIn(right());
    assert.equal(result.ok && result.passcode, 'not-checked');
    assert.equal(result.ok && result.expiresAt, undefined);
  });

  it('names the cipher that fits', async () => {
    const { key, superPasscode } = alice;
    const result = await signIn({ ...right(), key, superPasscode, cipher: 'aes-256-gcm' });
    assert.ok(!result.ok);
    assert.equal(result.diagnosis.code, 'cipher-mismatch');
    assert.match(result.fittingCipher ?? '', /^aes-256-cbc\?/);
  });

  it('stops after a token that is refused', async () => {
    const result = await signIn({ ...right(), ptnToken: 'made-up' });
    assert.equal(!result.ok && result.diagnosis.code, 'code-not-success');
    assert.deepEqual(
      result.calls.map(({ operation }) => operation),
      ['token'],
    );
  });

  const refusals = [
    ['no secret', { secretKey: '' }, /option secretKey .*: it is empty/],
    ['a time zone that there isn’t', { expireTimeZone: 'Mars/Olympus' }, /Mars\/Olympus/],
    ['a whole endpoint', { authUrl: `${service.url}/process/token` }, /ends in the path/],
  ] as const;
  for (const [what, wrong, message] of refusals) {
    it(`refuses ${what}`, async () => {
      await assert.rejects(signIn({ ...right(), ...wrong }), { code: 'usage', message });
    });
  }

  it('stops listening with what it began', async () => {
    await Promise.all([application.close(), service.close()]);
    const result = await signIn(right());
    assert.equal(!result.ok && result.diagnosis.code, 'refused');
  });
});
