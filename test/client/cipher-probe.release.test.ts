import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CipherProbeInput, probeCipher } from '../../src/client/cipher-probe.ts';
import type { Transport } from '../../src/client/exchange.ts';
import { formatCipher, parseCipher } from '../../src/crypto/cipher-notation.ts';
import { likelyCiphers } from '../../src/diagnosis/cipher-priors.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { memoryTransport } from '../support/memory-transport.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import {
  aes,
  aesGcm,
  application,
  asJson,
  asUtf8,
  byLastByte,
  cuts,
  type Decrypt,
  notAtAll,
  underHash,
  type Variant,
} from './probed-application.ts';

const nextKeyPair = keyPairSource();
const randomBytes = seededBytes('cipher-probe');

const keyPair = await nextKeyPair(2048);

const likely = likelyCiphers();

function probe(transport: Transport, changes: Partial<CipherProbeInput> = {}) {
  let users = 0;
  return probeCipher(transport, {
    url: new URL('http://localhost/callback'),
    clientId: 'client-1',
    keyPair,
    ciphers: likely,
    limit: 256,
    userInfo: '{"email":"a@example.com","name":"Test User","phone":"+1-555-0100"}',
    nextUserCode: () => `user-${users++}`,
    randomBytes,
    ...changes,
  });
}

const noForm = (bytes: Buffer) => assert.doesNotMatch(bytes.toString(), /^\{/);
const blindly = { look: notAtAll, lookAtUserInfo: notAtAll };
const zeroIv = aes('cbc', { iv: '\0'.repeat(16) });
const found: readonly [string, string, Variant][] = [
  ['aes-256-cbc', 'aes-256-cbc', { decrypt: aes('cbc') }],
  ['aes-256-cbc', 'aes-256-cbc that looks at nothing', { decrypt: aes('cbc'), ...blindly }],
  ['aes-256-cbc?iv=zero', 'a zero IV', { decrypt: zeroIv, ...blindly }],
  ['aes-256-cbc', 'another user information', { decrypt: aes('cbc'), lookAtUserInfo: noForm }],
  ['aes-256-ecb', 'aes-256-ecb', { decrypt: aes('ecb'), look: notAtAll }],
  ['aes-256-gcm', 'aes-256-gcm', { decrypt: aesGcm }],
  ['aes-256-cbc?key=md5-hex', 'a hashed key', { decrypt: underHash(aes('cbc')) }],
  ['aes-256-ctr', 'aes-256-ctr that looks at the text', { decrypt: aes('ctr') }],
];

/** The outcome of a probe, its ciphers in their notation. */
async function probed(variant: Variant, changes?: Partial<CipherProbeInput>) {
  const outcome = await probe(application(variant), changes);
  const { cipher, accepted, notes, diagnosis } = outcome;
  return {
    ...outcome,
    cipher: cipher && formatCipher(cipher),
    accepted: accepted.map(formatCipher),
    notes: notes.join(' '),
    code: diagnosis?.code,
    message: diagnosis?.message ?? '',
  };
}

describe('probeCipher', () => {
  for (const [cipher, title, variant] of found) {
    it(`finds ${title}`, async () => {
      const outcome = await probed(variant);
      assert.equal(outcome.code, undefined);
      assert.equal(outcome.cipher, canonical(cipher));
      assert.deepEqual(outcome.accepted, [canonical(cipher)]);
    });
  }

  it('names all that are alike from outside, the usual one first', async () => {
    const unpadded = { decrypt: aes('cbc', { padded: false }), lookAtUserInfo: asUtf8 };
    const { cipher, accepted, notes } = await probed(unpadded);
    assert.equal(cipher, canonical('aes-256-cbc?padding=zero'));
    assert.ok(accepted.includes(canonical('aes-256-cbc?padding=none')), accepted.join(' '));
    assert.match(notes, /can't be distinguished from outside/);
  });

  const looks = { cbc: asJson, ecb: asUtf8 } as const;
  for (const [language, cut] of Object.entries(cuts)) {
    for (const [mode, lookAtUserInfo] of Object.entries(looks)) {
      const name = `aes-256-${mode}`;
      it(`lists the paddings that an unpad by the last byte takes (${language}, ${name})`, async () => {
        const outcome = await probed({ decrypt: byLastByte(mode, cut), lookAtUserInfo });
        const paddings = ['', '?padding=ansix923', '?padding=iso10126'];
        assert.equal(outcome.code, undefined);
        const expected = paddings.map((padding) => canonical(name + padding));
        assert.deepEqual(outcome.accepted, expected);
        assert.match(outcome.notes, /several paddings \(pkcs7, ansix923, iso10126\)/);
      });
    }
  }

  it('names the configured one first of several that are accepted', async () => {
    const configured = parseCipher('aes-256-cbc?padding=ansix923');
    const variant = { decrypt: byLastByte('cbc', cuts.Node as (text: Buffer) => Buffer) };
    const { cipher, accepted } = await probed(variant, { configured });
    const expected = formatCipher(configured);
    assert.deepEqual([cipher, accepted[0], accepted.length], [expected, expected, 3]);
  });

  const stored: readonly [RegExp, NonNullable<Variant['store']>][] = [
    [/this key in lower case\.$/, (key) => key.toLowerCase()],
    [/this key in quotation marks\.$/, (key) => JSON.stringify(key)],
    [/this key in Base64\.$/, (key) => Buffer.from(key).toString('base64')],
    [/this key reversed\.$/, (key) => [...key].reverse().join('')],
    [/the key of another user\.$/, (key, keys) => [...keys.values()][0] ?? key],
  ];
  for (const [described, store] of stored) {
    it(`names the wrong key that is stored: ${described.source}`, async () => {
      const decrypt: Decrypt = (payload, key) => aes('cbc')(payload, key.slice(0, 32));
      const { cipher, code, message, testUsers } = await probed({ decrypt, store });
      assert.deepEqual([cipher, code], [undefined, 'wrong-key']);
      assert.match(message, /^The application decrypts aes-256-cbc with/);
      assert.match(message, described);
      assert.ok(testUsers < 60, `${testUsers} test users`);
    });
  }

  it('says that a key is likely to be wrong under which no cipher is accepted', async () => {
    const store = () => randomBytes(16).toString('hex');
    const changes = { ciphers: likely.slice(0, 40), configured: parseCipher('aes-256-cbc') };
    const { diagnosis, code, message } = await probed({ decrypt: aes('cbc'), store }, changes);
    const shown =
      /under each of 35 ciphers, aes-256-cbc included\. It probably .* a key other than/;
    assert.match(message, shown);
    assert.ok(code === 'wrong-key' && diagnosis?.calls.java);
  });

  it('proves that an application never decrypts', async () => {
    const outcome = await probed({ decrypt: aes('cbc'), catchesAll: true });
    const { cipher, accepted, code, message, testUsers } = outcome;
    assert.deepEqual([cipher, code], [undefined, 'never-decrypts']);
    assert.match(message, /^The application accepted .* under each of 3\d ciphers/);
    assert.match(message, /an impossible padding; .*a text in no encoding; seven bytes/);
    assert.ok(accepted.length > 30 && testUsers < 90, `${testUsers} test users`);
  });

  it('says that nothing is looked at where any noise is accepted', async () => {
    const { cipher, code, message } = await probed({ decrypt: aes('ctr'), ...blindly });
    assert.deepEqual([cipher, code], [undefined, 'accepted-bad-input']);
    assert.match(message, /are mutually exclusive: .* does not check the result/);
  });

  it('notices an application that tries one cipher after the other', async () => {
    const either: Decrypt = (payload, key) => {
      try {
        return aes('cbc')(payload, key);
      } catch {
        return aesGcm(payload, key);
      }
    };
    const { cipher, accepted, notes } = await probed({ decrypt: either });
    assert.equal(cipher, canonical('aes-256-cbc'));
    assert.deepEqual(accepted, ['aes-256-cbc', 'aes-256-gcm'].map(canonical));
    assert.match(notes, /try them one after another/);
  });

  it('says what the refusals have in common where none fits', async () => {
    const outcome = await probed({ decrypt: () => assert.fail() }, { limit: 5 });
    const { cipher, accepted, code, message } = outcome;
    assert.deepEqual([cipher, accepted, code], [undefined, [], 'cipher-mismatch']);
    assert.match(message, /^The application refused .* 5 ciphers\. .*"9001"/);
  });

  it('tries no more ciphers than it may, and skips those that the key does not go with', async () => {
    const refusing = { decrypt: aes('cbc'), look: () => assert.fail() };
    const ciphers = ['aes-128-cbc?key=hex', 'aes-192-cbc?key=hex', 'aes-128-cbc'].map(parseCipher);
    const key = 'not-hexadecimal-but-32-character';
    const { trials } = await probed({ ...refusing, key }, { ciphers, userInfo: undefined });
    assert.deepEqual(
      trials.map((trial) => trial.kind === 'right' && formatCipher(trial.cipher)),
      [canonical('aes-128-cbc')],
    );
    const limited = await probed(refusing, { limit: 3, userInfo: undefined });
    assert.equal(limited.trials.length, 3);
  });

  it('stops with the diagnosis of a key exchange that fails', async () => {
    const transport = memoryTransport(() => ({ json: { code: '1001', message: 'no' } }));
    const outcome = await probe(transport);
    assert.equal(outcome.diagnosis?.code, 'code-not-success');
    assert.equal(outcome.testUsers, 1);
    assert.deepEqual(outcome.trials, []);
  });

  it('takes one cut connection for a refusal, and three in a row for the end', async () => {
    const failure = { code: 'reset', message: 'cut', hint: 'look', calls: {} } as const;
    const cutting = (cuts: (count: number) => boolean) => {
      const inner = application({ decrypt: aes('cbc') });
      let registrations = 0;
      return {
        ...inner,
        send: async (request: Parameters<Transport['send']>[0]) => {
          const exchange = await inner.send(request);
          const isRegistration = Buffer.from(request.body).includes('"used_type":"2"');
          if (!isRegistration || !cuts(registrations++)) return exchange;
          return { ...exchange, response: undefined, failure };
        },
      };
    };
    const once = await probe(cutting((count) => count === 9));
    assert.equal(once.diagnosis, undefined);
    const always = await probe(cutting((count) => count >= 3));
    assert.equal(always.diagnosis?.code, 'reset');
    assert.equal(always.cipher, undefined);
    assert.equal(always.trials.length, 6);
  });

  it('says so where the user information of the test users is what is refused', async () => {
    const picky = { decrypt: aes('cbc'), lookAtUserInfo: () => assert.fail() };
    const { cipher, notes } = await probed(picky, { limit: 4 });
    assert.equal(cipher, canonical('aes-256-cbc'));
    assert.match(notes, /expects other user information/);
  });

  it('gives both alphabets of Base64 where the decoder takes both', async () => {
    const decrypt: Decrypt = (payload, key) =>
      aes('cbc')(payload.replaceAll('-', '+').replaceAll('_', '/'), key);
    const { accepted, notes } = await probed({ decrypt });
    const both = ['aes-256-cbc', 'aes-256-cbc?encoding=base64url'];
    assert.deepEqual(accepted, both.map(canonical));
    assert.match(notes, /can't be distinguished/);
  });
});

function canonical(cipher: string): string {
  return formatCipher(parseCipher(cipher));
}
