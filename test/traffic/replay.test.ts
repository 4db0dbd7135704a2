import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Transport, WireRequest } from '../../src/client/exchange.ts';
import { simulateSignup } from '../../src/client/signup.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { type CapturedExchange, subjectOf } from '../../src/traffic/capture.ts';
import { compareResponses, type ReplayedCallback, startReplay } from '../../src/traffic/replay.ts';
import { application, clientId, transportTo } from '../conformance/support.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

type Fields = Readonly<Record<string, unknown>>;

const keyPair = await keyPairSource()(2048);
const now = () => 1_800_000_000_000;
const environment = { randomBytes: seededBytes('replay'), now };
const url = new URL('http://127.0.0.1:1/callback');
const toApplication = (...faults: readonly string[]) => transportTo(application(...faults), now);
const fieldsIn = (message: { readonly body: Uint8Array } | undefined): Fields =>
  JSON.parse(Buffer.from(message?.body ?? []).toString());

/** The sign-ups of three users as a relay captures them. */
const recorded: CapturedExchange[] = [];
const original = toApplication();
for (const ptnCd of ['ada', 'grace', 'edsger']) {
  const outcome = await simulateSignup(original, {
    url,
    clientId,
    ptnCd,
    keyPair,
    cipher: defaultCipher,
    superPasscode: Secret.text(`passcode of ${ptnCd}`),
    userInfo: Secret.text('{"email":"ada@example.com"}'),
    ...environment,
    now: now(),
  });
  for (const { exchange } of outcome.steps) {
    const { headers, body } = exchange.request;
    const request = { method: 'POST', target: '/callback', headers, body };
    const { response } = exchange;
    const source = `line ${recorded.length + 2}`;
    recorded.push({ source, ...subjectOf(request, response), request, response, key: outcome.key });
  }
}

async function replayed(
  exchanges: readonly CapturedExchange[],
  transport: Transport = toApplication(),
) {
  const hidden: string[] = [];
  const sent: Fields[] = [];
  const noting = {
    ...transport,
    send: (request: WireRequest) => {
      sent.push(fieldsIn(request));
      return transport.send(request);
    },
  };
  const hide = (secret: Secret) => void hidden.push(secret.reveal());
  const options = { url, transport: noting, keyPair, cipher: defaultCipher, hide };
  const send = startReplay({ ...options, ...environment });
  const callbacks: ReplayedCallback[] = [];
  for (const each of exchanges) {
    const callback = await send(each);
    if (callback !== undefined) callbacks.push(callback);
  }
  return { callbacks, sent, hidden };
}

const changed = (exchange: CapturedExchange | undefined, fields: Fields): CapturedExchange => {
  assert.ok(exchange?.request);
  const body = Buffer.from(JSON.stringify({ ...fieldsIn(exchange.request), ...fields }));
  return { ...exchange, request: { ...exchange.request, body } };
};

describe('a replay', () => {
  it('finds nothing in the application that was recorded, and sends fresh users', async () => {
    const { callbacks, sent, hidden } = await replayed(recorded);
    assert.equal(callbacks.length, 6);
    for (const { differences, diagnosis } of callbacks)
      assert.deepEqual([differences, diagnosis], [[], undefined]);
    const users = new Set(sent.map(({ ptn_cd: user }) => user));
    assert.deepEqual([users.size, users.has('ada')], [3, false]);
    for (const user of ['ada', 'grace', 'edsger'])
      assert.ok(hidden.includes(`passcode of ${user}`));
  });

  it('invents passcodes where a recording has no keys', async () => {
    const keyless = recorded.map((each) => ({ ...each, key: undefined }));
    const { callbacks, hidden } = await replayed(keyless);
    assert.ok(callbacks.every(({ differences }) => differences.length === 0));
    assert.ok(!hidden.includes('passcode of ada'));
  });

  it('keeps what else the service sends, and the form of its public key', async () => {
    const pem = keyPair.publicKey.keyObject.export({ type: 'spki', format: 'pem' });
    const [first] = recorded;
    const { sent } = await replayed([changed(first, { public_key: pem, trace: 7 })]);
    assert.deepEqual([sent[0]?.trace, sent[0]?.client_id], [7, clientId]);
    const key = String(sent[0]?.public_key);
    assert.match(key, /^-----BEGIN PUBLIC KEY-----\n/);
    assert.equal(createPublicKey(key).asymmetricKeyDetails?.modulusLength, 2048);
    const invalid = await replayed([changed(first, { public_key: 'none' })]);
    assert.equal(invalid.sent[0]?.public_key, 'none');
  });

  it('names what is wrong with a key, and goes on', async () => {
    for (const [fault, code] of [
      ['leaks-key-in-message', 'key-leaked'],
      ['key-of-16', 'key-length'],
      ['hex', 'hex'],
    ] as const) {
      const { callbacks } = await replayed(recorded, toApplication(fault));
      assert.deepEqual([callbacks.length, callbacks[0]?.diagnosis?.code], [6, code]);
    }
  });
});

describe('two responses', () => {
  const response = (body: unknown, type = 'application/json', status = 200) => ({
    status,
    headers: [['Content-Type', type]] as const,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  });
  const right = { code: '0000', message: '', result: { key: 'x' } };
  const utf8 = 'application/json;charset=UTF-8';
  const json = response(right, utf8);
  const cases: readonly (readonly [after: ReturnType<typeof response>, differences: string])[] = [
    [response(right, 'application/json; charset=utf-8'), ''],
    [response(right, utf8, 500), 'HTTP status 200 500'],
    [response(right, 'text/html'), `content-type application/json; charset=utf-8 text/html`],
    [response('text', utf8), 'body JSON not JSON'],
    [response({ ...right, code: '9' }, utf8), 'code "0000" "9"'],
    [response({ ...right, code: 0 }, utf8), 'code "0000" 0, code string number'],
    [response({ ...right, trace: 'x' }, utf8), 'trace none string'],
    [response({ ...right, message: null }, utf8), 'message string null'],
    [response({ ...right, result: {} }, utf8), 'result.key string none'],
  ];
  it('differ in what a program would notice, and not in what a log left out', () => {
    for (const [after, expected] of cases) {
      const found = compareResponses(json, after).map((each) => Object.values(each).join(' '));
      assert.equal(found.join(', '), expected);
    }
    for (const left of [{ body: json.body }, undefined])
      assert.deepEqual(compareResponses(left, json), []);
  });
});
