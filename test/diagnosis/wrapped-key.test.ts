import assert from 'node:assert/strict';
import { constants, publicEncrypt } from 'node:crypto';
import { describe, it } from 'node:test';
import { encodeBase64 } from '../../src/bytes.ts';
import { readPrivateKey } from '../../src/crypto/key-reading.ts';
import { exportPublicKey } from '../../src/crypto/rsa-key.ts';
import {
  decodeEmePkcs1V15,
  encryptRsaesPkcs1V15,
  wrapKey,
} from '../../src/crypto/rsaes-pkcs1-v1_5.ts';
import type { PerUserKeyContext } from '../../src/diagnosis/per-user-key.ts';
import { diagnoseWrappedKey, openBlock } from '../../src/diagnosis/wrapped-key.ts';
import { encodeEmeOaep } from '../../src/emulator/faults/wrapping.ts';
import { isThorough } from '../support/draws.ts';
import { fixture, fixtureJson } from '../support/fixtures.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { seededRandom } from '../support/seeded-random.ts';

const randomBytes = seededBytes('wrapped-key');

/** One wrap made by another tool, with the command that made it. */
interface Row extends PerUserKeyContext {
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
}

const weak = /constant|from-user-code|predictable|low-entropy|repeated/;
const readKey = (path: string) => readPrivateKey(fixture(path)).key;
const privateKey = readKey('keys/private.pkcs8.pem');
const otherPrivateKeys = [readKey('wraps/earlier.private.pem')] as const;
const key = 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE';
const makers = ['openssl', 'python', 'jdk'] as const;
const rows = makers.flatMap((maker) =>
  fixtureJson<Row[]>(`wraps/${maker}.json`).map((row) => ({ ...row, maker })),
);

function diagnose(row: Row) {
  const { ptnCd, clientId, now, earlierKeys } = row;
  const ofRow = row.with === undefined ? privateKey : readKey(`wraps/${row.with}.private.pem`);
  const context = { privateKey: ofRow, otherPrivateKeys, ptnCd, clientId, now, earlierKeys };
  return diagnoseWrappedKey(row.encPartnerKey, context);
}

function codesOf(encPartnerKey: string, withKey = privateKey): readonly string[] {
  return diagnoseWrappedKey(encPartnerKey, { privateKey: withKey }).diagnoses.map(
    ({ code }) => code,
  );
}

/** No message has any of the key, unless that is all one character. */
function assertUntold(message: string, key = ''): void {
  const secret = key.trimEnd();
  if (new Set(secret).size < 6) return;
  for (let at = 0; at + 6 <= secret.length; at += 1) {
    assert.ok(!message.includes(secret.slice(at, at + 6)), message);
  }
}

describe('diagnoseWrappedKey', () => {
  for (const maker of makers) {
    it(`names what is wrong with a wrap made by ${maker}, and nothing of the key`, () => {
      for (const row of rows.filter((one) => one.maker === maker)) {
        const { key, ok, diagnoses, notes } = diagnose(row);
        const codes: readonly string[] = diagnoses.map(({ code }) => code);
        const named = row.orMore ? codes.filter((code) => row.codes.includes(code)) : codes;
        const isWeak = codes.every((code) => weak.test(code));
        assert.deepEqual([named, ok, key], [row.codes, isWeak, row.key ?? key], row.what);
        assert.ok(diagnoses[0]?.message.includes(row.says ?? '') ?? true, row.what);
        for (const { message, hint } of diagnoses) {
          assert.match(`${message} ${hint}`, /^[A-Ze].*\. .*\.$/s);
          assertUntold(message, key ?? row.key);
        }
        if (row.codes[0] === 'line-breaks') continue;
        if (row.note === undefined) assert.deepEqual(notes, [], row.what);
        else assert.ok(notes.join('\n').includes(row.note), row.what);
      }
    });
  }

  it('blames no key that opens as the interface says, and judges the key inside', () => {
    const right = ['12345678901927364510293847561029', key, '0a1b93c7d2e84f5061728394a5b6c7d8'];
    for (const text of [
      ...right,
      '🙂나다라마바사아자차카타파하거너더러머버서어저처커터퍼허고노도é',
    ]) {
      const wrapped = wrapKey(privateKey.publicKey, text, randomBytes);
      const context = { privateKey, ptnCd: 'user-1', clientId: 'client-1', now: 1763730245000 };
      const expected = { key: text, ok: true, diagnoses: [], notes: [] };
      assert.deepEqual(diagnoseWrappedKey(wrapped, context), expected);
    }
    for (const [text, code] of [
      ['a'.repeat(32), 'key-constant'],
      [key.slice(1), 'key-length'],
    ] as const) {
      const wrapped = wrapKey(privateKey.publicKey, text, randomBytes);
      const { diagnoses, ...rest } = diagnoseWrappedKey(wrapped, { privateKey });
      assert.deepEqual([diagnoses.length, diagnoses[0]?.code, rest.key], [1, code, text]);
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

  it('reads a ciphertext with a valid PKCS #1 block as nothing else, whatever is inside', () => {
    const ofWrap = /^(?:hex|key-bytes-reversed|no-padding|oaep|double-base64|not-base64)/;
    for (let size = 0; size < 200; size += isThorough ? 1 : 7) {
      const sent = encryptRsaesPkcs1V15(privateKey.publicKey, randomBytes(size), randomBytes);
      assert.ok(!codesOf(encodeBase64(sent)).some((code) => ofWrap.test(code)), String(size));
    }
  });

  it('does not read the ciphertexts 0, 1 and 2 as hexadecimal, as whose digits they appear', async () => {
    const small = (value: number, size: number) => Buffer.from([...Buffer.alloc(size - 1), value]);
    // as in Wycheproof: in 384 bytes they are AAAA…AAAC
    const larger = await keyPairSource()(3072);
    for (const value of [0, 1, 2]) {
      const text = encodeBase64(small(value, larger.modulusBytes));
      assert.match(text, /^A+[ABC]$/);
      assert.ok(!codesOf(text, larger).includes('hex'));
    }
    const text = encodeBase64(small(0, privateKey.modulusBytes));
    const found = diagnoseWrappedKey(text, { privateKey });
    assert.deepEqual([found.key, found.ok, codesOf(text)], [undefined, false, ['no-padding']]);
  });
});

it('names an enc_partner_key without a value, or with another one', () => {
  const lost = /where the value gets lost/;
  const wrapped = Buffer.from(wrapKey(privateKey.publicKey, key, randomBytes), 'base64');
  const withSign = encodeBase64(Buffer.concat([Buffer.of(0), wrapped]));
  for (const [text, code, message, hint] of [
    ['', 'wrong-length', /is empty/, lost],
    [withSign, 'wrong-length', /a zero byte in front/, /Send the last 256 bytes/],
    ['null', 'not-base64', /"null": a variable that is not set/, lost],
    ['[B@1b6d3586', 'not-base64', /turned into text/, /Base64/],
    [encodeBase64(randomBytes(32)), 'base64-of-plain-key', /only Base64 of 32 bytes/, /public_key/],
    [`\ufeff${wrapKey(privateKey.publicKey, key, randomBytes)}`, 'not-base64', /byte order/, /./],
  ] as const) {
    const [found, ...more] = diagnoseWrappedKey(text, { privateKey }).diagnoses;
    assert.deepEqual([found?.code, more], [code, []]);
    assert.match(found?.message ?? '', message);
    assert.match(found?.hint ?? '', hint);
  }
});

it('takes OAEP for what it is, also where chance makes it look like PKCS #1 v1.5', () => {
  const { bytes } = seededRandom('OAEP that begins with 00 02');
  let seen = 0;
  for (let drawn = 0; drawn < 1500 && seen === 0; drawn += 1) {
    const block = encodeEmeOaep(Buffer.from(key), 256, bytes, { hash: 'sha1' }) ?? assert.fail();
    if (!decodeEmePkcs1V15(block)) continue;
    seen += 1;
    const opened = openBlock(block);
    assert.equal(opened?.diagnosis?.code, 'oaep-sha1');
    assert.deepEqual(Buffer.from(opened.message).toString(), key);
  }
  assert.equal(seen, 1);
});
