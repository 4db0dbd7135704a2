import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { generatePerUserKey } from '../../src/crypto/per-user-key.ts';
import {
  diagnosePerUserKey,
  findTime,
  findWeakness,
  type PerUserKeyContext,
} from '../../src/diagnosis/per-user-key.ts';
import { draws } from '../support/draws.ts';
import { fixtureRows } from '../support/fixtures.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const key = 'Xq7vTn2RbLw9Zk4MdYc1Ge8HsJf5Pu3A';
const now = Date.UTC(2025, 10, 21, 13, 4, 5);
const digest = createHash('sha256').update(key).digest().subarray(0, 30);

function codesOf(text: string | Uint8Array, context: PerUserKeyContext = {}): readonly string[] {
  return diagnosePerUserKey(Buffer.from(text), context).diagnoses.map(({ code }) => code);
}

const uuid = '8c5d0bd5-1a0e-4c1b-9d7a-0f6f5a3cbb11';
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const hash = (algorithm: string, text: string) => createHash(algorithm).update(text);

type Form = readonly [text: string | Uint8Array, words: RegExp];

/** By the codes of what is wrong with the form, what was inside and what is said of it. */
const forms: Readonly<Record<string, readonly Form[]>> = {
  'key-length': [
    [key.slice(0, 31), /31 characters instead of 32\.$/],
    [`${key} `, /32 of them, plus white space around them/],
    [`\ufeff${key}`, /32 of them, plus a byte order mark in front of them/],
    [`${key}\0\0`, /2 zero bytes, as at the end of a C string: 34 ch.*, 32 without them/],
    [`${key.slice(1)}\0`, /a zero byte, as at .* C string: 32 ch.*, 31 without it\.$/],
    [`{${uuid}}`, /a UUID with its dashes/],
    ['0123456789abcdef', /as hexadecimal they are 8 bytes/],
    ['AAECAwQFBgcICQoLDA0ODw==', /as Base64 they are 16 bytes/],
    ['', /0 characters instead of 32: the decrypted key is empty/],
    ['x'.repeat(5000), /5000 bytes instead/],
  ],
  'key-length,key-constant': [['é'.repeat(16), /32 bytes in UTF-8, but 32 characters are req/]],
  'key-trailing-newline,key-length': [
    [`${key.slice(1)}\n`, /ends with a line break: 32 characters, 31 without/],
  ],
  'key-trailing-newline': [
    [`${key}\r\n`, /ends with CR LF: 34 ch.*, 32 without/],
    [`${key}\n\n\n\n\n\n\n`, /39 characters, 32 without/],
  ],
  'key-trailing-newline,key-quoted': [[`b'${key}'\n`, /line break/]],
  'key-utf16': [[utf16(key), /64 bytes of UTF-16: 32 characters/]],
  'key-utf16,key-trailing-newline': [[utf16(`${key}\n`), /66 bytes/]],
  'key-raw-bytes': [
    // Random bytes that begin as the marks of UTF-16 do.
    [Buffer.from([0xff, 0xfe, ...digest]), /32 bytes that are not text/],
    [Buffer.from(`${key.slice(1)}\u00e9`, 'latin1'), /another charset/],
    [`${key.slice(1)}\u0001`, /32 bytes that are not text/],
  ],
};

describe('the form of a per-user key', () => {
  for (const [codes, rows] of Object.entries(forms)) {
    it(`is ${codes}`, () => {
      for (const [text, words] of rows) {
        const { diagnoses } = diagnosePerUserKey(Buffer.from(text));
        assert.equal(codesOf(text).join(), codes, words.source);
        assert.match(diagnoses[0]?.message ?? '', words);
      }
    });
  }

  it('has nothing against what is right', () => {
    const context = { ptnCd: 'user-4711', clientId: 'authcli-client', now, earlierKeys: ['x'] };
    for (const text of [
      key,
      'AAECAwQFBgcICQoLDA0ODxAREhMUFRYX',
      `"${key.slice(2)}"`,
      ` ${key.slice(2)} `,
      '가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허고노도로',
      '🙂🙃😀😁😂🤣😃😄😅😆😉😊😋😎😍😘🥰😗😙😚🤗🤩🤔🤨😐😑😶🙄😏😣😥😮',
    ]) {
      const finding = diagnosePerUserKey(Buffer.from(text), context);
      assert.deepEqual(finding, { key: text, diagnoses: [] });
    }
  });
});

/** A version 1 UUID of that instant, as RFC 9562 5.1 lays it out. */
function uuid1(instant: number): string {
  const ticks = (BigInt(instant) * 10_000n + 0x01b21dd213814000n).toString(16).padStart(15, '0');
  return `${ticks.slice(7)}${ticks.slice(3, 7)}1${ticks.slice(0, 3)}9a3b0242ac120002`;
}

describe('the origin of a per-user key', () => {
  const [ptnCd, clientId] = ['kim.minsu', 'client-1'];
  const reverse = (text: string) => [...text].reverse().join('');
  const hexOf = (algorithm: string, text: string) => hash(algorithm, text).digest('hex');
  const md5 = hexOf('md5', ptnCd);
  const sha512 = hash('sha512', ptnCd + clientId).digest('base64');
  const derived: readonly (readonly [what: RegExp, key: string])[] = [
    [/the user code, repeated/, ptnCd.repeat(4).slice(0, 32)],
    [/the user code, padded/, ptnCd.padStart(32, '0')],
    [/the SHA1 of the user code.*last 32/, hexOf('sha1', ptnCd).slice(-32)],
    [/the SHA512 of user code and client id/, sha512.slice(0, 32)],
    [/the SHA1 of client id and user code/, hexOf('sha1', `${clientId}:${ptnCd}`).slice(0, 32)],
    [/the MD5 of the MD5/, hexOf('md5', md5)],
    [/in hexadecimal, reversed/, reverse(md5)],
  ];
  it('is known, also beside a fault of the form', () => {
    for (const [what, text] of derived) {
      const { diagnoses } = diagnosePerUserKey(Buffer.from(text), { ptnCd, clientId });
      assert.equal(diagnoses[0]?.code, 'key-from-user-code', what.source);
      assert.match(diagnoses[0]?.message ?? '', what);
    }
    const codes = codesOf(hexOf('sha256', ptnCd), { ptnCd });
    assert.deepEqual(codes, ['key-hex-of-32-bytes', 'key-from-user-code']);
  });

  const seconds = now / 1000;
  const times: readonly (readonly [what: RegExp, key: string])[] = [
    [/contains the seconds since 1970$/, `${seconds}Xq7vTn2RbLw9Zk4MdYc1Ge`],
    [/contains the milliseconds/, `Xq7vTn2RbLw9Zk4MdYc${now + 1234}`],
    [/hexadecimal$/, `${seconds.toString(16)}0a1b2c3d4e5f60718293a4b5`],
    [/version 1/, uuid1(now - 60_000)],
  ];
  it('is the time', () => {
    for (const [what, text] of times) {
      assert.match(findTime(text, now) ?? '', what);
      assert.deepEqual(codesOf(text, { now }), ['key-predictable'], what.source);
      assert.equal(findTime(text, now + 10 * 86_400_000), undefined);
    }
  });

  it('is the time in no more instants than keeps the stated rates of chance', () => {
    const z = 'Z'.repeat(32);
    const writings: readonly (readonly [nearest: number, write: (offset: number) => string])[] = [
      [14, (at) => `${(seconds + at).toString(16)}${z}`.slice(0, 32)],
      [119, (at) => `${seconds + at}${z}`.slice(0, 32)],
      [119_999, (at) => `${z.slice(13)}${now + at}`],
    ];
    for (const [last, write] of writings) {
      const seen = [-last - 1, -last, last, last + 1].map((at) => findTime(write(at), now));
      assert.deepEqual(seen.map(Boolean), [false, true, true, false], write(0));
    }
    assert.equal(findTime(`${z.slice(8)}${seconds.toString(16)}`, now), undefined);
  });

  it('is another user', () => {
    const near = (places: number) => `${key.slice(0, places)}${'-'.repeat(32 - places)}`;
    assert.deepEqual(codesOf(key, { earlierKeys: [near(20)] }), ['key-predictable']);
    assert.deepEqual(codesOf(key, { earlierKeys: [near(19)] }), []);
  });
});

describe('the strength of a per-user key', () => {
  it('is seen', () => {
    type Row = readonly [key: string, words: string];
    for (const [text, words] of fixtureRows<Row>('readings/keys-weak.jsonl')) {
      assert.equal(findWeakness(text)?.code, 'key-low-entropy', text);
      assert.match(findWeakness(text)?.message ?? '', new RegExp(words));
      assert.deepEqual(codesOf(text), ['key-low-entropy'], text);
    }
    const constant = findWeakness('0'.repeat(32));
    assert.equal(constant?.code, 'key-constant');
    assert.match(constant.message, /one character repeated 32 times/);
    for (const text of [
      'abcdefbbacddcabdcbacdabcdbbadcac', // six different characters
      'aXa2a4aQaLaWaZa8aRaTaPaMaKaBaDab', // one of them 16 times
      'xxxxxxxxxvQ7vTn2RbLw9Zk4MdYc1Ge8', // nine times in a row
      'abcdefghijklmnop7vTn2RbLw9Zk4Mdx', // 15 steps up
    ]) {
      assert.equal(findWeakness(text), undefined, text);
    }
  });

  it('is never doubted in random keys over any alphabet', () => {
    const context = { ptnCd: '4711', clientId: '123456', now };
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    for (const alphabet of ['0123456789', 'paswordxyz', '0123456789abcdef', letters, undefined]) {
      const draw = seededBytes(String(alphabet));
      for (let run = 0; run < draws(1000); run += 1) {
        const random = generatePerUserKey(draw, undefined, alphabet);
        assert.equal(findWeakness(random), undefined, random);
        // Whether a key is a digest takes 17 ms.
        if (run < draws(3)) assert.deepEqual(codesOf(random, context), []);
      }
    }
  });
});
