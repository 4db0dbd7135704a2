import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { formatExpireDt } from '../../src/protocol/expiry.ts';
import type { CapturedExchange } from '../../src/traffic/capture.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import {
  exchange,
  jsonInfo,
  keyOf,
  learn,
  registrations,
  sealWith,
  start,
  users,
} from './traffic.ts';

describe('the cipher that traffic shows', () => {
  it('is at most likely when one payload contradicts the others, wherever that is', () => {
    const right = registrations(sealWith('aes-256-ecb?key=utf8'), jsonInfo, 2);
    const partner_sp = Buffer.alloc(48, 7).toString('base64');
    const request = { used_type: '2', ptn_cd: 'x', partner_sp };
    const wrong = exchange({ request, response: { code: '0000', message: '' }, key: keyOf('x') });
    for (const order of [
      [...right, wrong],
      [wrong, ...right],
    ]) {
      const lesson = learn(order).get('cipher');
      assert.equal(lesson?.confidence, 'likely');
      assert.match(lesson.value ?? '', /^aes-256-ecb/);
      assert.match(lesson.evidence, new RegExp(`can't be decrypted with it: ${wrong.source}`));
    }
  });

  it('is unknown where nothing decrypts', () => {
    const noise = (text: string) => Buffer.from(seededBytes(text)(48)).toString('base64');
    const lesson = learn(registrations(noise, jsonInfo, 1)).get('cipher');
    assert.deepEqual([lesson?.confidence, lesson?.value], ['unknown', undefined]);
  });
});

describe('the user information that traffic shows', () => {
  const sometimes = (user: string) => (user === 'ada' ? { nm: 'Ada' } : {});
  const xml = (user: string) => `<u><email>${user}@example.com</email><name>A</name></u>`;
  const forms: readonly [(user: string) => string, string][] = [
    [jsonInfo, 'json: email, name, phone'],
    [xml, 'xml'],
    [(user) => `email=${user}%40example.com&name=${user}`, 'form: email, name'],
    [(user) => `${user}@example.com|${user}|010-1234-5678`, 'separated by "|"'],
    [(user) => JSON.stringify({ mail: user, ...sometimes(user) }), 'json: mail, nm (1 of 3)'],
  ];
  it('is named by its form and its fields', () => {
    for (const [info, expected] of forms) {
      const lesson = learn(registrations(sealWith('default'), info)).get('user-info-format');
      assert.deepEqual([lesson?.value, lesson?.confidence], [expected, 'certain']);
    }
  });
});

function tokens(zone: string, lifetimeSeconds: number, date = false): readonly CapturedExchange[] {
  return users.map((user, index) => {
    const at = start + index * 61_000;
    const expireDt = formatExpireDt(new Date(at + lifetimeSeconds * 1000), zone);
    const result = { acs_token: `t-${user}`, expire_dt: expireDt, ptn_cd: user };
    const headers = [['Date', new Date(at).toUTCString()]] as const;
    return exchange({
      request: { client_id: 'c', secret_key: 's', ptn_token: 'p' },
      response: { code: '0000', message: '', result },
      // the relay's clock is wrong by a quarter of an hour where the service says its own
      at: date ? at + 900_000 : at,
      ...(date && { headers }),
    });
  });
}

describe('the time zone of expire_dt that traffic shows', () => {
  it('is among those that fit', () => {
    for (const [zone, lifetime, offset] of [
      ['Asia/Seoul', 60, '+09:00'],
      ['America/New_York', 300, '-05:00'],
      ['Pacific/Chatham', 300, '+13:45'],
    ] as const) {
      const found = learn(tokens(zone, lifetime)).get('expire-time-zone');
      assert.equal(found?.confidence, 'likely');
      assert.equal(found.value, offset);
    }
  });

  it('is listed with its lifetime, and none is suggested, where several are usual', () => {
    for (const [zone, lifetime, fit] of [
      ['UTC', 6 * 3600, '+00:00 for 6h'],
      ['UTC', 86_400, '+00:00 for 24h'],
      ['Asia/Seoul', 3 * 3600, '+09:00 for 3h'],
    ] as const) {
      const found = learn(tokens(zone, lifetime)).get('expire-time-zone');
      assert.deepEqual([found?.value, found?.confidence], [undefined, 'unknown']);
      assert.ok(found?.alternatives?.includes(fit), `${found?.alternatives}`);
    }
  });

  it("is read by the service's clock where its responses have a Date", () => {
    assert.equal(learn(tokens('UTC', 600, true)).get('token-ttl')?.value, '10m');
  });

  it('leaves out the zones in which a token would have expired before it worked', () => {
    const issued = tokens('UTC', 5400);
    const first = issued.slice(0, 1);
    const use = exchange({
      request: { client_id: 'c', secret_key: 's', acs_token: 't-ada' },
      response: { code: '0000', message: '', result: { ptn_sp: 'x' } },
      at: start + 3_000_000,
    });
    assert.deepEqual(learn(first).get('expire-time-zone')?.value, '+01:00');
    const left = learn([...first, use]).get('expire-time-zone')?.alternatives ?? [];
    assert.deepEqual([left[0], left.includes('+01:00 for 30m')], ['+00:00 for 90m', false]);
  });

  it('is unknown without any time', () => {
    const untimed = tokens('UTC', 300).map(({ startedAt: _, ...rest }) => rest);
    assert.equal(learn(untimed).get('expire-time-zone')?.confidence, 'unknown');
  });
});

describe('what else traffic shows', () => {
  const publicKey = createPublicKey(readFileSync('fixtures/keys/pool/2048-01.pem'));
  const base64 = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const keyExchange = (text: string, response: unknown, at = start, user = 'ada') =>
    exchange({ request: { used_type: 1, ptn_cd: user, public_key: text, x: 1 }, response, at });
  const done = { code: '0000', message: 'ok', result: { enc_partner_key: 'x', hint: 1 } };

  it('is the form of public_key, also that it is not a key, and how many there are', () => {
    const texts = [base64, pem, base64.replace(/.{76}/g, '$&\r\n'), 'no key'];
    const found = learn(texts.map((text) => keyExchange(text, done))).get('public_key');
    const form = 'RSA 2048 bits, exponent 65537';
    const forms = [
      `${form}, Base64`,
      `${form}, PEM`,
      `${form}, Base64 with line breaks`,
      'unreadable',
    ];
    assert.equal(found?.value, forms.join('; '));
    assert.match(found.evidence, /^4 keys: /);
  });

  it('is every code with its message, and where it was seen', () => {
    const failed = { code: '9001', message: 'no such user' };
    const found = learn([keyExchange(base64, done), keyExchange(base64, failed)]);
    assert.equal(found.get('codes of key-exchange')?.value, '"0000" (ok); "9001" (no such user)');
    const extra = found.get('extra fields of key-exchange');
    assert.equal(extra?.value, 'request.x; response.result.hint');
  });

  it('is what headers beyond the usual ones come', () => {
    const headers = [
      ['Content-Type', 'application/json;charset=UTF-8'],
      ['Content-Length', '2'],
      ['Server', 'nginx'],
      ['X-Request-Id', '1'],
    ] as const;
    const told = { request: { acs_token: 't' }, response: { code: '0000' }, headers };
    const found = learn([exchange(told)]);
    assert.equal(found.get('headers in the request of authenticate')?.value, 'X-Request-Id');
    const type = found.get('content type in the response of authenticate');
    assert.equal(type?.value, 'application/json;charset=UTF-8');
  });

  it('is how often a failed callback is repeated, and no second sign-up of the same user', () => {
    const failed = { code: '9999', message: '' };
    const attempts = [0, 5_000, 15_000].map((after) => keyExchange(base64, failed, start + after));
    const found = learn([...attempts, keyExchange(base64, done, start + 25_000)]);
    assert.equal(found.get('callback retries')?.value, 'up to 3, after 5 s to 10 s');
    const again = [keyExchange(base64, done), keyExchange(base64, done, start + 5_000)];
    assert.equal(learn(again).get('callback retries'), undefined);
  });

  it('is nothing for other traffic', () => {
    assert.equal(learn([exchange({ request: { a: 1 }, response: [] })]).size, 0);
  });
});
