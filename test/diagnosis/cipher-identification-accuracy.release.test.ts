import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeUtf8, encodeBase64, encodeHex, encodeUtf8 } from '../../src/bytes.ts';
import {
  algorithmOf,
  algorithms,
  type Cipher,
  formatCipher,
  isBlockMode,
  listCiphers,
  parseCipher,
} from '../../src/crypto/cipher.ts';
import { decryptPayload, encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { identifyCipher } from '../../src/diagnosis/cipher-identification.ts';
import { AuthcliError } from '../../src/errors.ts';
import { type SeededRandom, seededRandom } from '../support/seeded-random.ts';

interface PayloadCase {
  readonly cipher: Cipher;
  readonly key: string;
  readonly kind: 'passcode' | 'user-info';
  readonly plaintext: string;
  readonly payload: string;
}

const digits = '0123456789';
const hex = `${digits}abcdef`;
const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const alphanumeric = `${capitals}${capitals.toLowerCase()}${digits}`;
const names = ['임민수', 'Anna-Lena Öztürk', 'John Smith', '山田太郎', 'Дмитрий Иванов'];

/**
 * The cases whose first candidate is neither their cipher nor one that reads the payload alike. None
 * may be `certain` of anything else, ever.
 */
function missed(cases: Iterable<PayloadCase>, isKnown: boolean): PayloadCase[] {
  return [...cases].filter(({ payload, key, kind, plaintext, cipher }) => {
    const knownPlaintext = isKnown ? plaintext : undefined;
    const candidates = identifyCipher([payload], key, { kind, knownPlaintext });
    const texts = candidates.map((candidate) => decodeUtf8(candidate.plaintext));
    const isRight = candidates.map((found, at) => {
      const result = decryptPayload(payload, key, parseCipher(found.cipher));
      assert.ok(result.ok && Buffer.from(result.plaintext).equals(found.plaintext), found.cipher);
      return found.confidence !== 'certain' || texts[at] === plaintext;
    });
    assert.ok(!isRight.includes(false), `${formatCipher(cipher)} with ${key} for ${plaintext}`);
    return texts[0] !== plaintext;
  });
}

describe('cipher identification over the whole notation', () => {
  it('finds 600 drawn cases, but for a few short ones that say too little', () => {
    const notFound = missed(drawPayloadCases('the whole notation', 600), false);
    // Without padding or tag, a text this short leaves space for another that is as good.
    const unexplained = notFound.filter(
      ({ cipher: { tag, padding }, plaintext }) =>
        tag !== undefined || padding === 'pkcs7' || plaintext.length > 20,
    );
    assert.deepEqual(unexplained, []);
    assert.ok(notFound.length <= 6, `${notFound.length} of 600`);
  });

  it('finds 300 more by their plaintext, fixed IVs among them', () => {
    // A stream of less than a block shows too little of E(IV) to solve for it.
    const solvable = missed(drawPayloadCases('with fixed IVs', 300, true), true).filter(
      ({ cipher, plaintext }) =>
        !cipher.iv?.startsWith('hex:') || Buffer.byteLength(plaintext) >= 16,
    );
    assert.deepEqual(solvable, []);
  });
});

/**
 * Cases drawn from the whole notation: every algorithm equally often, then key reading, IV, padding,
 * encoding and tag; keys of 32 characters over the usual alphabets; passcodes and user information.
 *
 * @param fixedIvs whether half of the fixed IVs are drawn rather than zero
 */
function* drawPayloadCases(seed: string, count: number, fixedIvs = false): Generator<PayloadCase> {
  const random = seededRandom(seed);
  const space = listCiphers();
  for (let made = 0; made < count; ) {
    const { name } = random.pick(algorithms);
    const drawn = random.pick(space.filter(({ algorithm }) => algorithm === name));
    const cipher = fixedIvs ? withFixedIv(drawn, random) : drawn;
    const one = drawCase(cipher, random);
    if (one === undefined) continue;
    made++;
    yield one;
  }
}

function withFixedIv(cipher: Cipher, random: SeededRandom): Cipher {
  if (cipher.iv !== 'zero' || random.below(2) === 0) return cipher;
  const size = cipher.ivlen ?? algorithmOf(cipher).blockBytes;
  return { ...cipher, iv: `hex:${encodeHex(random.bytes(size))}` };
}

/** Undefined where the key can't be used with the cipher, such as one that isn't hexadecimal. */
function drawCase(cipher: Cipher, random: SeededRandom): PayloadCase | undefined {
  const alphabets = [alphanumeric, hex, `${alphanumeric}+/`, `${capitals}${digits}`];
  const key = random.text(random.pick(alphabets), 32);
  const kind = random.pick(['passcode', 'user-info'] as const);
  const drawn = kind === 'passcode' ? drawPasscode(random) : drawUserInformation(random);
  const { mode, blockBytes } = algorithmOf(cipher);
  const needsBlocks = cipher.padding === 'none' && isBlockMode(mode);
  const isWhole = !needsBlocks || encodeUtf8(drawn).length % blockBytes === 0;
  const plaintext = isWhole ? drawn : random.text(alphanumeric, 32);
  try {
    const payload = encryptPayload(encodeUtf8(plaintext), key, cipher, random.bytes);
    return { cipher, key, kind, plaintext, payload };
  } catch (error) {
    if (error instanceof AuthcliError) return undefined;
    throw error;
  }
}

function drawPasscode({ text, below, bytes, pick }: SeededRandom): string {
  const uuid = [8, 4, 4, 4, 12].map((length) => text(hex, length)).join('-');
  return pick([
    () => text(digits, 6 + below(7)),
    () => uuid.replace(/-.(.{3})-.(.{3})-(?=.{12}$)/, '-4$1-a$2-'),
    () => encodeBase64(bytes(pick([16, 24, 32]))),
    () => text(alphanumeric, 8 + below(25)),
    () => text(`${alphanumeric}!@#$%^&*`, 10 + below(8)),
  ])();
}

function drawUserInformation({ text, pick }: SeededRandom): string {
  const email = `jh.park+${text(digits, 4)}@${pick(['example.com', 'mail.example.co.kr'])}`;
  const name = pick(names);
  const phone = `010-${text(digits, 4)}-${text(digits, 4)}`;
  return pick([
    () => JSON.stringify({ email, name, phone }),
    () => `<user><email>${email}</email><name>${name}</name><phone>${phone}</phone></user>`,
    () => [email, name, phone].join(pick(['|', ',', ';', '\t'])),
    () => new URLSearchParams({ email, name, phone }).toString(),
  ])();
}
