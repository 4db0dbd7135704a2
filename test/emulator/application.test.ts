import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import type { EmulatorRequest } from '../../src/emulator/http.ts';
import { applicationCodes } from '../../src/emulator/refusals.ts';
import { revealed } from '../support/secrets.ts';
import {
  clientId,
  encrypt,
  json,
  keyExchange,
  keyPair,
  newApplication,
  post,
  registration,
  unwrap,
} from './support.ts';

describe('the reference application, key exchange (4.1.1)', () => {
  it('returns a new key of 32 characters, wrapped with the public key of the request', async () => {
    const { application, call } = newApplication();
    const { response, facts } = await call(keyExchange());
    const { code, message, result } = json(response);
    const type = response.headers['content-type'];
    const right = [200, 'application/json;charset=utf-8', '0000', ''];
    assert.deepEqual([response.status, type, code, message], right);
    const { enc_partner_key } = result as { enc_partner_key: string };
    const key = unwrap(enc_partner_key);
    assert.match(key, /^[A-Za-z0-9]{32}$/);
    const user = { ptnCd: 'user-1', key, state: 'known' };
    assert.deepEqual(revealed(application.users.get('user-1')), user);
    const exchanged = { operation: 'key-exchange', ptnCd: 'user-1', clientId, code, faults: [] };
    assert.deepEqual(revealed(facts), { ...exchanged, key, secrets: [key] });
    const text = `${JSON.stringify(response.headers)}${Buffer.from(response.body)}`;
    for (const form of ['utf8', 'base64', 'hex'] as const)
      assert.ok(!text.includes(Buffer.from(key).toString(form)), form);
  });

  it('forgets the passcode of before, because the new key counts', async () => {
    const { application, exchange, send } = newApplication();
    await send(registration(encrypt('secret', await exchange())));
    const user = { ptnCd: 'user-1', key: await exchange(), state: 'known' };
    assert.deepEqual(revealed(application.users.get('user-1')), user);
  });
});

describe('the reference application, registration (4.1.2)', () => {
  it('decrypts passcode and user information with the stored key, and keeps them', async () => {
    const { application, exchange, call } = newApplication();
    const key = await exchange();
    const person = { email: 'o@example.com', name: 'Ōtani 大谷', phone: '+81 90 1234' };
    const userInfo = JSON.stringify(person);
    const changes = { ubifill: encrypt(userInfo, key) };
    const { response, facts } = await call(registration(encrypt('päss', key), 'user-1', changes));
    assert.deepEqual(json(response), { code: '0000', message: '' });
    const user = { ptnCd: 'user-1', key, superPasscode: 'päss', userInfo, state: 'registered' };
    assert.deepEqual(revealed(application.users.get('user-1')), user);
    assert.deepEqual(revealed(facts.secrets), [key, 'päss', userInfo, ...Object.values(person)]);
    assert.equal((await call(registration(encrypt('p', key)))).facts.code, '0000');
    assert.equal(application.users.get('user-1')?.userInfo, undefined);
  });

  it('responds to every failure to decrypt alike', async () => {
    const { exchange, call } = newApplication();
    const key = await exchange();
    const [good, wrong] = [encrypt('secret', key), encrypt('x'.repeat(64), 'k'.repeat(32))];
    const notUtf8 = encrypt(Buffer.of(0xff, 0xfe), key);
    const responses = new Set<string>();
    for (const payload of ['?', good.slice(0, 20), good.slice(0, -4), wrong, notUtf8]) {
      for (const request of [
        registration(payload),
        registration(good, 'user-1', { ubifill: payload }),
      ])
        responses.add(`${Buffer.from((await call(request)).response.body)}`);
    }
    assert.match([...responses].join(), /^\{"code":"A108"[^}]*\}$/);
  });
});

describe('the reference application refuses', () => {
  const spki = Buffer.from(keyPair.publicKeyText, 'base64');
  const pem = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
  for (const [what, public_key] of [
    ['no Base64', '!!!'],
    ['a key with bytes behind it', Buffer.concat([spki, Buffer.of(0)]).toString('base64')],
    ['Base64 with line breaks', keyPair.publicKeyText.replace(/.{64}/g, '$&\n')],
    ['PEM', pem.export({ type: 'spki', format: 'pem' }).toString()],
    ['PKCS #1', pem.export({ type: 'pkcs1', format: 'der' }).toString('base64')],
    ['an EC key', ec.export({ type: 'spki', format: 'der' }).toString('base64')],
  ] as const) {
    it(`a public_key that is ${what}`, async () => {
      const { application, send } = newApplication();
      const refusal = { code: 'A106', message: applicationCodes['public-key'].meaning };
      assert.deepEqual(await send(keyExchange('user-1', { public_key })), refusal);
      assert.equal(application.users.get('user-1'), undefined);
    });
  }

  const get = { method: 'GET', body: new Uint8Array() };
  const typed = (type: string) => ({ ...keyExchange(), headers: { 'content-type': type } });
  const at = (path: string) => ({ ...keyExchange(), path });
  const cases: readonly [string, EmulatorRequest, string, RegExp, number?][] = [
    ['text', post('hello'), 'A101', /not JSON/],
    ['an empty body', post(''), 'A101', /empty/],
    ['an array', post([1]), 'A101', /not an object: array/],
    ['a byte order mark', post('\ufeff{}'), 'A101', /byte order mark/],
    ['a name twice', post('{"ptn_cd":"a","ptn_cd":"b"}'), 'A101', /"ptn_cd" occurs twice/],
    ['no client_id', keyExchange('u', { client_id: undefined }), 'A102', /"client_id" is missing/],
    ['an empty ptn_cd', keyExchange(''), 'A102', /"ptn_cd" is empty/],
    ['no public_key', keyExchange('u', { public_key: undefined }), 'A102', /"public_key" is mi/],
    ['no partner_sp', registration('x', 'u', { partner_sp: undefined }), 'A102', /"partner_sp"/],
    ['an empty ubifill', registration('x', 'u', { ubifill: '' }), 'A102', /"ubifill" is empty/],
    ['a number as ptn_cd', keyExchange('u', { ptn_cd: 7 }), 'A103', /"ptn_cd" must be a string/],
    ['used_type "3"', keyExchange('u', { used_type: '3' }), 'A104', /must be "1" or "2"/],
    ['used_type 1', keyExchange('u', { used_type: 1 }), 'A104', /"used_type" must be a string/],
    ['no used_type', keyExchange('u', { used_type: undefined }), 'A104', /"used_type" is missing/],
    ['another client', keyExchange('u', { client_id: 'x' }), 'A105', /not the client id/],
    ['an unknown user', registration('x', 'nobody'), 'A107', /No key was exchanged/],
    ['another path', at('/x'), 'A900', /callback URL is \/callback\.$/, 404],
    ['GET', post('', get), 'A901', /must be POST/, 405],
    ['no content type', post('{}', { headers: {} }), 'A902', /Content-type/, 415],
    ['no charset', typed('application/json'), 'A902', /Content-type/, 415],
    ['a large body', post('{}', { bodyTooLarge: true }), 'A903', /too large/, 413],
  ];
  for (const [what, request, code, message, status = 200] of cases) {
    it(`${what} with ${code}`, async () => {
      const { response, facts } = await newApplication().call(request);
      const body = json(response);
      assert.deepEqual([response.status, body.code, facts.code], [status, code, code]);
      assert.match(String(body.message), message);
      assert.deepEqual(Object.keys(body), ['code', 'message']);
      if (status === 405) assert.equal(response.headers.allow, 'POST');
    });
  }

  for (const [what, request] of [
    ['an unknown field', keyExchange('u', { extra: { a: [1] } })],
    ['a bare address and a query', { ...keyExchange(), path: '/', query: 'a=b' }],
  ] as const) {
    it(`nothing for ${what}`, async () => {
      assert.equal((await newApplication().call(request)).facts.code, '0000');
    });
  }
});
