import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import type { Detail, Revealed } from '../../src/page/wire.ts';
import { keyExchange, post } from '../emulator/support.ts';
import { jsonOf, newPage, origin, token } from './support.ts';

/** Headers that every answer to the page has. */
const quiet = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const registration = (ptnCd: string, partnerSp: string, more = {}) =>
  post({ client_id: 'client-1', used_type: '2', ptn_cd: ptnCd, partner_sp: partnerSp }, more);

describe('the server of the page', () => {
  it('gives the page with its policy, to be stored and sent nowhere', async () => {
    const { ask, page } = newPage();
    const { status, headers, body } = await ask('GET', '');
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/html;charset=utf-8');
    const policy = headers['content-security-policy'] ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'sha256-/);
    for (const [name, value] of Object.entries(quiet)) assert.equal(headers[name], value);
    assert.match(Buffer.from(body).toString(), /<script>/);
    assert.equal(page.url, `http://127.0.0.1:8080/_authcli/ui/${token}/`);
  });

  it('leaves every other path alone', () => {
    const { page } = newPage();
    for (const path of ['/', '/callback', '/_authcli/health', '/_authcli/ui', '/_authcli/uix/'])
      assert.equal(page.respond({ ...post(''), path }), undefined);
  });

  it('says no in JSON, with the same headers', async () => {
    const { page, ask } = newPage();
    const path = `/_authcli/ui/${token}/`;
    const outside = await page.respond({ ...post(''), path, peer: '10.0.0.1' });
    assert.equal(outside?.status, 403);
    for (const [name, value] of Object.entries(quiet)) assert.equal(outside.headers[name], value);
    const cases = [
      ['GET', 'nothing', 404],
      ['POST', '', 404],
      ['PUT', 'faults', 404],
      ['GET', 'exchange?id=1', 404],
      ['GET', 'exchange', 404],
      ['POST', 'reveal', 404],
    ] as const;
    for (const [method, name, status] of cases)
      assert.equal((await ask(method, name, {})).status, status, `${method} ${name}`);
  });

  it('keeps secrets back until they are asked for', async () => {
    const { ask, receive, application } = newPage();
    await receive(keyExchange('alice'));
    const key = application.users.get('alice')?.key.reveal() ?? '';
    const response = await ask('GET', 'exchange?id=1');
    assert.equal(response.status, 200);
    assert.ok(!Buffer.from(response.body).toString().includes(key));
    const { fields } = jsonOf<Detail>(response);
    const field = fields.find((each) => each.field === 'enc_partner_key');
    assert.deepEqual([field?.value, field?.item], [null, 'response.enc_partner_key']);
    const { value } = jsonOf<Revealed>(await ask('POST', 'reveal', { id: 1, item: field?.item }));
    assert.equal(value, key);
  });

  it('gives bodies as they were when asked for, and nothing that there is not', async () => {
    const { ask, receive } = newPage();
    const request = keyExchange('alice');
    await receive(request);
    const body = await ask('POST', 'reveal', { id: 1, item: 'request-body' });
    const { value } = jsonOf<Revealed>(body);
    assert.equal(value, Buffer.from(request.body).toString());
    for (const item of ['response.acs_token', '', 'constructor', undefined])
      assert.equal((await ask('POST', 'reveal', { id: 1, item })).status, 404);
    assert.equal((await ask('POST', 'reveal', { id: 2, item: 'request-body' })).status, 404);
    assert.equal((await ask('POST', 'reveal', 'no object')).status, 400);
  });

  it('hides what is secret in a body, a header and a path', async () => {
    const { ask, receive, application } = newPage();
    await receive(keyExchange('alice'));
    const key = application.users.get('alice')?.key.reveal() ?? '';
    const type = { 'content-type': 'application/json;charset=utf-8' };
    const headers = { authorization: 'Bearer abcdefgh12345', 'x-key': key, ...type };
    await receive(registration('alice', key, { path: `/${key}`, query: key, headers }));
    const text = Buffer.from((await ask('GET', 'exchange?id=2')).body).toString();
    assert.ok(!text.includes(key) && !text.includes('abcdefgh12345'));
  });

  it('explains a refusal in the words of explain', async () => {
    const { ask, receive } = newPage();
    await receive(registration('bob', 'AAAA'));
    const [finding] = jsonOf<Detail>(await ask('GET', 'exchange?id=1')).findings;
    const fix = 'Send the key-exchange callback first, with the same ptn_cd.';
    assert.deepEqual([finding?.kind, finding?.code, finding?.fix], ['failure', 'A107', fix]);
  });

  it('explains what a fault does, with the calls per language', async () => {
    const { ask, receive, application } = newPage();
    application.faults.switchOn({ name: 'oaep-sha1' });
    await receive(keyExchange());
    const [finding] = jsonOf<Detail>(await ask('GET', 'exchange?id=1')).findings;
    const { kind, code, section, observed = '', calls = [] } = finding ?? {};
    assert.deepEqual([kind, code, section], ['fault', 'oaep-sha1', '2.2']);
    assert.match(observed ?? '', /^Caused on request by the fault oaep-sha1: /);
    const call = 'Cipher.getInstance("RSA/ECB/PKCS1Padding")';
    assert.deepEqual(calls[0], { stacks: 'Java, Kotlin', call });
  });

  it('looks closely at a payload that the key does not open, and names the cipher', async () => {
    const { ask, receive, application } = newPage();
    await receive(keyExchange('alice'));
    const key = application.users.get('alice')?.key.reveal() ?? '';
    const cipher = parseCipher('aes-256-gcm');
    const text = Buffer.from('{"email":"a@example.com","name":"Alice Kim","phone":"1"}');
    const partnerSp = encryptPayload(text, key, cipher, (size) => Buffer.alloc(size, 7));
    await receive(registration('alice', partnerSp));
    const { findings } = jsonOf<Detail>(await ask('GET', 'exchange?id=2'));
    assert.equal(findings.map(({ code }) => code).join(), 'cipher-mismatch');
    assert.match(JSON.stringify(findings[0]), /aes-256-gcm/);
  });

  it('gives a request as a curl command that sends it again', async () => {
    const { ask, receive } = newPage();
    const request = keyExchange("o'brien");
    await receive({ ...request, query: 'a=1' });
    const curl = await ask('POST', 'reveal', { id: 1, item: 'request-curl' });
    const { value } = jsonOf<Revealed>(curl);
    assert.match(value, /^curl --request POST --header /);
    assert.ok(value.endsWith(`' '${origin}/callback?a=1'`), value);
    assert.ok(value.includes(Buffer.from(request.body).toString().replaceAll("'", "'\\''")), value);
  });

  it('switches faults on and off, and sends sign-ups, as the control paths do', async () => {
    const orders: unknown[] = [];
    const signUp = async (order: unknown) => {
      orders.push(order);
      return { signed_up: true };
    };
    const { ask, application } = newPage({ signUp });
    const on = await ask('POST', 'faults', { name: 'hex', times: 2, ptn_cd: 'bob' });
    assert.equal(on.status, 200);
    assert.deepEqual(application.faults.active(), [{ name: 'hex', times: 2, ptnCd: 'bob' }]);
    assert.equal((await ask('POST', 'faults', { name: 'nothing' })).status, 400);
    await ask('DELETE', 'faults?name=hex');
    assert.deepEqual(application.faults.active(), []);
    const list = jsonOf<{ available: unknown[] }>(await ask('GET', 'faults'));
    assert.equal(list.available.length, application.faults.catalogue.length);
    await ask('POST', 'signup', { ptn_cd: 'carol' });
    assert.equal((orders[0] as { ptnCd: string }).ptnCd, 'carol');
  });

  it('forgets everything when asked to', async () => {
    const { ask, receive, feed } = newPage();
    await receive(keyExchange());
    await ask('POST', 'clear', {});
    assert.deepEqual(feed.after(0), []);
    assert.equal(feed.first, 2);
    assert.equal((await ask('GET', 'exchange?id=1')).status, 404);
  });

  it('opens a stream of events', async () => {
    const { headers, stream } = await newPage().ask('GET', 'events');
    assert.equal(headers['content-type'], 'text/event-stream');
    assert.equal(typeof stream, 'function');
  });
});
