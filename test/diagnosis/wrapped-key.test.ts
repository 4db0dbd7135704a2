import assert from 'node:assert/strict';
import { constants, publicEncrypt } from 'node:crypto';
import { describe, it } from 'node:test';
import { encodeBase64 } from '../../src/bytes.ts';
import { readPrivateKey } from '../../src/crypto/key-reading.ts';
import { generatePerUserKey } from '../../src/crypto/per-user-key.ts';
import { exportPublicKey } from '../../src/crypto/rsa-key.ts';
import {
  decodeEmePkcs1V15,
  encryptRsaesPkcs1V15,
  wrapKey,
} from '../../src/crypto/rsaes-pkcs1-v1_5.ts';
import { diagnoseWrappedKey } from '../../src/diagnosis/wrapped-key.ts';
import { openBlock } from '../../src/diagnosis/wrapped-key-block.ts';
import { encodeEmeOaep } from '../../src/emulator/faults/wrapping.ts';
import { perUserKeyCodes, stacks, wrappedKeyCodes } from '../../src/errors.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';
import { fixture, fixtureJson } from '../support/fixtures.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { seededRandom } from '../support/seeded-random.ts';

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

const weak = /constant|from-user-code|predictable|low-entropy|repeated/;
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

function codesOf(encPartnerKey: string, key = privateKey): readonly string[] {
  return diagnoseWrappedKey(encPartnerKey, { privateKey: key }).diagnoses.map(({ code }) => code);
}

describe('diagnoseWrappedKey', () => {
  for (const row of rows) {
    it(`names ${row.codes.join(', then ') || 'nothing'}: ${row.what} (${row.maker})`, () => {
      const { key, ok, diagnoses, notes } = diagnose(row);
      const codes: readonly string[] = diagnoses.map(({ code }) => code);
      if (row.orMore) assert.ok(row.codes.every((code) => codes.includes(code)));
      else assert.deepEqual(codes, row.codes);
      const isWeak = codes.every((code) => weak.test(code));
      assert.equal(ok, isWeak);
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
    const name = /PKCS1Padding|PKCS1_PADDING|PKCS1v15|RSAEncryptionPadding\.Pkcs1/;
    for (const stack of stacks) assert.match(calls[stack] ?? '', name, stack);
    for (const call of Object.values(calls)) assert.ok(!hint.includes(call), call);
  });

  it('blames no key that opens as the interface says', () => {
    const draw = seededBytes('keys');
    fc.assert(
      fc.property(fc.constantFrom('0123456789', '0123456789abcdef', undefined), (alphabet) => {
        const key = generatePerUserKey(draw, { alphabet });
        const wrapped = wrapKey(privateKey.publicKey, key, randomBytes);
        const context = { privateKey, ptnCd: 'user-1', clientId: 'client-1', now: 1763730245000 };
        const right = { key, ok: true, diagnoses: [], notes: [] };
        assert.deepEqual(diagnoseWrappedKey(wrapped, context), right);
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

  it('judges the key inside', () => {
    for (const [key, codes] of [
      ['a'.repeat(32), ['key-constant']],
      ['q4XyVb0RkfM2sPzL8aWnTd6HjC1uEg9', ['key-length']],
    ] as const) {
      assert.deepEqual(codesOf(wrapKey(privateKey.publicKey, key, randomBytes)), codes);
    }
  });

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
      assert.deepEqual(codesOf(wrapped), ['other-public-key']);
    }
  });
});

describe('a ciphertext with a valid PKCS #1 block', () => {
  const ofWrap = /^(?:hex|key-bytes-reversed|no-padding|oaep|double-base64|not-base64)/;
  const small = (value: number, size: number) => Buffer.from([...Buffer.alloc(size - 1), value]);

  it('is read as nothing else, whatever is inside', () => {
    for (let run = 0; run < 200; run += 1) {
      const message = randomBytes(run);
      const sent = encryptRsaesPkcs1V15(privateKey.publicKey, message, randomBytes);
      assert.ok(!codesOf(encodeBase64(sent)).some((code) => ofWrap.test(code)), String(run));
    }
  });

  it('is not read as hexadecimal because its Base64 has only such digits', async () => {
    // as in Wycheproof: the ciphertexts 0, 1 and 2 in 384 bytes are AAAA…AAAC
    const larger = await keyPairSource()(3072);
    for (const value of [0, 1, 2]) {
      const text = encodeBase64(small(value, larger.modulusBytes));
      assert.match(text, /^A+[ABC]$/);
      assert.ok(!codesOf(text, larger).includes('hex'));
    }
  });

  it('contains no key where the ciphertext is 0', () => {
    const text = encodeBase64(small(0, privateKey.modulusBytes));
    const { key, ok } = diagnoseWrappedKey(text, { privateKey });
    assert.deepEqual([key, ok, codesOf(text)], [undefined, false, ['no-padding']]);
  });
});

it('names an enc_partner_key without a value', () => {
  const rows = [
    ['', 'wrong-length', /is empty/, /where the value gets lost/],
    ['null', 'not-base64', /"null": a variable that is not set/, /where the value gets lost/],
    ['undefined', 'not-base64', /a variable that is not set/, /where the value gets lost/],
    ['[object Object]', 'not-base64', /turned into text/, /Base64/],
    ['[B@1b6d3586', 'not-base64', /turned into text/, /Base64/],
  ] as const;
  for (const [text, code, message, hint] of rows) {
    const { diagnoses } = diagnoseWrappedKey(text, { privateKey });
    assert.deepEqual(codesOf(text), [code]);
    assert.match(diagnoses[0]?.message ?? '', message);
    assert.match(diagnoses[0]?.hint ?? '', hint);
  }
});

it('takes OAEP for what it is, also where chance makes it look like PKCS #1 v1.5', () => {
  const { bytes } = seededRandom('OAEP that begins with 00 02');
  const key = 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE';
  let seen = 0;
  for (let drawn = 0; drawn < 1500; drawn += 1) {
    const block = encodeEmeOaep(Buffer.from(key), 256, bytes, { hash: 'sha1' }) ?? assert.fail();
    if (!decodeEmePkcs1V15(block).ok) continue;
    seen += 1;
    const opened = openBlock(block);
    assert.equal(opened?.diagnosis?.code, 'oaep-sha1');
    assert.deepEqual(Buffer.from(opened.message).toString(), key);
  }
  assert.notEqual(seen, 0);
});

describe('diagnoseWrappedKey, given anything', () => {
  const right = wrapKey(privateKey.publicKey, 'k'.repeat(32), randomBytes);

  it('never throws, and always says why a key does not open', () => {
    const pieces = fc.constantFrom(right, '"', '\\n', '%2B', '{', '0x', '\ufffd', '=', ' ', "b'");
    const any = fc.oneof(pieces, fc.string({ unit: anyCharacter }), fc.base64String(), fc.json());
    const text = fc.array(any, { maxLength: 5 }).map((parts) => parts.join(''));
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
