import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import type { EmulatorRequest } from '../../src/emulator/http.ts';
import { applicationCodes } from '../../src/emulator/refusals.ts';
import { json, keyExchange, keyPair, newApplication, post, registration } from './support.ts';

describe('the reference application refuses', () => {
  const spki = Buffer.from(keyPair.publicKeyText, 'base64');
  const pem = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
  const badKeys: Readonly<Record<string, string>> = {
    'no Base64': '!!!',
    'Base64 of something else': Buffer.from('hello, world').toString('base64'),
    'a truncated key': spki.subarray(0, -20).toString('base64'),
    'a key with bytes behind it': Buffer.concat([spki, Buffer.of(0)]).toString('base64'),
    'Base64 with line breaks': keyPair.publicKeyText.replace(/.{64}/g, '$&\n'),
    PEM: pem.export({ type: 'spki', format: 'pem' }).toString(),
    'PKCS #1': pem.export({ type: 'pkcs1', format: 'der' }).toString('base64'),
    'an EC key': ec.export({ type: 'spki', format: 'der' }).toString('base64'),
  };
  for (const [what, public_key] of Object.entries(badKeys)) {
    it(`a public_key that is ${what}`, async () => {
      const { application, send } = newApplication();
      assert.deepEqual(await send(keyExchange('user-1', { public_key })), {
        code: 'A106',
        message: applicationCodes['public-key'].meaning,
      });
      assert.equal(application.users.get('user-1'), undefined);
    });
  }

  const get = { method: 'GET', body: new Uint8Array() };
  const cases: readonly [string, EmulatorRequest, string, RegExp, number?][] = [
    ['text', post('hello'), 'A101', /not JSON/],
    ['an empty body', post(''), 'A101', /empty/],
    ['an array', post([1]), 'A101', /not an object: array/],
    ['half a body', post('{"client_id":"c'), 'A101', /not JSON/],
    ['a byte order mark', post('\ufeff{}'), 'A101', /byte order mark/],
    ['a name twice', post('{"ptn_cd":"a","ptn_cd":"b"}'), 'A101', /"ptn_cd" occurs twice/],
    ['no client_id', keyExchange('u', { client_id: undefined }), 'A102', /"client_id" is missing/],
    ['no ptn_cd', keyExchange('u', { ptn_cd: undefined }), 'A102', /"ptn_cd" is missing/],
    ['an empty ptn_cd', keyExchange(''), 'A102', /"ptn_cd" is empty/],
    [
      'no public_key',
      keyExchange('u', { public_key: undefined }),
      'A102',
      /"public_key" is missing/,
    ],
    ['no partner_sp', registration('x', 'u', { partner_sp: undefined }), 'A102', /"partner_sp"/],
    ['a number as ptn_cd', keyExchange('u', { ptn_cd: 7 }), 'A103', /"ptn_cd" must be a string/],
    ['an empty ubifill', registration('x', 'u', { ubifill: '' }), 'A102', /"ubifill" is empty/],
    [
      'used_type "3"',
      keyExchange('u', { used_type: '3' }),
      'A104',
      /"used_type" must be "1" or "2"/,
    ],
    ['used_type 1', keyExchange('u', { used_type: 1 }), 'A104', /"used_type" must be a string/],
    ['no used_type', keyExchange('u', { used_type: undefined }), 'A104', /"used_type" is missing/],
    ['another client', keyExchange('u', { client_id: 'x' }), 'A105', /not the client id/],
    ['an unknown user', registration('x', 'nobody'), 'A107', /No key was exchanged/],
    ['GET', post('', get), 'A901', /must be POST/, 405],
    [
      'plain text',
      post('{}', { headers: { 'content-type': 'text/plain' } }),
      'A902',
      /Content-type/,
      415,
    ],
    ['no content type', post('{}', { headers: {} }), 'A902', /Content-type/, 415],
    ['a large body', post('{}', { bodyTooLarge: true }), 'A903', /too large/, 413],
  ];
  for (const [what, request, code, message, status = 200] of cases) {
    it(`${what} with ${code}`, async () => {
      const { call } = newApplication();
      const { response, facts } = await call(request);
      const body = json(response);
      assert.equal(body.code, code);
      assert.match(String(body.message), message);
      assert.equal(response.status, status);
      assert.equal(facts.code, code);
      assert.deepEqual(Object.keys(body), ['code', 'message']);
    });
  }

  it('and reports which methods it takes', async () => {
    const { call } = newApplication();
    const { response } = await call(post('', get));
    assert.equal(response.headers.allow, 'POST');
  });

  it('and goes on working', async () => {
    const { exchange, send } = newApplication();
    for (const [, request] of cases) await send(request);
    assert.equal((await exchange()).length, 32);
  });

  it('nothing for an unknown field, a bare address or a query', async () => {
    const { call } = newApplication();
    const request = { ...keyExchange('u', { extra: { a: [1] } }), path: '/', query: 'a=b' };
    assert.equal((await call(request)).facts.code, '0000');
  });

  for (const path of ['/x', '/callback/', '/Callback', '/api/callback']) {
    it(`404 for the path ${path}, with the right one`, async () => {
      const { call } = newApplication();
      const { response, facts } = await call({ ...keyExchange(), path });
      assert.equal(response.status, 404);
      assert.equal(facts.code, 'A900');
      assert.match(String(json(response).message), /the path of the callback URL is \/callback\.$/);
    });
  }

  for (const header of [
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'Application/JSON ; Charset="utf-8"',
  ]) {
    it(`nothing for the content type ${header}`, async () => {
      const { call } = newApplication();
      const request = { ...keyExchange(), headers: { 'content-type': header } };
      assert.equal((await call(request)).facts.code, '0000');
    });
  }

  for (const header of [
    'application/json',
    'application/json;charset=utf-16',
    'application/x-www-form-urlencoded;charset=utf-8',
  ]) {
    it(`the content type ${header}`, async () => {
      const { call } = newApplication();
      const request = { ...keyExchange(), headers: { 'content-type': header } };
      assert.equal((await call(request)).facts.code, 'A902');
    });
  }

  it('with a code of its own for each reason', () => {
    const codes = Object.values(applicationCodes).map(({ code }) => code);
    assert.equal(new Set(codes).size, codes.length);
    assert.ok(codes.every((code) => /^A\d{3}$/.test(code)));
  });
});
