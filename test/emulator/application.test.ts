import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import { fc } from '../support/fast-check.ts';
import { revealed } from '../support/secrets.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import {
  clientId,
  encrypt,
  json,
  keyExchange,
  newApplication,
  newKeyPair,
  registration,
  unwrap,
} from './support.ts';

const randomBytes = seededBytes('application');

describe('the reference application, key exchange (4.1.1)', () => {
  it('returns a new key of 32 characters, wrapped with the public key of the request', async () => {
    const { application, call } = newApplication();
    const { response, facts } = await call(keyExchange());
    assert.equal(response.status, 200);
    assert.equal(response.headers['content-type'], 'application/json;charset=utf-8');
    const { code, message, result } = json(response);
    assert.deepEqual([code, message], ['0000', '']);
    const { enc_partner_key } = result as { enc_partner_key: string };
    const key = unwrap(enc_partner_key);
    assert.match(key, /^[A-Za-z0-9]{32}$/);
    assert.deepEqual(revealed(application.users.get('user-1')), {
      ptnCd: 'user-1',
      key,
      state: 'known',
    });
    assert.deepEqual(revealed(facts), {
      operation: 'key-exchange',
      ptnCd: 'user-1',
      clientId,
      code: '0000',
      refusal: undefined,
      key,
      faults: [],
      secrets: [key],
    });
  });

  it('never puts the plain key into the response', async () => {
    const { application, call } = newApplication();
    const { response } = await call(keyExchange());
    const key = application.users.get('user-1')?.key.reveal() ?? '';
    const text = `${JSON.stringify(response.headers)}${Buffer.from(response.body)}`;
    for (const form of [key, Buffer.from(key).toString('base64'), Buffer.from(key).toString('hex')])
      assert.ok(!text.includes(form));
  });

  it('gives every user and every exchange a key of its own', async () => {
    const { exchange } = newApplication();
    const keys = [
      await exchange('a'),
      await exchange('a'),
      await exchange('A'),
      await exchange('b'),
    ];
    assert.equal(new Set(keys).size, 4);
  });

  for (const bits of [1024, 3072, 4096]) {
    it(`wraps with a key of ${bits} bits`, async () => {
      const { wrapped } = newApplication();
      const pair = newKeyPair(bits);
      const key = unwrap(await wrapped(keyExchange('u', { public_key: pair.publicKeyText })), pair);
      assert.equal(key.length, 32);
    });
  }

  it('forgets the passcode of before, because the new key counts', async () => {
    const { application, exchange, send } = newApplication();
    await send(registration(encrypt('secret', await exchange())));
    const key = await exchange();
    assert.deepEqual(revealed(application.users.get('user-1')), {
      ptnCd: 'user-1',
      key,
      state: 'known',
    });
  });
});

describe('the reference application, registration (4.1.2)', () => {
  it('decrypts passcode and user information with the stored key, and keeps them', async () => {
    const { application, exchange, call } = newApplication();
    const key = await exchange();
    const ubifill = encrypt('{"name":"Ōtani 大谷"}', key);
    const { response, facts } = await call(
      registration(encrypt('päss', key), 'user-1', { ubifill }),
    );
    assert.deepEqual(json(response), { code: '0000', message: '' });
    assert.deepEqual(revealed(application.users.get('user-1')), {
      ptnCd: 'user-1',
      key,
      superPasscode: 'päss',
      userInfo: '{"name":"Ōtani 大谷"}',
      state: 'registered',
    });
    assert.deepEqual(revealed(facts.secrets), [key, 'päss', '{"name":"Ōtani 大谷"}', 'Ōtani 大谷']);
  });

  it('does without ubifill', async () => {
    const { application, exchange, send } = newApplication();
    const key = await exchange();
    assert.equal((await send(registration(encrypt('secret', key)))).code, '0000');
    assert.equal(application.users.get('user-1')?.userInfo, undefined);
  });

  it('takes only the latest key', async () => {
    const { exchange, send } = newApplication();
    const first = await exchange();
    const second = await exchange();
    // One wrong key in 256 decrypts to padding by chance, and then to no UTF-8.
    assert.equal((await send(registration(encrypt('x'.repeat(64), first)))).code, 'A108');
    assert.equal((await send(registration(encrypt('secret', second)))).code, '0000');
  });

  it('keeps any two users apart', async () => {
    const code = fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(code, { minLength: 2, maxLength: 2 }), async (codes) => {
        const { exchange, send } = newApplication();
        const users: [string, string][] = [];
        for (const ptnCd of codes) users.push([ptnCd, await exchange(ptnCd)]);
        for (const [ptnCd, key] of users) {
          assert.equal((await send(registration(encrypt(ptnCd, key), ptnCd))).code, '0000');
        }
      }),
      { numRuns: 30 },
    );
  });

  it('responds to every failure to decrypt alike', async () => {
    const { exchange, call } = newApplication();
    const key = await exchange();
    const good = encrypt('secret', key);
    const payloads = [
      '?',
      '',
      good.slice(0, 20),
      good.slice(0, -4),
      encrypt('x'.repeat(64), 'k'.repeat(32)),
    ];
    const responses = new Set<string>();
    for (const payload of payloads.filter((text) => text !== '')) {
      responses.add(Buffer.from((await call(registration(payload))).response.body).toString());
      const { response } = await call(registration(good, 'user-1', { ubifill: payload }));
      responses.add(Buffer.from(response.body).toString());
    }
    assert.equal(responses.size, 1);
    assert.match([...responses].join(), /"A108"/);
  });

  it('refuses a passcode that is not UTF-8', async () => {
    const { application, send } = newApplication();
    const key = 'k'.repeat(32);
    await application.users.put({ ptnCd: 'user-1', key: Secret.key(key), state: 'known' });
    const iv = randomBytes(16);
    const cipher = createCipheriv('aes-256-cbc', key, iv);
    const payload = Buffer.concat([iv, cipher.update(Buffer.of(0xff, 0xfe)), cipher.final()]);
    assert.equal((await send(registration(payload.toString('base64')))).code, 'A108');
  });
});
