import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startApplication, startService } from '../../src/library/emulators.ts';
import { type SignInOptions, signIn } from '../../src/library/signin.ts';
import { type SimulateSignupOptions, simulateSignup } from '../../src/library/signup.ts';

const application = await startApplication();
const { url } = application;
const service = await startService({ callbackUrl: url });
const privateKey = readFileSync('fixtures/keys/pool/2048-01.pem', 'utf8');
const alice = await service.signUp({ ptnCd: 'alice', superPasscode: '482913', privateKey });
assert.ok(alice.ok);
const { key, superPasscode } = alice;

const signUp = (options: Partial<SimulateSignupOptions> = {}) =>
  simulateSignup({ url, privateKey, ...options });

const signInAlice = (options: Partial<SignInOptions> = {}) => {
  const { url: authUrl, clientId, secretKey } = service;
  const ptnToken = service.issuePtnToken('alice');
  return signIn({ authUrl, clientId, secretKey, ptnToken, ...options });
};

describe('simulateSignup', { concurrency: false }, () => {
  it('reports everything of a sign-up', async () => {
    const result = await signUp({ userInfo: { email: 'bob@example.com', name: 'Bob' } });
    assert.ok(result.ok);
    const { ptnCd, calls } = result;
    assert.deepEqual(application.user(ptnCd), {
      ptnCd,
      key: result.key,
      superPasscode: result.superPasscode,
      state: 'registered',
      userInfo: '{"email":"bob@example.com","name":"Bob"}',
    });
    assert.deepEqual(
      calls.map(({ operation, httpStatus, code }) => `${operation} ${httpStatus} ${code}`),
      ['key-exchange 200 0000', 'registration 200 0000'],
    );
  });

  it('sends the user information as it is, or none', async () => {
    for (const [userInfo, sent] of [[false, undefined] as const, ['text', 'text'] as const]) {
      const result = await signUp({ userInfo });
      const user = application.user(result.ptnCd);
      assert.deepEqual([result.userInfo, user?.userInfo, user?.state], [sent, sent, 'registered']);
    }
  });

  it('returns a failure with its diagnosis, and the key that was read all the same', async () => {
    application.faults.on({ name: 'oaep-sha1', times: 1 });
    const result = await signUp();
    assert.ok(!result.ok);
    assert.equal(result.diagnosis.code, 'oaep-sha1');
    assert.match(result.diagnosis.calls.node ?? '', /RSA_PKCS1_PADDING/);
    assert.equal(result.key, application.user(result.ptnCd)?.key);
    assert.equal(result.calls.length, 1);
  });

  it('leads names to the given addresses, the first that responds', async () => {
    const { port } = application;
    for (const resolve of [
      { [`app.example.test:${port}`]: '127.0.0.1' },
      { [`*:${port}`]: ['127.0.0.9', '127.0.0.1'] },
    ]) {
      const result = await signUp({ url: `http://app.example.test:${port}/callback`, resolve });
      assert.ok(result.ok, JSON.stringify(result));
    }
  });

  const refusals: readonly (readonly [string, Partial<SimulateSignupOptions>, RegExp])[] = [
    ['no URL', { url: undefined }, /option url is missing/],
    ['a URL without a scheme', { url: 'localhost:8080' }, /no scheme/],
    ['an unknown cipher', { cipher: 'aes-512' }, /aes-512/],
    ['a key that is none', { privateKey: 'x' }, /private key can't be used/],
    ['no time', { timeoutMs: 0 }, /timeoutMs/],
    ['a header that frames', { headers: { Connection: 'x' } }, /Connection/],
    ['a port that is left out', { resolve: { 'a.test': '::1' } }, /resolve .*"a\.test"/],
    ['no address', { resolve: { 'a.test:80': 'b.test' } }, /resolve .*"a\.test:80"/],
    ['no addresses', { resolve: { '*:80': [] } }, /resolve .*"\*:80"/],
    ['a proxy that is none', { proxy: 'socks5://x' }, /proxy/i],
  ];
  for (const [what, options, message] of refusals) {
    it(`refuses ${what}`, () => assert.rejects(signUp(options), { code: 'usage', message }));
  }

  it('ends with the reason of the signal', async () => {
    application.faults.on('silent');
    await assert.rejects(signUp({ signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
    application.faults.off();
    const reason = new Error('no longer needed');
    await assert.rejects(signUp({ signal: AbortSignal.abort(reason) }), reason);
  });
});

describe('signIn', { concurrency: false }, () => {
  it('compares the passcode', async () => {
    const result = await signInAlice({ key, superPasscode, expireTimeZone: 'UTC' });
    assert.ok(result.ok);
    assert.deepEqual([result.passcode, result.ptnCd], ['match', 'alice']);
    const digits = result.expiresAt?.toISOString().replace(/\D/g, '').slice(0, 14);
    assert.equal(digits, result.expireDt);
    const calls = result.calls.map(({ operation, code }) => `${operation} ${code}`);
    assert.deepEqual(calls, ['token 0000', 'authenticate 0000']);
  });

  it('looks the user up once the service has named them', async () => {
    const asked: string[] = [];
    const findUser = async (ptnCd: string) => {
      asked.push(ptnCd);
      return { key, superPasscode: 'another' };
    };
    const result = await signInAlice({ findUser });
    assert.deepEqual([asked, result.passcode], [['alice'], 'mismatch']);
    assert.equal(!result.ok && result.diagnosis.code, 'passcode-mismatch');
  });

  it('checks nothing without a key, and leaves the instant open without a time zone', async () => {
    const result = await signInAlice();
    assert.ok(result.ok);
    assert.deepEqual([result.passcode, result.expiresAt], ['not-checked', undefined]);
  });

  it('names the cipher that fits', async () => {
    const result = await signInAlice({ key, superPasscode, cipher: 'aes-256-gcm' });
    assert.ok(!result.ok);
    assert.equal(result.diagnosis.code, 'cipher-mismatch');
    assert.match(result.fittingCipher ?? '', /^aes-256-cbc\?/);
  });

  const refusals: readonly (readonly [string, Partial<SignInOptions>, RegExp])[] = [
    ['no secret', { secretKey: '' }, /option secretKey is empty/],
    ['a time zone that there isn’t', { expireTimeZone: 'Mars/Olympus' }, /Mars\/Olympus/],
    ['a whole endpoint', { authUrl: `${service.url}/process/token` }, /ends in the path/],
  ];
  for (const [what, wrong, message] of refusals) {
    it(`refuses ${what}`, () => assert.rejects(signInAlice(wrong), { code: 'usage', message }));
  }

  it('stops after the first call that fails', async () => {
    await Promise.all([application.close(), service.close()]);
    const result = await signInAlice();
    const calls = result.calls.map(({ operation, httpStatus }) => [operation, httpStatus]);
    assert.deepEqual([result.ok, calls], [false, [['token', undefined]]]);
    assert.equal(!result.ok && result.diagnosis.code, 'refused');
  });
});
