import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCipher } from '../../src/crypto/cipher.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { keyExchange, post, registration } from '../emulator/support.ts';
import { newPage, token } from './support.ts';

/** Headers that every answer to the page has. */
const quiet = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

/** A page that alice has exchanged her key before. */
async function withAlice() {
  const page = newPage();
  const request = keyExchange('alice');
  await page.receive(request);
  return { ...page, request, key: page.application.users.get('alice')?.key.reveal() ?? '' };
}

describe('the server of the page', () => {
  it('gives the page with its policy, to be stored and sent nowhere', async () => {
    const { ask, page } = newPage();
    const { status, headers, body } = await ask('GET', '');
    assert.equal(status, 200);
    const { 'content-security-policy': policy = '', ...others } = headers;
    assert.match(policy, /^default-src 'none'; script-src 'sha256-/);
    assert.deepEqual(others, { ...quiet, 'content-type': 'text/html;charset=utf-8' });
    assert.match(Buffer.from(body).toString(), /<script>/);
    assert.equal(page.url, `http://127.0.0.1:8080/_authcli/ui/${token}/`);
  });

  it('leaves every other path alone', () => {
    const { page } = newPage();
    for (const path of ['/callback', '/_authcli/health', '/_authcli/ui', '/_authcli/uix/'])
      assert.equal(page.respond({ ...post(''), path }), undefined);
  });

  it('says no in JSON, with the same headers', async () => {
    const { page, ask } = newPage();
    const path = `/_authcli/ui/${token}/`;
    const outside = await page.respond({ ...post(''), path, peer: '10.0.0.1' });
    assert.equal(outside?.status, 403);
    for (const [name, value] of Object.entries(quiet)) assert.equal(outside.headers[name], value);
    for (const [method, name] of [
      ['GET', 'nothing'],
      ['PUT', 'clear'],
      ['GET', 'exchange?id=1'],
      ['POST', 'reveal'],
    ] as const)
      assert.equal((await ask(method, name, {})).status, 404, `${method} ${name}`);
  });

  it('keeps secrets back until they are asked for', async () => {
    const { ask, detail, revealed, key } = await withAlice();
    assert.ok(!Buffer.from((await ask('GET', 'exchange?id=1')).body).includes(key));
    const { fields } = await detail(1);
    const field = fields.find((each) => each.field === 'enc_partner_key');
    assert.deepEqual([field?.value, field?.item], [null, 'response.enc_partner_key']);
    assert.equal(await revealed(1, 'response.enc_partner_key'), key);
  });

  it('gives bodies as they were when asked for, and nothing that there is not', async () => {
    const { ask, revealed, request } = await withAlice();
    assert.equal(await revealed(1, 'request-body'), Buffer.from(request.body).toString());
    assert.match(await revealed(1, 'response-body'), /"enc_partner_key":/);
    for (const item of ['response.acs_token', 'constructor', undefined])
      assert.equal((await ask('POST', 'reveal', { id: 1, item })).status, 404);
    assert.equal((await ask('POST', 'reveal', { id: 2, item: 'request-body' })).status, 404);
    assert.equal((await ask('POST', 'reveal', 'no object')).status, 400);
  });

  it('hides what is secret in a body, a header and a path', async () => {
    const { ask, receive, key } = await withAlice();
    const type = { 'content-type': 'application/json;charset=utf-8' };
    const headers = { authorization: 'Bearer abcdefgh12345', 'x-key': key, ...type };
    await receive({ ...registration(key, 'alice'), path: `/${key}`, query: key, headers });
    const text = Buffer.from((await ask('GET', 'exchange?id=2')).body).toString();
    assert.ok(!text.includes(key) && !text.includes('abcdefgh12345'));
  });

  it('shows a body that is too long or not text in part, and says so', async () => {
    const { receive, detail } = newPage();
    await receive(post('x'.repeat(70_000)));
    await receive({ ...post(''), body: Uint8Array.of(0xff) });
    const [long, binary] = [(await detail(1)).request, (await detail(2)).request];
    assert.deepEqual([long.body.length, long.note], [65_536, 'truncated after 65536 characters']);
    assert.deepEqual([binary.body, binary.note], ['/w==', 'not UTF-8, shown in Base64']);
  });

  it('explains a refusal in the words of explain', async () => {
    const { receive, detail, feed } = newPage();
    await receive(registration('AAAA', 'bob'));
    assert.equal(feed.find(1)?.row.outcome, 'bad');
    const [finding] = (await detail(1)).findings;
    const fix = 'Send the key-exchange callback first, with the same ptn_cd.';
    assert.deepEqual([finding?.kind, finding?.code, finding?.fix], ['failure', 'A107', fix]);
  });

  it('explains what a fault does, with the call in the language that is known', async () => {
    const { receive, detail, application, feed } = newPage();
    application.faults.switchOn({ name: 'oaep-sha1' });
    await receive(keyExchange());
    assert.equal(feed.find(1)?.row.outcome, 'fault');
    const [finding] = (await detail(1)).findings;
    const { kind, code, section, observed, call } = finding ?? {};
    assert.deepEqual([kind, code, section], ['fault', 'oaep-sha1', '2.2']);
    assert.match(observed ?? '', /^Caused on request by the fault oaep-sha1: /);
    const right = 'Cipher.getInstance("RSA/ECB/PKCS1Padding")';
    assert.deepEqual(call, { stack: 'Java', call: right });
  });

  it('has no status of a response that was broken off', async () => {
    const { receive, application, feed } = newPage();
    application.faults.switchOn({ name: 'reset' });
    await receive(keyExchange());
    const { outcome, status, code } = feed.find(1)?.row ?? {};
    assert.deepEqual([outcome, status, code], ['none', null, null]);
  });

  it('looks closely at a payload that the key does not open, and names the cipher', async () => {
    const { receive, detail, key } = await withAlice();
    const text = Buffer.from('{"email":"a@example.com","name":"Alice Kim","phone":"1"}');
    const noise = (size: number) => Buffer.alloc(size, 7);
    const partnerSp = encryptPayload(text, key, parseCipher('aes-256-gcm'), noise);
    await receive(registration(partnerSp, 'alice'));
    const { findings } = await detail(2);
    assert.equal(findings.map(({ code }) => code).join(), 'cipher-mismatch');
    assert.match(JSON.stringify(findings[0]), /aes-256-gcm/);
  });

  it('forgets everything when asked to', async () => {
    const { ask, feed } = await withAlice();
    await ask('POST', 'clear', {});
    assert.deepEqual([feed.after(0), feed.first], [[], 2]);
    assert.equal((await ask('GET', 'exchange?id=1')).status, 404);
  });

  it('opens a stream of events', async () => {
    const { headers, stream } = await newPage().ask('GET', 'events');
    assert.equal(headers['content-type'], 'text/event-stream');
    assert.equal(typeof stream, 'function');
  });
});
