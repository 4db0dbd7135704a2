import assert from 'node:assert/strict';
import { constants, createDecipheriv, createPublicKey, publicEncrypt } from 'node:crypto';
import { describe, it } from 'node:test';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import type { EmulatorRequest, EmulatorResponse } from '../../src/emulator/http.ts';
import { draws } from '../support/draws.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { verifyDirectly } from './directly.ts';

const randomBytes = seededBytes('uses-iv');

/*
 * Applications written with node:crypto alone, which store whatever they decrypt, noise included:
 * only their padding shows them that something is wrong.
 */

type Decrypt = (raw: Buffer, key: Buffer) => Buffer;

function application(decrypt: Decrypt) {
  const keys = new Map<string, Buffer>();
  return ({ body }: EmulatorRequest): EmulatorResponse => {
    try {
      return json({ code: '0000', message: '', ...handle(JSON.parse(`${Buffer.from(body)}`)) });
    } catch {
      return json({ code: '9000', message: 'refused' });
    }
  };

  function handle(fields: Record<string, string>): object {
    const { ptn_cd: user = '', public_key: publicKey, partner_sp: payload } = fields;
    if (fields.used_type === '1') {
      const key = Buffer.from(randomBytes(16).toString('hex'));
      keys.set(user, key);
      return { result: { enc_partner_key: wrap(key, String(publicKey)) } };
    }
    decrypt(Buffer.from(String(payload), 'base64'), keys.get(user) ?? Buffer.alloc(0));
    return {};
  }
}

function wrap(key: Buffer, publicKey: string): string {
  const spki = createPublicKey({
    key: Buffer.from(publicKey, 'base64'),
    format: 'der',
    type: 'spki',
  });
  return publicEncrypt({ key: spki, padding: constants.RSA_PKCS1_PADDING }, key).toString('base64');
}

function json(value: object): EmulatorResponse {
  const headers = { 'content-type': 'application/json;charset=utf-8' };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(value)) };
}

function cbc(ciphertext: Buffer, key: Buffer, iv: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
}

function decipherOf(algorithm: string, raw: Buffer, key: Buffer, ciphertext: Buffer): Buffer {
  return createDecipheriv(algorithm, key, raw.subarray(0, 16)).update(ciphertext);
}

/** PKCS #7 by hand: OpenSSL has none in CFB. */
function unpadded(padded: Buffer): Buffer {
  const count = padded.at(-1) ?? 0;
  const filler = padded.subarray(padded.length - count);
  const isRight = count > 0 && count <= 16 && filler.every((octet) => octet === count);
  if (!isRight) throw new Error('bad padding');
  return padded.subarray(0, padded.length - count);
}

const zeros = Buffer.alloc(16);
const right: Decrypt = (raw, key) => cbc(raw.subarray(16), key, raw.subarray(0, 16));
/** Java's `doFinal` of no bytes gives no bytes. */
const likeJava: Decrypt = (raw, key) => (raw.length === 16 ? Buffer.alloc(0) : right(raw, key));
/** As `openssl_decrypt($payload, …, substr(base64_decode($payload), 0, 16))` does. */
const keepsIv: Decrypt = (raw, key) => cbc(raw, key, raw.subarray(0, 16));
const head = (key: Buffer) => key.subarray(0, 16);

async function verdictsOf(decrypt: Decrypt, notation: string) {
  const cipher = parseCipher(notation);
  const verdicts: string[] = [];
  for (let run = 0; run < runs; run += 1) {
    const { checks } = await verifyDirectly(application(decrypt), {
      cipher,
      seed: `${run}`,
      check: ['registration/uses-iv'],
    });
    const [result] = checks;
    verdicts.push(
      `${result?.status} ${result?.fault?.diagnosis?.message ?? result?.reason ?? ''}`.trim(),
    );
  }
  return [...new Set(verdicts)];
}

const runs = draws(4);

describe('registration/uses-iv', () => {
  for (const [title, notation, decrypt, verdict] of [
    ['passes a right application', 'default', right, /^passed$/],
    [
      'skips one that takes an IV alone for an empty text',
      'default',
      likeJava,
      /^skipped .*in Java, doFinal of no bytes returns an empty text/,
    ],
    [
      'fails one that decrypts everything under zeros',
      'default',
      (raw, key) => cbc(raw, key, zeros),
      /^failed .* the whole payload with an IV of zeros, .* begins with 16 bytes of noise/,
    ],
    [
      'fails one that decrypts everything with the key as IV',
      'default',
      (raw, key) => cbc(raw, key, head(key)),
      /^failed .*whole payload with the first 16 characters of the key as IV/,
    ],
    [
      'fails one that uses the IV in front and leaves it in the ciphertext',
      'default',
      keepsIv,
      /^failed .* decrypts it again as a part of the ciphertext: .* begins with 16 bytes of noise/,
    ],
    [
      'fails one that does so in CFB with padding',
      'aes-256-cfb?padding=pkcs7',
      (raw, key) => unpadded(decipherOf('aes-256-cfb', raw, key, raw)),
      /^failed .* decrypts it again as a part of the ciphertext/,
    ],
    [
      'passes a right application of CFB with padding',
      'aes-256-cfb?padding=pkcs7',
      (raw, key) => unpadded(decipherOf('aes-256-cfb', raw, key, raw.subarray(16))),
      /^passed$/,
    ],
    [
      'skips one of CFB that takes an IV alone for an empty text',
      'aes-256-cfb?padding=pkcs7',
      (raw, key) =>
        raw.length === 16 ? raw : unpadded(decipherOf('aes-256-cfb', raw, key, raw.subarray(16))),
      /^skipped .*in Java, doFinal of no bytes returns an empty text/,
    ],
    [
      'fails one that takes the IV off and uses zeros',
      'default',
      (raw, key) => cbc(raw.subarray(16), key, zeros),
      /^failed .*accepted under an IV of zeros/,
    ],
    [
      'fails one that takes the IV off and uses one of its own',
      'default',
      (raw, key) => cbc(raw.subarray(16), key, Buffer.from('1234567890123456')),
      /^failed .*accepted under the fixed IV 3132/,
    ],
    [
      'passes a right application of the key as IV',
      'aes-256-cbc?iv=key-head',
      (raw, key) => cbc(raw, key, head(key)),
      /^passed$/,
    ],
    [
      'fails one that uses zeros instead of the key',
      'aes-256-cbc?iv=key-head',
      (raw, key) => cbc(raw, key, zeros),
      /^failed .*accepted under an IV of zeros/,
    ],
    [
      'fails one that takes the first block for an IV',
      'aes-256-cbc?iv=zero',
      right,
      /^failed .*accepted under the first 16 bytes of the payload as IV/,
    ],
    [
      'fails one that does so and takes nothing for an empty text',
      'aes-256-cbc?iv=zero',
      likeJava,
      /^failed .*uses the first block as the IV/,
    ],
    [
      'skips one that decrypts with ECB and cuts off what the last byte says',
      'default',
      (raw, key) => {
        const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
        const padded = Buffer.concat([decipher.update(raw), decipher.final()]);
        return padded.subarray(0, padded.length - (padded.at(-1) ?? 0));
      },
      /^skipped .*can't determine/,
    ],
    ['skips one that decrypts nothing', 'default', (raw) => raw, /^skipped .*can't determine/],
  ] as const satisfies readonly (readonly [string, string, Decrypt, RegExp])[]) {
    it(title, async () => {
      const verdicts = await verdictsOf(decrypt, notation);
      for (const verdictOfRun of verdicts) assert.match(verdictOfRun, verdict);
    });
  }
});
