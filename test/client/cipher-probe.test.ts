import assert from 'node:assert/strict';
import {
  constants,
  createDecipheriv,
  createHash,
  createPublicKey,
  publicEncrypt,
} from 'node:crypto';
import { before, describe, it } from 'node:test';
import { type CipherProbeInput, probeCipher } from '../../src/client/cipher-probe.ts';
import type { Transport } from '../../src/client/transport.ts';
import { formatCipher, parseCipher } from '../../src/crypto/cipher-notation.ts';
import type { RsaPrivateKey } from '../../src/crypto/rsa-key.ts';
import { likelyCiphers } from '../../src/diagnosis/cipher-priors.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { type MemoryAnswer, memoryTransport } from '../support/memory-transport.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const nextKeyPair = keyPairSource();
const randomBytes = seededBytes('cipher-probe');

let keyPair: RsaPrivateKey;
before(async () => {
  keyPair = await nextKeyPair(2048);
});

/** How an application decrypts: the text, or an exception. */
type Decrypt = (payload: string, key: string) => Buffer;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** AES-256 in node:crypto alone; `mode` is that of OpenSSL. */
function aes(
  mode: string,
  { iv = 'prefix', padded = true }: { iv?: string; padded?: boolean } = {},
): Decrypt {
  return (payload, key) => {
    const bytes = decodeBase64(payload);
    const prefixed = iv === 'prefix' && mode !== 'ecb';
    const vector = prefixed ? bytes.subarray(0, 16) : Buffer.from(iv);
    const rest = prefixed ? bytes.subarray(16) : bytes;
    const decipher = createDecipheriv(`aes-256-${mode}`, key, mode === 'ecb' ? null : vector);
    decipher.setAutoPadding(padded);
    return Buffer.concat([decipher.update(rest), decipher.final()]);
  };
}

/** Node's own decoder takes Base64url too; most others don't. */
function decodeBase64(text: string): Buffer {
  if (/[^A-Za-z0-9+/=]/.test(text)) throw new Error('no Base64');
  return Buffer.from(text, 'base64');
}

const aesGcm: Decrypt = (payload, key) => {
  const bytes = decodeBase64(payload);
  const options = { authTagLength: 16 };
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), options);
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
};

/** The usual unpadding by hand: as many bytes as the last one says, as each language slices. */
const cuts: Readonly<Record<string, (text: Buffer) => Buffer>> = {
  Node: (text) => text.subarray(0, text.length - (text.at(-1) ?? 0)),
  'Python, PHP': (text) => {
    const count = text.at(-1) ?? 0;
    return count === 0 ? Buffer.alloc(0) : text.subarray(0, Math.max(0, text.length - count));
  },
  'Java, Go': (text) => {
    const left = text.length - (text.at(-1) ?? 0);
    if (left < 0) throw new RangeError('out of bounds');
    return text.subarray(0, left);
  },
};

const byLastByte =
  (mode: string, cut: (text: Buffer) => Buffer): Decrypt =>
  (payload, key) =>
    cut(aes(mode, { padded: false })(payload, key));

/** How a callback endpoint differs from one that decrypts and looks at the text. */
interface Variant {
  readonly decrypt: Decrypt;
  /** Judges the plaintext of `partner_sp`; throws to refuse it. */
  readonly look?: (passcode: Buffer) => unknown;
  /** Judges `ubifill`; its plaintext is JSON by default. */
  readonly lookAtUserInfo?: (userInfo: Buffer) => unknown;
  readonly catchesAll?: boolean;
  readonly key?: string;
  /** What is stored of the key that is returned; `keys` are those of all users. */
  readonly store?: (key: string, keys: ReadonlyMap<string, string>) => string;
}

const underHash =
  (decrypt: Decrypt): Decrypt =>
  (payload, key) =>
    decrypt(payload, createHash('md5').update(key).digest('hex'));

const asUtf8 = (bytes: Buffer) => utf8.decode(bytes);
const asJson = (bytes: Buffer) => JSON.parse(utf8.decode(bytes));
const notAtAll = () => undefined;

function application({
  decrypt,
  look = asUtf8,
  lookAtUserInfo = asJson,
  catchesAll = false,
  key: fixedKey,
  store = (key) => key,
}: Variant): Transport {
  const keys = new Map<string, string>();
  const register = (call: Readonly<Record<string, unknown>>): MemoryAnswer => {
    const key = keys.get(String(call.ptn_cd)) ?? '';
    try {
      look(decrypt(String(call.partner_sp), key));
      if (call.ubifill !== undefined) lookAtUserInfo(decrypt(String(call.ubifill), key));
    } catch {
      if (!catchesAll) return { json: { code: '9001', message: 'decryption failed' } };
    }
    return { json: { code: '0000', message: '' } };
  };
  const transport = memoryTransport((call) => {
    if (call.used_type !== '1') return register(call);
    const key = fixedKey ?? randomBytes(24).toString('base64url');
    keys.set(String(call.ptn_cd), store(key, keys));
    return { json: { code: '0000', message: '', result: { enc_partner_key: wrap(call, key) } } };
  });
  return transport;
}

function wrap(call: Readonly<Record<string, unknown>>, key: string): string {
  const der = Buffer.from(String(call.public_key), 'base64');
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const padding = constants.RSA_PKCS1_PADDING;
  return publicEncrypt({ key: publicKey, padding }, Buffer.from(key)).toString('base64');
}

function probe(transport: Transport, changes: Partial<CipherProbeInput> = {}) {
  let users = 0;
  return probeCipher(transport, {
    url: new URL('http://localhost/callback'),
    clientId: 'client-1',
    keyPair,
    ciphers: likelyCiphers(),
    limit: 256,
    userInfo: '{"email":"a@example.com","name":"Test User","phone":"+1-555-0100"}',
    nextUserCode: () => `user-${users++}`,
    randomBytes,
    ...changes,
  });
}

const found: readonly [string, string, Variant][] = [
  ['aes-256-cbc', 'aes-256-cbc', { decrypt: aes('cbc') }],
  [
    'aes-256-cbc',
    'aes-256-cbc that looks at nothing',
    { decrypt: aes('cbc'), look: notAtAll, lookAtUserInfo: notAtAll },
  ],
  [
    'aes-256-cbc?iv=zero',
    'a zero IV',
    { decrypt: aes('cbc', { iv: '\0'.repeat(16) }), look: notAtAll, lookAtUserInfo: notAtAll },
  ],
  [
    'aes-256-cbc',
    'form encoding as user information',
    {
      decrypt: aes('cbc'),
      lookAtUserInfo: (bytes) => {
        if (bytes.toString().startsWith('{')) throw new Error('no form');
      },
    },
  ],
  ['aes-256-ecb', 'aes-256-ecb', { decrypt: aes('ecb'), look: notAtAll }],
  ['aes-256-gcm', 'aes-256-gcm', { decrypt: aesGcm }],
  ['aes-256-cbc?key=md5-hex', 'a hashed key', { decrypt: underHash(aes('cbc')) }],
  ['aes-256-ctr', 'aes-256-ctr that looks at the text', { decrypt: aes('ctr') }],
];

describe('probeCipher', () => {
  for (const [cipher, title, variant] of found) {
    it(`finds ${title}`, async () => {
      const outcome = await probe(application(variant));
      assert.equal(outcome.diagnosis, undefined);
      assert.equal(outcome.cipher && formatCipher(outcome.cipher), canonical(cipher));
      assert.deepEqual(outcome.accepted.map(formatCipher), [canonical(cipher)]);
    });
  }

  it('names all that are alike from outside, the usual one first', async () => {
    const unpadded = { decrypt: aes('cbc', { padded: false }), lookAtUserInfo: asUtf8 };
    const outcome = await probe(application(unpadded));
    assert.equal(
      outcome.cipher && formatCipher(outcome.cipher),
      canonical('aes-256-cbc?padding=zero'),
    );
    const accepted = outcome.accepted.map(formatCipher);
    assert.ok(accepted.includes(canonical('aes-256-cbc?padding=none')), accepted.join(' '));
    assert.match(outcome.notes.join(' '), /can't be distinguished from outside/);
  });

  const looks = { cbc: asJson, ecb: asUtf8 } as const;
  for (const [language, cut] of Object.entries(cuts)) {
    for (const [mode, lookAtUserInfo] of Object.entries(looks)) {
      const name = `aes-256-${mode}`;
      it(`lists the paddings that an unpad by the last byte takes (${language}, ${name})`, async () => {
        const outcome = await probe(
          application({ decrypt: byLastByte(mode, cut), lookAtUserInfo }),
        );
        const paddings = ['', '?padding=ansix923', '?padding=iso10126'];
        assert.equal(outcome.diagnosis, undefined);
        assert.deepEqual(
          outcome.accepted.map(formatCipher),
          paddings.map((padding) => canonical(name + padding)),
        );
        assert.match(outcome.notes.join(' '), /several paddings \(pkcs7, ansix923, iso10126\)/);
      });
    }
  }

  it('names the configured one first of several that are accepted', async () => {
    const configured = parseCipher('aes-256-cbc?padding=ansix923');
    const variant = { decrypt: byLastByte('cbc', cuts.Node as (text: Buffer) => Buffer) };
    const { cipher, accepted } = await probe(application(variant), { configured });
    assert.equal(cipher && formatCipher(cipher), formatCipher(configured));
    assert.equal(accepted[0] && formatCipher(accepted[0]), formatCipher(configured));
    assert.equal(accepted.length, 3);
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
      const cut: Decrypt = (payload, key) => aes('cbc')(payload, key.slice(0, 32));
      const outcome = await probe(application({ decrypt: cut, store }));
      assert.equal(outcome.cipher, undefined);
      assert.equal(outcome.diagnosis?.code, 'wrong-key');
      assert.match(outcome.diagnosis?.message ?? '', /^The application decrypts aes-256-cbc with/);
      assert.match(outcome.diagnosis?.message ?? '', described);
      assert.ok(outcome.testUsers < 60, `${outcome.testUsers} test users`);
    });
  }

  it('says that a key is likely to be wrong under which no cipher is accepted', async () => {
    const store = () => randomBytes(16).toString('hex');
    const configured = parseCipher('aes-256-cbc');
    const { diagnosis } = await probe(application({ decrypt: aes('cbc'), store }), {
      limit: 40,
      configured,
    });
    assert.equal(diagnosis?.code, 'wrong-key');
    assert.match(
      diagnosis?.message ?? '',
      /under each of 40 ciphers, aes-256-cbc among them\. It is likely .* another key/,
    );
    assert.ok(diagnosis?.calls.java);
  });

  it('proves that an application never decrypts', async () => {
    const blind = { decrypt: aes('cbc'), catchesAll: true };
    const { cipher, accepted, diagnosis, testUsers } = await probe(application(blind));
    assert.equal(diagnosis?.code, 'never-decrypts');
    assert.match(
      diagnosis?.message ?? '',
      /^The application accepted .* under each of 3\d ciphers/,
    );
    assert.match(
      diagnosis?.message ?? '',
      /an impossible padding; .*a text in no encoding; seven bytes/,
    );
    assert.equal(cipher, undefined);
    assert.ok(accepted.length > 30);
    assert.ok(testUsers < 90, `${testUsers} test users`);
  });

  it('says that nothing is looked at where any noise is accepted', async () => {
    const careless = { decrypt: aes('ctr'), look: notAtAll, lookAtUserInfo: notAtAll };
    const { cipher, diagnosis } = await probe(application(careless));
    assert.equal(cipher, undefined);
    assert.equal(diagnosis?.code, 'accepted-bad-input');
    assert.match(diagnosis?.message ?? '', /exclude each other: .* does not check what comes out/);
  });

  it('notices an application that tries one cipher after the other', async () => {
    const either: Decrypt = (payload, key) => {
      try {
        return aes('cbc')(payload, key);
      } catch {
        return aesGcm(payload, key);
      }
    };
    const { cipher, accepted, notes } = await probe(application({ decrypt: either }));
    assert.equal(cipher && formatCipher(cipher), canonical('aes-256-cbc'));
    assert.deepEqual(accepted.map(formatCipher), ['aes-256-cbc', 'aes-256-gcm'].map(canonical));
    assert.match(notes.join(' '), /try one after the other/);
  });

  it('says what the refusals have in common where none fits', async () => {
    const refuses = {
      decrypt: () => {
        throw new Error('never');
      },
    };
    const { cipher, accepted, diagnosis } = await probe(application(refuses), { limit: 5 });
    assert.equal(cipher, undefined);
    assert.deepEqual(accepted, []);
    assert.equal(diagnosis?.code, 'cipher-mismatch');
    assert.match(diagnosis?.message ?? '', /^The application refused .* 5 ciphers\. .*"9001"/);
  });

  it('tries no more ciphers than it may, and skips those that the key does not go with', async () => {
    const refuses = application({ decrypt: aes('cbc'), look: () => assert.fail() });
    const hexOnly = ['aes-128-cbc?key=hex', 'aes-192-cbc?key=hex', 'aes-128-cbc'].map(parseCipher);
    const key = 'not-hexadecimal-but-32-characters'.slice(0, 32);
    const outcome = await probe(
      application({ decrypt: aes('cbc'), look: () => assert.fail(), key }),
      {
        ciphers: hexOnly,
        userInfo: undefined,
      },
    );
    assert.deepEqual(
      outcome.trials.map((trial) => trial.kind === 'right' && formatCipher(trial.cipher)),
      [canonical('aes-128-cbc')],
    );
    assert.equal((await probe(refuses, { limit: 3, userInfo: undefined })).trials.length, 3);
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
          return { ...exchange, answer: undefined, failure };
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
    const { cipher, notes } = await probe(application(picky), { limit: 4 });
    assert.equal(cipher && formatCipher(cipher), canonical('aes-256-cbc'));
    assert.match(notes.join(' '), /expects other user information/);
  });

  it('gives both alphabets of Base64 where the decoder takes both', async () => {
    const translate: Decrypt = (payload, key) =>
      aes('cbc')(payload.replaceAll('-', '+').replaceAll('_', '/'), key);
    const { accepted, notes } = await probe(application({ decrypt: translate }));
    assert.deepEqual(
      accepted.map(formatCipher),
      ['aes-256-cbc', 'aes-256-cbc?encoding=base64url'].map(canonical),
    );
    assert.match(notes.join(' '), /can't be distinguished/);
  });
});

function canonical(cipher: string): string {
  return formatCipher(parseCipher(cipher));
}
