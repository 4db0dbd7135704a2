import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readPrivateKey } from '../../src/crypto/private-key.ts';
import { wrapKey } from '../../src/crypto/rsaes-pkcs1-v1_5.ts';
import { openWrappedKey } from '../../src/diagnosis/open-wrapped-key.ts';
import { diagnoseWrappedKey, type WrappedKeyContext } from '../../src/diagnosis/wrapped-key.ts';
import { fixture, fixtureJson } from '../support/fixtures.ts';

/** One wrap made by another tool, right or wrong, and what is known beside it. */
interface Row extends Omit<WrappedKeyContext, 'privateKey' | 'otherPrivateKeys'> {
  readonly what: string;
  readonly encPartnerKey: string;
  readonly with?: string;
}

const readKey = (path: string) => readPrivateKey(fixture(path)).key;
const privateKey = readKey('keys/private.pkcs8.pem');
const otherPrivateKeys = [readKey('wraps/earlier.private.pem')];

/** Opens it both ways; what both found. */
async function findingOf(encPartnerKey: string, context: WrappedKeyContext) {
  const finding = await openWrappedKey(encPartnerKey, context);
  assert.deepEqual(finding, diagnoseWrappedKey(encPartnerKey, context));
  return finding;
}

describe('openWrappedKey', () => {
  for (const maker of ['openssl', 'python', 'jdk']) {
    it(`finds what diagnoseWrappedKey finds, in every wrap made by ${maker}`, async () => {
      for (const row of fixtureJson<Row[]>(`wraps/${maker}.json`)) {
        const key = row.with === undefined ? privateKey : readKey(`wraps/${row.with}.private.pem`);
        await findingOf(row.encPartnerKey, { ...row, privateKey: key, otherPrivateKeys });
      }
    });
  }

  it('finds the same in right wraps of any text', async () => {
    const text = fc.oneof(
      fc.string({ minLength: 30, maxLength: 34 }),
      fc.string({ minLength: 32, maxLength: 32, unit: 'grapheme-composite' }),
      fc.stringMatching(/^[A-Za-z0-9]{32}$/),
    );
    const context = { privateKey, otherPrivateKeys, ptnCd: 'alice', clientId: 'client', now: 0 };
    await fc.assert(
      fc.asyncProperty(text, async (key) => {
        await findingOf(wrapKey(privateKey.publicKey, key, randomBytes), context);
      }),
      { numRuns: 40 },
    );
  });

  for (const [what, key, codes] of [
    ['a random key', 'q4XyVb0RkfM2sPzL8aWnTd6HjC1uEg9Y', []],
    ['a weak one', 'a'.repeat(32), ['key-constant']],
    ['one that is too short', 'q4XyVb0RkfM2sPzL8aWnTd6HjC1uEg9', ['key-length']],
  ] as const) {
    it(`judges the key inside: ${what}`, async () => {
      const wrapped = wrapKey(privateKey.publicKey, key, randomBytes);
      const { diagnoses } = await findingOf(wrapped, { privateKey });
      assert.deepEqual(
        diagnoses.map(({ code }) => code),
        codes,
      );
    });
  }
});
