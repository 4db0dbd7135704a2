import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeUtf8, encodeBase64, encodeHex, encodeUtf8 } from '../../src/bytes.ts';
import { algorithmOf, algorithms, type Cipher, isBlockMode } from '../../src/crypto/cipher.ts';
import { formatCipher, listCiphers, parseCipher } from '../../src/crypto/cipher-notation.ts';
import { decryptPayload, encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { identifyCipher } from '../../src/diagnosis/cipher-identification.ts';
import { AuthcliError } from '../../src/errors.ts';
import { type SeededRandom, seededRandom } from '../support/seeded-random.ts';

/** One payload of the kind that the interface carries. */
interface PayloadCase {
  readonly cipher: Cipher;
  readonly key: string;
  readonly kind: 'passcode' | 'user-info';
  readonly plaintext: string;
  readonly payload: string;
}

const digits = '0123456789';
const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const alphanumeric = `${capitals}${capitals.toLowerCase()}${digits}`;
const names = [
  '임민수',
  'Anna-Lena Öztürk',
  'John Smith',
  '山田太郎',
  'Дмитрий Иванов',
  'محمد علي',
];

/**
 * A case is found where the first candidate is its cipher, or one that reads the payload alike. It
 * must not be `certain` of anything else, ever.
 */
function score(cases: Iterable<PayloadCase>, isKnown: boolean) {
  const missed: PayloadCase[] = [];
  let found = 0;
  for (const one of cases) {
    const knownPlaintext = isKnown ? one.plaintext : undefined;
    const candidates = identifyCipher([one.payload], one.key, { kind: one.kind, knownPlaintext });
    const [best] = candidates;
    if (best !== undefined && decodeUtf8(best.plaintext) === one.plaintext) found++;
    else missed.push(one);
    for (const { confidence, plaintext } of candidates) {
      assert.ok(
        confidence !== 'certain' || decodeUtf8(plaintext) === one.plaintext,
        describeCase(one),
      );
    }
  }
  return { found, missed };
}

function describeCase({ cipher, key, plaintext }: PayloadCase): string {
  return `${formatCipher(cipher)} with ${key} for ${plaintext}`;
}

/** Without padding or tag, a text this short leaves space for another that is as good. */
function saysTooLittle({ cipher, plaintext }: PayloadCase): boolean {
  return cipher.tag === undefined && cipher.padding !== 'pkcs7' && plaintext.length <= 20;
}

describe('cipher identification over the whole notation', () => {
  it('finds 600 drawn cases, but for a few short ones that say too little', () => {
    const { found, missed } = score(drawPayloadCases('the whole notation', 600), false);
    const unexplained = missed.filter((one) => !saysTooLittle(one)).map(describeCase);
    assert.deepEqual(unexplained, []);
    assert.ok(found >= 594, `${found} of 600`);
  });

  it('finds 300 more by their plaintext, fixed IVs among them', () => {
    const { missed } = score(drawPayloadCases('with fixed IVs', 300, true), true);
    // A stream of less than a block shows too little of E(IV) to solve for it.
    const solvable = missed.filter(
      ({ cipher, plaintext }) =>
        !cipher.iv?.startsWith('hex:') || Buffer.byteLength(plaintext) >= 16,
    );
    assert.deepEqual(solvable.map(describeCase), []);
  });

  it('gives candidates that decrypt to what they say', () => {
    for (const one of drawPayloadCases('consistent', 60)) {
      for (const { cipher, plaintext } of identifyCipher([one.payload], one.key)) {
        const result = decryptPayload(one.payload, one.key, parseCipher(cipher));
        assert.ok(result.ok && Buffer.from(result.plaintext).equals(plaintext), cipher);
      }
    }
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
    const drawn = drawCipher(space, random);
    const cipher = fixedIvs ? withFixedIv(drawn, random) : drawn;
    const one = drawCase(cipher, random);
    if (one === undefined) continue;
    made++;
    yield one;
  }
}

function drawCipher(space: readonly Cipher[], random: SeededRandom): Cipher {
  const { name } = random.pick(algorithms);
  return random.pick(space.filter(({ algorithm }) => algorithm === name));
}

function withFixedIv(cipher: Cipher, random: SeededRandom): Cipher {
  if (cipher.iv !== 'zero' || random.below(2) === 0) return cipher;
  const size = cipher.ivlen ?? algorithmOf(cipher).blockBytes;
  return { ...cipher, iv: `hex:${encodeHex(random.bytes(size))}` };
}

/** Undefined where the key can't be used with the cipher, such as one that isn't hexadecimal. */
function drawCase(cipher: Cipher, random: SeededRandom): PayloadCase | undefined {
  const alphabet = random.pick([
    alphanumeric,
    '0123456789abcdef',
    `${alphanumeric}+/`,
    `${capitals}${digits}`,
  ]);
  const key = random.text(alphabet, 32);
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

function drawPasscode(random: SeededRandom): string {
  const hex = (length: number) => random.text('0123456789abcdef', length);
  return random.pick([
    () => random.text(digits, 6 + random.below(7)),
    () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    () => hex(random.pick([32, 40, 64])),
    () => encodeBase64(random.bytes(random.pick([16, 24, 32]))),
    () => random.text(alphanumeric, 8 + random.below(25)),
    () => random.text(`${alphanumeric}!@#$%^&*`, 10 + random.below(8)),
  ])();
}

function drawUserInformation(random: SeededRandom): string {
  const local = random.pick(['user', 'kr', 'jh.park', 'first.last+signup']);
  const email = `${local}${random.text(digits, 4)}@${random.pick(['example.com', 'mail.example.co.kr'])}`;
  const name = random.pick(names);
  const phone = `${random.pick(['010-', '+82-10-'])}${random.text(digits, 4)}-${random.text(digits, 4)}`;
  return random.pick([
    () => JSON.stringify({ email, name, phone }),
    () => JSON.stringify({ userEmail: email, userName: name, phoneNumber: phone }, null, 2),
    () => `<user><email>${email}</email><name>${name}</name><phone>${phone}</phone></user>`,
    () => [email, name, phone].join(random.pick(['|', ',', ';', '\t'])),
    () => new URLSearchParams({ email, name, phone }).toString(),
  ])();
}
