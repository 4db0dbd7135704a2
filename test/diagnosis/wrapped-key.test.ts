import assert from 'node:assert/strict';
import { constants, publicEncrypt } from 'node:crypto';
import { describe, it } from 'node:test';
import { readPrivateKey } from '../../src/crypto/key-reading.ts';
import { generatePerUserKey } from '../../src/crypto/per-user-key.ts';
import { exportPublicKey } from '../../src/crypto/rsa-key.ts';
import { wrapKey } from '../../src/crypto/rsaes-pkcs1-v1_5.ts';
import { diagnoseWrappedKey } from '../../src/diagnosis/wrapped-key.ts';
import { perUserKeyCodes, type Stack, stacks, wrappedKeyCodes } from '../../src/errors.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';
import { fixture, fixtureJson } from '../support/fixtures.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('wrapped-key');

/** One wrap made by another tool, with the command that made it. */
interface Row {
  readonly what: string;
  readonly codes: readonly string[];
  readonly encPartnerKey: string;
  /** What is inside, where it is known and can be read. */
  readonly key?: string;
  /** What the first diagnosis says. */
  readonly says?: string;
  /** What a note says. */
  readonly note?: string;
  /** Whether more codes follow those that are listed. */
  readonly orMore?: boolean;
  readonly with?: string;
  readonly ptnCd?: string;
  readonly clientId?: string;
  readonly now?: number;
  readonly earlierKeys?: readonly string[];
}

const weak = new Set(
  perUserKeyCodes.filter((code) =>
    /constant|from-user-code|predictable|low-entropy|repeated/.test(code),
  ),
);
const readKey = (path: string) => readPrivateKey(fixture(path)).key;
const privateKey = readKey('keys/private.pkcs8.pem');
const otherPrivateKeys = [readKey('wraps/earlier.private.pem')];
const makers = ['openssl', 'python', 'jdk'] as const;
const rows = makers.flatMap((maker) =>
  fixtureJson<Row[]>(`wraps/${maker}.json`).map((row) => ({ ...row, maker })),
);

function diagnose(row: Row) {
  const { ptnCd, clientId, now, earlierKeys } = row;
  const key = row.with === undefined ? privateKey : readKey(`wraps/${row.with}.private.pem`);
  const context = { privateKey: key, otherPrivateKeys, ptnCd, clientId, now, earlierKeys };
  return diagnoseWrappedKey(row.encPartnerKey, context);
}

describe('diagnoseWrappedKey', () => {
  for (const row of rows) {
    it(`names ${row.codes.join(', then ') || 'nothing'}: ${row.what} (${row.maker})`, () => {
      const { key, ok, diagnoses, notes } = diagnose(row);
      const codes = diagnoses.map(({ code }) => code);
      if (row.orMore) assert.ok(row.codes.every((code) => codes.some((named) => named === code)));
      else assert.deepEqual(codes, row.codes);
      assert.equal(
        ok,
        codes.every((code) => weak.has(code as never)),
      );
      if (row.key !== undefined) assert.equal(key, row.key);
      if (row.says !== undefined) assert.ok(diagnoses[0]?.message.includes(row.says));
      if (row.codes[0] === 'line-breaks') return;
      if (row.note === undefined) assert.deepEqual(notes, []);
      else assert.ok(notes.join('\n').includes(row.note));
    });
  }

  it('has two wrong inputs by other tools for every code that one wrap can show', () => {
    const shown = rows.flatMap(({ codes }) => codes);
    const needsMore = ['key-repeated', 'key-leaked'];
    for (const code of [...wrappedKeyCodes, ...perUserKeyCodes]) {
      if (needsMore.includes(code)) continue;
      assert.ok(shown.filter((named) => named === code).length >= 2, code);
    }
  });

  it('says what to change in every hint, and nothing of the key anywhere', () => {
    for (const row of rows) {
      const { key, diagnoses } = diagnose(row);
      for (const { message, hint } of diagnoses) {
        assert.match(message, /^[A-Ze].*\.$/s);
        assert.match(hint, /\.$/);
        const said = message;
        const secret = (key ?? row.key ?? '').replace(/\s+$/, '');
        if (new Set(secret).size < 6) continue;
        for (let at = 0; at + 6 <= secret.length; at += 1) {
          assert.equal(said.includes(secret.slice(at, at + 6)), false, `${row.what}: ${said}`);
        }
      }
    }
  });

  it('names the right call of every stack for a wrong padding', () => {
    const row = rows.find(({ codes }) => codes[0] === 'oaep-sha1');
    const { hint, calls } = (row && diagnose(row).diagnoses[0]) ?? assert.fail();
    const names: Readonly<Record<Stack, string>> = {
      java: 'Cipher.getInstance("RSA/ECB/PKCS1Padding")',
      kotlin: 'Cipher.getInstance("RSA/ECB/PKCS1Padding")',
      node: 'RSA_PKCS1_PADDING',
      python: 'padding.PKCS1v15()',
      php: 'OPENSSL_PKCS1_PADDING',
      go: 'EncryptPKCS1v15',
      csharp: 'RSAEncryptionPadding.Pkcs1',
      ruby: 'PKCS1_PADDING',
    };
    for (const stack of stacks) assert.ok(calls[stack]?.includes(names[stack]), stack);
    assert.deepEqual(Object.keys(calls).sort(), [...stacks].sort());
    for (const call of Object.values(calls)) assert.ok(!hint.includes(call), call);
  });

  it('blames no key that opens as the interface says', () => {
    const draw = seededBytes('keys');
    fc.assert(
      fc.property(fc.constantFrom('0123456789', '0123456789abcdef', undefined), (alphabet) => {
        const key = generatePerUserKey(draw, { alphabet });
        const wrapped = wrapKey(privateKey.publicKey, key, randomBytes);
        const context = { privateKey, ptnCd: 'user-1', clientId: 'client-1', now: 1763730245000 };
        assert.deepEqual(diagnoseWrappedKey(wrapped, context), {
          key,
          ok: true,
          diagnoses: [],
          notes: [],
        });
      }),
      { numRuns: 60 },
    );
  });

  it('finds the key in a right wrap of any text', () => {
    const text = fc.oneof(
      fc.string({ minLength: 30, maxLength: 34 }),
      fc.string({ minLength: 32, maxLength: 32, unit: 'grapheme-composite' }),
      fc.stringMatching(/^[A-Za-z0-9]{32}$/),
    );
    const context = { privateKey, otherPrivateKeys, ptnCd: 'alice', clientId: 'client', now: 0 };
    fc.assert(
      fc.property(text, (key) => {
        const wrapped = wrapKey(privateKey.publicKey, key, randomBytes);
        assert.equal(diagnoseWrappedKey(wrapped, context).key, key);
      }),
      { numRuns: 40 },
    );
  });

  for (const [what, key, codes] of [
    ['a random key', 'q4XyVb0RkfM2sPzL8aWnTd6HjC1uEg9Y', []],
    ['a weak one', 'a'.repeat(32), ['key-constant']],
    ['one that is too short', 'q4XyVb0RkfM2sPzL8aWnTd6HjC1uEg9', ['key-length']],
  ] as const) {
    it(`judges the key inside: ${what}`, () => {
      const wrapped = wrapKey(privateKey.publicKey, key, randomBytes);
      const { diagnoses } = diagnoseWrappedKey(wrapped, { privateKey });
      assert.deepEqual(
        diagnoses.map(({ code }) => code),
        codes,
      );
    });
  }

  it('does not say that a block lacks the 00 02 that it has', () => {
    const block = Buffer.from(seededBytes('block')(privateKey.modulusBytes));
    block.set([0, 2]);
    block[9] = 0; // RFC 8017 7.2.2 step 3: the seven bytes before it are one too few
    const publicKey = exportPublicKey(privateKey.publicKey);
    const key = { key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' } as const;
    const raw = publicEncrypt({ ...key, padding: constants.RSA_NO_PADDING }, block);
    const { diagnoses } = diagnoseWrappedKey(raw.toString('base64'), { privateKey });
    assert.match(diagnoses[0]?.message ?? '', /has no padding structure after 00 02\.$/);
  });

  it('knows a wrap for another key from every other fault', () => {
    const [other] = otherPrivateKeys;
    assert.ok(other);
    // Not at random: one foreign block in 100,000 looks padded, which would fail one run in 1,000.
    const draw = seededBytes('wraps for another key');
    for (let run = 0; run < 100; run += 1) {
      const wrapped = wrapKey(other.publicKey, generatePerUserKey(draw), draw);
      const { ok, diagnoses } = diagnoseWrappedKey(wrapped, { privateKey });
      assert.deepEqual([ok, diagnoses.map(({ code }) => code)], [false, ['other-public-key']]);
    }
  });
});

describe('diagnoseWrappedKey, given anything', () => {
  const right = wrapKey(privateKey.publicKey, 'k'.repeat(32), randomBytes);

  it('never throws, and always says why a key does not open', () => {
    const pieces = fc.constantFrom(right, '"', '\\n', '%2B', '{', '0x', '\ufffd', '=', ' ', "b'");
    const text = fc
      .array(fc.oneof(pieces, fc.string({ unit: anyCharacter }), fc.base64String(), fc.json()), {
        maxLength: 5,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (encPartnerKey) => {
        const { ok, diagnoses } = diagnoseWrappedKey(encPartnerKey, { privateKey });
        assert.ok(ok || diagnoses.length > 0);
      }),
      { numRuns: 300 },
    );
  });

  it('never throws for any bytes of the right length, or near it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 250, maxLength: 260 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        assert.ok(diagnoseWrappedKey(text, { privateKey }).diagnoses.length > 0);
      }),
      { numRuns: 50 },
    );
  });
});
