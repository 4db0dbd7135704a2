import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeUtf8 } from '../../src/bytes.ts';
import { formatCipher, parseCipher } from '../../src/crypto/cipher-notation.ts';
import { decryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { identifyCipher } from '../../src/diagnosis/cipher-identification.ts';
import { draws } from '../support/draws.ts';
import { isNeverCertainOfNoise } from './noise.ts';
import { drawPayloadCases, type PayloadCase } from './payload-cases.ts';

/** What became of a number of cases. */
interface Score {
  readonly found: number;
  /** No reading, or one with another text, is first: the case says too little. */
  readonly missed: readonly PayloadCase[];
}

/**
 * A case is found where the first candidate is its cipher, or one that reads the payload alike. It
 * must not be `certain` of anything else, ever.
 */
function score(cases: Iterable<PayloadCase>, isKnown: boolean): Score {
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

  it('solves the very IV where more than the first block bears it out', () => {
    let solved = 0;
    for (const one of drawPayloadCases('solved', 250, true)) {
      const isLong = Buffer.byteLength(one.plaintext) > 33;
      if (!one.cipher.iv?.startsWith('hex:') || !isLong) continue;
      const found = identifyCipher([one.payload], one.key, { knownPlaintext: one.plaintext });
      const expected = formatCipher(one.cipher);
      const match = found.find(({ cipher }) => cipher === expected);
      assert.equal(match?.confidence, 'certain', describeCase(one));
      solved++;
    }
    assert.ok(solved >= 10, `${solved} solved`);
  });

  it('gives candidates that decrypt to what they say', () => {
    for (const one of drawPayloadCases('consistent', 60)) {
      for (const { cipher, plaintext } of identifyCipher([one.payload], one.key)) {
        const result = decryptPayload(one.payload, one.key, parseCipher(cipher));
        assert.ok(result.ok && Buffer.from(result.plaintext).equals(plaintext), cipher);
      }
    }
  });

  isNeverCertainOfNoise(draws(50));
});
