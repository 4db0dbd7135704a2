import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { RecordedCallbacks } from '../../src/relay/recorded-callbacks.ts';
import { Tolerance } from '../../src/relay/tolerance.ts';
import { exchange, keyOf, sealWith } from './traffic.ts';

const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
const base64 = (key: ReturnType<typeof pair>) =>
  key.export({ type: 'spki', format: 'der' }).toString('base64');
const accepted = { code: '0000', message: '' };
const next = { email: 'kim@example.com', name: 'Kim', phone: '1' };

function callbacksOf(...exchanges: readonly ReturnType<typeof exchange>[]): RecordedCallbacks {
  const callbacks = new RecordedCallbacks();
  for (const each of exchanges) callbacks.observe(each);
  return callbacks;
}

/** What goes out where authcli sends this callback over the recorded form. */
async function sent(callbacks: RecordedCallbacks, fields: object) {
  const url = new URL('http://127.0.0.1/callback');
  let seen: Parameters<ReturnType<RecordedCallbacks['over']>['send']>[0] | undefined;
  const transport = callbacks.over({
    send: (request) => {
      seen = request;
      return Promise.reject(new Error('not sent'));
    },
    close: async () => undefined,
  });
  const body = Buffer.from(JSON.stringify(fields));
  await assert.rejects(transport.send({ method: 'POST', url, headers: [], body }));
  return { headers: seen?.headers, body: Buffer.from(seen?.body ?? '').toString() };
}

describe('callbacks in the recorded form', () => {
  it('have the recorded order, types, extra fields and headers, and the form of public_key', async () => {
    const [recorded, own] = [pair(), pair()];
    const lines = base64(recorded).replace(/.{64}/g, '$&\n');
    const request = { v: 2, public_key: lines, used_type: 1, ptn_cd: 'ada', who: 'ada' };
    const headers = [
      ['Content-Type', 'text/json'],
      ['Content-Length', '7'],
      ['Authorization', 'Bearer secret:4'],
      ['X-Key', 'k'],
    ] as const;
    const callbacks = callbacksOf(exchange({ request, response: accepted, headers }));
    const fields = { client_id: 'c', used_type: '1', ptn_cd: 'kim', public_key: base64(own) };
    const { headers: out, body } = await sent(callbacks, fields);
    assert.deepEqual(out, [
      ['Content-Type', 'text/json'],
      ['X-Key', 'k'],
    ]);
    const publicKey = base64(own).replace(/.{64}/g, '$&\n');
    const expected = { v: 2, public_key: publicKey, used_type: 1, ptn_cd: 'kim', who: 'kim' };
    assert.equal(body, JSON.stringify(expected));
    assert.equal(callbacks.publicKey?.modulusBits, 2048);
  });

  it('follow an accepted callback rather than a refused one', async () => {
    const of = (used_type: unknown, code: string) =>
      exchange({ request: { used_type, ptn_cd: 'a', partner_sp: 'x' }, response: { code } });
    const callbacks = callbacksOf(of(2, 'E1'), of('2', '0000'), of(2, '0000'));
    const { body } = await sent(callbacks, { used_type: '2', ptn_cd: 'b', partner_sp: 'y' });
    assert.equal(body, '{"used_type":"2","ptn_cd":"b","partner_sp":"y"}');
  });

  it('have the recorded user information, or none if none was recorded', async () => {
    const seal = sealWith('default');
    const registration = (user: string, ubifill?: string) =>
      exchange({
        request: { used_type: '2', ptn_cd: user, partner_sp: 'x', ...(ubifill && { ubifill }) },
        response: accepted,
        key: keyOf(user),
      });
    const info = seal('{"nm":"Ada","eml":"ada@mail.example"}', keyOf('ada'));
    const callbacks = callbacksOf(registration('bob'), registration('ada', info));
    const written = callbacks.userInfo(next, 'kim', defaultCipher);
    assert.equal(written, '{"nm":"Kim","eml":"kim@example.com"}');
    assert.equal(callbacks.sendsUserInfo, true);
    assert.equal(callbacksOf(registration('bob')).sendsUserInfo, false);
  });
});

describe('the tolerance of a recorded side', () => {
  const post = (fields: object, type = 'application/json;charset=utf-8') => ({
    method: 'POST',
    path: '/callback',
    headers: { 'content-type': type },
    body: Buffer.from(JSON.stringify(fields)),
  });
  const key = pair();
  const pem = key.export({ type: 'spki', format: 'pem' }).toString();

  it('lets in what was accepted, as the interface has it, and nothing else', () => {
    const tolerance = new Tolerance();
    const { body } = post({ used_type: 1, public_key: pem });
    tolerance.observe({ method: 'POST', headers: [['Content-Type', 'text/plain']], body });
    const request = post({ used_type: 1, ptn_cd: 'a', public_key: pem }, 'text/plain');
    assert.deepEqual(
      tolerance.normalise(request),
      post({ used_type: '1', ptn_cd: 'a', public_key: base64(key) }),
    );
    for (const other of [
      post({ used_type: 1, ptn_cd: 5 }),
      post({ used_type: 1 }, 'text/html'),
      { ...request, method: 'PUT' },
    ])
      assert.equal(tolerance.normalise(other), other);
  });
});
