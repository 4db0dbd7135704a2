import assert from 'node:assert/strict';
import { constants, createDecipheriv, createPublicKey, publicEncrypt } from 'node:crypto';
import { describe, it } from 'node:test';
import { type CipherProbeInput, probeCipher } from '../../src/client/cipher-probe.ts';
import type { Transport } from '../../src/client/exchange.ts';
import { TestUsers } from '../../src/client/test-users.ts';
import { defaultCipher, formatCipher, parseCipher } from '../../src/crypto/cipher.ts';
import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { type MemoryResponse, memoryTransport } from '../support/memory-transport.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('cipher-probe');
const keyPair = await keyPairSource()(2048);
const utf8 = new TextDecoder('utf-8', { fatal: true });
const done = { code: '0000', message: '' };
const canonical = (cipher: string) => formatCipher(parseCipher(cipher));

/** How an application decrypts: the text, or an exception. */
type Decrypt = (payload: string, key: string) => Buffer;

/** AES-256 in node:crypto alone; `mode` is that of OpenSSL, the IV in front. */
function aes(mode: string, padded = true): Decrypt {
  return (payload, key) => {
    // Node's own decoder takes Base64url too; most others don't.
    if (/[^A-Za-z0-9+/=]/.test(payload)) throw new Error('no Base64');
    const bytes = Buffer.from(payload, 'base64');
    const iv = bytes.subarray(0, 16);
    const decipher = createDecipheriv(`aes-256-${mode}`, key, iv).setAutoPadding(padded);
    return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
  };
}

/** How a callback endpoint differs from one that decrypts with AES-256-CBC and checks the text. */
interface Variant {
  readonly decrypt?: Decrypt;
  /** Judges the plaintext of `partner_sp`; throws to refuse it. */
  readonly look?: (passcode: Buffer) => unknown;
  /** Judges `ubifill`; its plaintext is JSON by default. */
  readonly lookAtUserInfo?: (userInfo: Buffer) => unknown;
  /** What is stored of the key that is returned; `keys` are those of all users. */
  readonly store?: (key: string, keys: ReadonlyMap<string, string>) => string;
}

function application({
  decrypt = aes('cbc'),
  look = (bytes) => utf8.decode(bytes),
  lookAtUserInfo = (bytes) => JSON.parse(utf8.decode(bytes)),
  store = (key) => key,
}: Variant): Transport {
  const keys = new Map<string, string>();
  return memoryTransport((call): MemoryResponse => {
    const user = String(call.ptn_cd);
    if (call.used_type === '1') {
      const key = randomBytes(24).toString('base64url');
      keys.set(user, store(key, keys));
      const der = Buffer.from(String(call.public_key), 'base64');
      const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
      const how = { key: publicKey, padding: constants.RSA_PKCS1_PADDING };
      const enc_partner_key = publicEncrypt(how, Buffer.from(key)).toString('base64');
      return { json: { ...done, result: { enc_partner_key } } };
    }
    const key = keys.get(user) ?? '';
    try {
      look(decrypt(String(call.partner_sp), key));
      if (call.ubifill !== undefined) lookAtUserInfo(decrypt(String(call.ubifill), key));
      return { json: done };
    } catch {
      return { json: { code: '9001', message: 'decryption failed' } };
    }
  });
}

/** The outcome of a probe, its ciphers in their notation. */
async function probe(transport: Transport, changes: Partial<CipherProbeInput> = {}) {
  let codes = 0;
  const source = { nextUserCode: () => `user-${codes++}`, onKey: () => {} };
  const users = new TestUsers(transport, source);
  const { cipher, accepted, notes, diagnosis, ...others } = await probeCipher(users, {
    url: new URL('http://localhost/callback'),
    clientId: 'client-1',
    keyPair,
    cipher: defaultCipher,
    limit: 256,
    userInfo: '{"email":"a@example.com","name":"Test User","phone":"+1-555-0100"}',
    randomBytes,
    ...changes,
  });
  return {
    ...others,
    testUsers: users.codes.length,
    cipher: cipher && formatCipher(cipher),
    accepted: accepted.map(formatCipher),
    notes: notes.join(' '),
    code: diagnosis?.code,
    message: diagnosis?.message ?? '',
  };
}

describe('probeCipher', () => {
  const blindly = { look: () => {}, lookAtUserInfo: () => {} };
  const bothAlphabets: Decrypt = (payload, key) =>
    aes('cbc')(payload.replaceAll('-', '+').replaceAll('_', '/'), key);
  /** The usual unpadding by hand: as many bytes as the last one says. */
  const byLastByte: Decrypt = (payload, key) => {
    const text = aes('cbc', false)(payload, key);
    return text.subarray(0, text.length - (text.at(-1) ?? 0));
  };
  const paddings = ['', '?padding=ansix923', '?padding=iso10126'].map((end) => `aes-256-cbc${end}`);
  const alike = /can't be distinguished/;
  const several = /several paddings \(pkcs7, ansix923, iso10126\)/;
  const cbc = 'aes-256-cbc';
  const rows: [what: string, Variant, accepted: string[], notes?: RegExp][] = [
    ['both alphabets', { decrypt: bothAlphabets }, [cbc, `${cbc}?encoding=base64url`], alike],
    ['an unpad by the last byte', { decrypt: byLastByte }, paddings, several],
  ];
  for (const [what, variant, accepted, notes = /^/] of rows) {
    it(`finds ${what}`, async () => {
      const outcome = await probe(application(variant));
      const expected = accepted.map(canonical);
      const found = [outcome.code, outcome.cipher, outcome.accepted];
      assert.deepEqual(found, [undefined, expected[0], expected]);
      assert.match(outcome.notes, notes);
    });
  }

  it('names all that are alike from outside, the usual or the configured one first', async () => {
    const decrypt = aes('cbc', false);
    const lookAtUserInfo = (bytes: Buffer) => utf8.decode(bytes);
    const unpadded = await probe(application({ decrypt, lookAtUserInfo }));
    assert.equal(unpadded.cipher, canonical('aes-256-cbc?padding=zero'));
    assert.ok(unpadded.accepted.includes(canonical('aes-256-cbc?padding=none')));
    assert.match(unpadded.notes, alike);
    const cipher = parseCipher('aes-256-cbc?padding=ansix923');
    const cut = await probe(application({ decrypt: byLastByte }), { cipher });
    const expected = formatCipher(cipher);
    assert.deepEqual([cut.cipher, cut.accepted[0], cut.accepted.length], [expected, expected, 3]);
  });

  const stored: readonly [RegExp, NonNullable<Variant['store']>][] = [
    [/this key in quotation marks\.$/, (key) => JSON.stringify(key)],
    [/this key reversed\.$/, (key) => [...key].reverse().join('')],
    [/the key of another user\.$/, (key, keys) => [...keys.values()][0] ?? key],
  ];
  for (const [described, store] of stored) {
    it(`names the wrong key that is stored: ${described.source}`, async () => {
      const decrypt: Decrypt = (payload, key) => aes('cbc')(payload, key.slice(0, 32));
      const { cipher, code, message, testUsers } = await probe(application({ decrypt, store }));
      assert.deepEqual([cipher, code], [undefined, 'wrong-key']);
      assert.match(message, /^The application decrypts aes-256-cbc with/);
      assert.match(message, described);
      assert.ok(testUsers < 60, `${testUsers} test users`);
    });
  }

  it('says that nothing is looked at where any noise is accepted', async () => {
    const outcome = await probe(application({ decrypt: aes('ctr'), ...blindly }));
    assert.deepEqual([outcome.cipher, outcome.code], [undefined, 'accepted-bad-input']);
    assert.match(outcome.message, /are mutually exclusive: .* does not check the result/);
  });

  it('takes one cut connection for a refusal, and three in a row for the end', async () => {
    const failure = diagnosis('reset', 'cut', 'look');
    const cutting = (cuts: (count: number) => boolean) => {
      const inner = application({});
      let registrations = 0;
      const send: Transport['send'] = async (request) => {
        const exchange = await inner.send(request);
        const isRegistration = Buffer.from(request.body).includes('"used_type":"2"');
        if (!isRegistration || !cuts(registrations++)) return exchange;
        return { ...exchange, response: undefined, failure };
      };
      return { ...inner, send };
    };
    assert.equal((await probe(cutting((count) => count === 9))).code, undefined);
    const { code, cipher, trials } = await probe(cutting((count) => count >= 3));
    assert.deepEqual([code, cipher, trials.length], ['reset', undefined, 6]);
  });
});
