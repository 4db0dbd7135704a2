import assert from 'node:assert/strict';
import { createHmac, hkdfSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import type { EmulatorRequest } from '../../src/emulator/http.ts';
import { createService, handleServiceCall } from '../../src/emulator/service.ts';
import { issuePtnToken, verifyPtnToken } from '../../src/emulator/tokens.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import {
  authenticateCall,
  clientId,
  decrypt,
  json,
  newService,
  post,
  registeredUser,
  secretKey,
  startOfTime,
  tokenCall,
} from './support.ts';

const randomBytes = seededBytes('service');

const key = registeredUser.key.reveal();
const superPasscode = registeredUser.superPasscode?.reveal() ?? '';

describe('the emulated service, /process/token (4.2.1)', () => {
  it('gives an access token for a ptn_token, another one each time', async () => {
    const { call, send, ptnToken } = newService();
    const request = tokenCall(ptnToken());
    const { response, facts } = await call(request);
    const { code, message, result } = json(response);
    const type = response.headers['content-type'];
    const right = [200, 'application/json;charset=utf-8', '0000', ''];
    assert.deepEqual([response.status, type, code, message], right);
    const { acs_token, ...rest } = result as { acs_token: string };
    // Five minutes after 03:04:05.
    assert.deepEqual(rest, { expire_dt: '20260102030905', ptn_cd: 'user-1' });
    assert.match(acs_token, /^[\w-]{43}$/);
    assert.deepEqual([facts.operation, facts.ptnCd], ['token', 'user-1']);
    const secrets = facts.secrets.map((secret) => secret.reveal());
    for (const secret of [secretKey, key, superPasscode, acs_token])
      assert.ok(secrets.includes(secret));
    const again = (await send(request)).result as { acs_token: string };
    assert.notEqual(again.acs_token, acs_token);
  });

  it('writes expire_dt in a time zone, and is not made for one that there is not', async () => {
    const { service, ptnToken } = newService();
    for (const [timeZone, expireDt] of [
      ['Asia/Seoul', '20260102120905'],
      ['-05:00', '20260101220905'],
    ] as const) {
      const { response } = await handleServiceCall(tokenCall(ptnToken()), { ...service, timeZone });
      assert.equal((json(response).result as { expire_dt: string }).expire_dt, expireDt);
    }
    const options = { ...service, timeZone: 'Mars/Olympus' };
    assert.throws(() => createService(options), { code: 'usage', message: /Mars\/Olympus/ });
  });
});

describe('the emulated service, /process/authenticate (4.2.2)', () => {
  it("returns the user's passcode, encrypted with the user's key, anew each time", async () => {
    const { call, acsToken } = newService();
    const payloads = new Set<string>();
    for (const token of [await acsToken(), await acsToken()]) {
      const { response, facts } = await call(authenticateCall(token));
      const { code, result } = json(response);
      const { ptn_sp } = result as { ptn_sp: string };
      const found = [code, facts.ptnCd, decrypt(ptn_sp, key)];
      assert.deepEqual(found, ['0000', 'user-1', superPasscode]);
      assert.ok(!`${Buffer.from(response.body)}`.includes(superPasscode));
      payloads.add(ptn_sp);
    }
    assert.equal(payloads.size, 2);
  });

  it('takes an access token once, also of two uses at the same time', async () => {
    const { send, acsToken } = newService();
    const token = await acsToken();
    // A call that is refused for another reason does not use it up.
    assert.equal((await send(authenticateCall(token, { secret_key: 'wrong' }))).code, 'E104');
    const both = await Promise.all([send(authenticateCall(token)), send(authenticateCall(token))]);
    assert.deepEqual(both.map(({ code }) => code).sort(), ['0000', 'E303']);
    assert.equal((await send(authenticateCall(token))).code, 'E303');
  });

  it('takes an access token until it expires, and knows it afterwards', async () => {
    const { send, acsToken, pass } = newService();
    const [early, late] = [await acsToken(), await acsToken()];
    const codeOf = async (token: string) => (await send(authenticateCall(token))).code;
    pass(299_999);
    assert.equal(await codeOf(early), '0000');
    pass(1);
    assert.equal(await codeOf(late), 'E302');
    pass(3_300_000);
    assert.equal(await codeOf(late), 'E302');
  });

  it('says so when the key of the user does not fit the cipher', async () => {
    const { call, acsToken } = newService([{ ...registeredUser, key: Secret.key('short') }]);
    const { response } = await call(authenticateCall(await acsToken()));
    assert.deepEqual([response.status, json(response).code], [500, 'E990']);
  });
});

describe('the emulated service refuses', () => {
  const issuer = { clientId, secretKey: Secret.text(secretKey) };
  const issue = (changes: Partial<typeof issuer>, now = startOfTime) =>
    issuePtnToken('user-1', { ...issuer, ...changes }, { now: () => now, randomBytes });
  const other = Secret.text('x');
  const good = issue({});
  const with_ = (changes: Partial<EmulatorRequest>) => ({ ...tokenCall(good), ...changes });
  const headers = (extra: Readonly<Record<string, string>>) =>
    with_({ headers: { ...tokenCall(good).headers, ...extra } });
  const basic = Buffer.from(`${clientId}:${secretKey}`).toString('base64');

  const cases: readonly [string, EmulatorRequest, string, RegExp, number?][] = [
    ['text', post('hello', { path: '/process/token' }), 'E101', /not JSON/],
    ['no secret', tokenCall(good, { secret_key: undefined }), 'E102', /"secret_key" is missing/],
    ['an empty token', tokenCall(''), 'E102', /"ptn_token" is empty/],
    ['no acs_token', authenticateCall('x', { acs_token: undefined }), 'E102', /"acs_token"/],
    ['a number', tokenCall(good, { client_id: 1 }), 'E103', /"client_id" must be a string/],
    ['a wrong secret', tokenCall(good, { secret_key: 'wrong' }), 'E104', /do not match, or are/],
    ['another client', tokenCall(good, { client_id: 'x' }), 'E104', /do not match, or are/],
    ['the secret in the query', with_({ query: 'secret_key=x' }), 'E105', /URL or in a header/],
    ['the secret as any parameter', with_({ query: `k=${secretKey}` }), 'E105', /header/],
    ['Basic credentials', headers({ authorization: `Basic ${basic}` }), 'E105', /header/],
    ['a token of another secret', tokenCall(issue({ secretKey: other })), 'E201', /not issued/],
    ['a token for another client', tokenCall(issue({ clientId: 'x' })), 'E201', /not issued/],
    ['a changed token', tokenCall(`${good.slice(0, -1)}!`), 'E201', /not issued/],
    ['an old token', tokenCall(issue({}, startOfTime - 600_000)), 'E202', /expired/],
    ['an unknown user', tokenCall(newService().ptnToken('nobody')), 'E203', /does not know/],
    ['a user not registered', tokenCall(newService().ptnToken('known')), 'E204', /not complete/],
    ['an unknown acs_token', authenticateCall('abc'), 'E301', /not issued/],
    ['another path', with_({ path: '/process/login' }), 'E900', /Unknown endpoint/, 404],
    ['GET', with_({ method: 'GET' }), 'E901', /must be POST/, 405],
    ['form encoding', with_({ headers: {} }), 'E902', /Content-type/, 415],
    ['a large body', with_({ bodyTooLarge: true }), 'E903', /too large/, 413],
  ];
  for (const [what, request, code, message, status = 200] of cases) {
    it(`${what} with ${code}`, async () => {
      const { call } = newService([registeredUser, { ptnCd: 'known', key: registeredUser.key }]);
      const { response, facts } = await call(request);
      const body = json(response);
      assert.deepEqual([response.status, body.code, facts.code], [status, code, code]);
      assert.match(String(body.message), message);
      assert.ok(!JSON.stringify(body).includes(secretKey));
    });
  }

  it('nothing for an unknown field or a header that is not about the secret', async () => {
    const { call, ptnToken } = newService();
    const request = tokenCall(ptnToken(), { extra: 1 });
    const headers = { ...request.headers, authorization: 'Bearer gateway', 'x-check': 'a' };
    assert.equal((await call({ ...request, headers })).facts.code, '0000');
  });

  it('a short secret in a header only as a whole word', async () => {
    const { service } = newService();
    const short = { ...service, secretKey: Secret.text('json') };
    const token = issue({ secretKey: short.secretKey });
    const request = tokenCall(token, { secret_key: 'json' });
    assert.equal((await handleServiceCall(request, short)).facts.code, '0000');
    const headers = { ...request.headers, 'x-key': 'json' };
    assert.equal((await handleServiceCall({ ...request, headers }, short)).facts.code, 'E105');
  });

  it('and hides the secrets of a body also in arrays, objects and numbers, and at any path', async () => {
    const { call } = newService();
    const objects = { secret_key: ['in-an-array'], ptn_token: { value: 'in-an-object' } };
    const body = { ...objects, acs_token: 1234567 };
    for (const request of [tokenCall('', body), post(body, { path: '/elsewhere' })]) {
      const texts = (await call(request)).facts.secrets.map((secret) => secret.reveal());
      for (const text of ['in-an-array', 'in-an-object', '1234567'])
        assert.ok(texts.includes(text), text);
    }
  });
});

/** The MAC as the head of the source describes it, made here once more. */
function sign(claims: unknown, secret = secretKey): string {
  const signed = `authcli-ptn-1.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'authcli-ptn-1', 32));
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

describe('ptn_token of the emulated service', () => {
  const now = startOfTime;
  const ttlMs = 600_000;
  const issuer = { clientId, secretKey: Secret.text(secretKey) };
  const issue = (ptnCd = 'user-1') => issuePtnToken(ptnCd, issuer, { now: () => now, randomBytes });
  const verify = (token: string, at = now) => verifyPtnToken(token, issuer, { now: at, ttlMs });

  it('is made as described, another one each time, and names any user', () => {
    const described = verify(sign([clientId, 'u', now, 'n']));
    assert.deepEqual(described, { ptnCd: 'u' });
    assert.notEqual(issue(), issue());
    for (const ptnCd of ['user-1', '大谷 "\n', '__proto__']) {
      assert.match(issue(ptnCd), /^authcli-ptn-1\.[\w-]+\.[\w-]{43}$/);
      assert.deepEqual(verify(issue(ptnCd)), { ptnCd });
    }
  });

  it('is good from its issue until its time is over, with a minute for clocks', () => {
    const token = issue();
    const ptnCd = 'user-1';
    assert.deepEqual(verify(token, now + ttlMs - 1), { ptnCd });
    assert.deepEqual(verify(token, now - 60_000), { ptnCd });
    assert.deepEqual(verify(token, now + ttlMs), { ptnCd, failure: 'ptn-token-expired' });
    assert.deepEqual(verify(token, now - 60_001), { ptnCd, failure: 'ptn-token' });
  });

  it('is refused with any change, and where another secret or client made it', () => {
    const token = issue();
    for (let at = 0; at < token.length - 1; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A';
      const changed = `${token.slice(0, at)}${other}${token.slice(at + 1)}`;
      assert.deepEqual(verify(changed), { failure: 'ptn-token' }, `at ${at}`);
    }
    const others = [sign([clientId, 'u', now, 'n'], 'other'), sign(['client-2', 'u', now, 'n'])];
    for (const wrong of [`${token}\n`, ...others])
      assert.deepEqual(verify(wrong), { failure: 'ptn-token' });
  });
});
