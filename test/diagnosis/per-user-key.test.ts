import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  diagnosePerUserKey,
  findWeakness,
  type PerUserKeyContext,
} from '../../src/diagnosis/per-user-key.ts';
import { findTime } from '../../src/diagnosis/per-user-key-origin.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';
import { randomKeysAreNeverDoubted } from './random-keys.ts';

const key = 'Xq7vTn2RbLw9Zk4MdYc1Ge8HsJf5Pu3A';
const now = Date.UTC(2025, 10, 21, 13, 4, 5);
const digest = createHash('sha256').update(key).digest().subarray(0, 30);

function codesOf(text: string | Uint8Array, context: PerUserKeyContext = {}): readonly string[] {
  return diagnosePerUserKey(Buffer.from(text), context).diagnoses.map(({ code }) => code);
}

describe('the form of a per-user key', () => {
  const forms: readonly (readonly [
    string | Uint8Array,
    codes: readonly string[],
    words: RegExp,
  ])[] = [
    [key.slice(0, 31), ['key-length'], /31 characters instead of 32\.$/],
    [`${key}x`, ['key-length'], /33 characters/],
    [`${key} `, ['key-length'], /32 of them, plus white space around them/],
    [`\ufeff${key}`, ['key-length'], /32 of them, plus a byte order mark in front of them/],
    [
      `${key}\0\0`,
      ['key-length'],
      /2 zero bytes, as at the end of a C string: 34 ch.*, 32 without/,
    ],
    [
      `${key.slice(1)}\0`,
      ['key-length'],
      /a zero byte, as at .* C string: 32 ch.*, 31 without it\.$/,
    ],
    [
      `${key.slice(1)}\n`,
      ['key-trailing-newline', 'key-length'],
      /ends with a line break: 32 characters, 31 without/,
    ],
    [`${key.slice(2)}\r\n`, ['key-trailing-newline', 'key-length'], /CR LF: 32 ch.*, 30 without/],
    ['8c5d0bd5-1a0e-4c1b-9d7a-0f6f5a3cbb11', ['key-length'], /a UUID with its dashes/],
    ['{8c5d0bd5-1a0e-4c1b-9d7a-0f6f5a3cbb11}', ['key-length'], /a UUID with its dashes/],
    ['0123456789abcdef', ['key-length'], /as hexadecimal they are 8 bytes/],
    ['AAECAwQFBgcICQoLDA0ODw==', ['key-length'], /as Base64 they are 16 bytes/],
    [
      'é'.repeat(16),
      ['key-length', 'key-constant'],
      /32 bytes in UTF-8, but 32 characters are required/,
    ],
    ['', ['key-length'], /0 characters instead of 32: the decrypted key is empty/],
    ['x'.repeat(5000), ['key-length'], /5000 bytes instead/],
    [`${key}\n`, ['key-trailing-newline'], /ends with a line break: 33 characters, 32 without/],
    [`${key}\r\n`, ['key-trailing-newline'], /ends with CR LF/],
    [`${key}\n\n\n\n\n\n\n`, ['key-trailing-newline'], /39 characters, 32 without/],
    [`"${key}"`, ['key-quoted'], /34 characters, 32 without/],
    [`b'${key}'\n`, ['key-trailing-newline', 'key-quoted'], /line break/],
    [createHash('sha256').update(key).digest('hex'), ['key-hex-of-32-bytes'], /64 hexadecimal/],
    [
      createHash('sha256').update(key).digest('base64'),
      ['key-base64-of-32-bytes'],
      /44 characters/,
    ],
    [createHash('sha256').update(key).digest('base64url'), ['key-base64-of-32-bytes'], /43 char/],
    [Buffer.from(key, 'utf16le'), ['key-utf16'], /64 bytes of UTF-16: 32 characters/],
    [Buffer.from(key, 'utf16le').swap16(), ['key-utf16'], /64 bytes of UTF-16/],
    [Buffer.from(`${key}\n`, 'utf16le'), ['key-utf16', 'key-trailing-newline'], /66 bytes/],
    [Buffer.from(`\ufeff${key}`, 'utf16le'), ['key-utf16'], /66 bytes of UTF-16: 32 characters/],
    [Buffer.from(`\ufeff${key}`, 'utf16le').swap16(), ['key-utf16'], /66 bytes of UTF-16/],
    // Random bytes that begin as the marks of UTF-16 do.
    [Buffer.from([0xff, 0xfe, ...digest]), ['key-raw-bytes'], /32 bytes that are not text/],
    [Buffer.from([0xfe, 0xff, ...digest]), ['key-raw-bytes'], /32 bytes that are not text/],
    [Buffer.alloc(32, 0xfe), ['key-raw-bytes'], /32 bytes that are not text/],
    [Buffer.alloc(16, 0xfe), ['key-raw-bytes', 'key-length'], /16 bytes/],
    [Buffer.from(`${key.slice(1)}\u00e9`, 'latin1'), ['key-raw-bytes'], /another charset/],
    [`${key.slice(1)}\u0001`, ['key-raw-bytes'], /32 bytes that are not text/],
  ];
  for (const [text, codes, words] of forms) {
    it(`is ${codes.join(', ')}: ${words.source}`, () => {
      const finding = diagnosePerUserKey(Buffer.from(text));
      assert.deepEqual(codesOf(text), codes);
      assert.match(finding.diagnoses[0]?.message ?? '', words);
      assert.equal(finding.isWellFormed, false);
    });
  }

  const right: readonly string[] = [
    key,
    '5f0c9f5e3f0a4a8e9c670b5f8d1e2a34',
    '31415926535897932384626433832795',
    'AAECAwQFBgcICQoLDA0ODxAREhMUFRYX',
    `"${key.slice(2)}"`,
    ` ${key.slice(2)} `,
    '가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허고노도로',
    '🙂🙃😀😁😂🤣😃😄😅😆😉😊😋😎😍😘🥰😗😙😚🤗🤩🤔🤨😐😑😶🙄😏😣😥😮',
  ];
  for (const text of right) {
    it(`has nothing against ${text}`, () => {
      const context = { ptnCd: 'user-4711', clientId: 'authcli-client', now, earlierKeys: ['x'] };
      const finding = diagnosePerUserKey(Buffer.from(text), context);
      assert.deepEqual(finding, { key: text, isWellFormed: true, diagnoses: [] });
    });
  }
});

describe('the origin of a per-user key', () => {
  const ptnCd = 'kim.minsu';
  const clientId = 'client-1';
  const hash = (algorithm: string, text: string) => createHash(algorithm).update(text);
  const derived: readonly (readonly [what: RegExp, key: string])[] = [
    [/the user code, repeated/, ptnCd.repeat(4).slice(0, 32)],
    [/the user code, padded/, ptnCd.padStart(32, '0')],
    [/the MD5 of the user code in hex/, hash('md5', ptnCd).digest('hex').toUpperCase()],
    [/the SHA256 of the user code in hex.*, cut/, hash('sha256', ptnCd).digest('hex').slice(0, 32)],
    [/the SHA1 of the user code.*last 32/, hash('sha1', ptnCd).digest('hex').slice(-32)],
    [
      /the SHA512 of user code and client id/,
      hash('sha512', ptnCd + clientId)
        .digest('base64')
        .slice(0, 32),
    ],
    [/the MD5 of the MD5/, hash('md5', hash('md5', ptnCd).digest('hex')).digest('hex')],
    [/in hexadecimal, reversed/, [...hash('md5', ptnCd).digest('hex')].reverse().join('')],
    [/client id/, hash('md5', clientId).digest('hex')],
  ];
  for (const [what, text] of derived) {
    it(`is known: ${what.source}`, () => {
      const { diagnoses } = diagnosePerUserKey(Buffer.from(text), { ptnCd, clientId });
      assert.equal(diagnoses[0]?.code, 'key-from-user-code');
      assert.match(diagnoses[0]?.message ?? '', what);
    });
  }

  it('is seen beside a fault of the form', () => {
    const text = hash('sha256', ptnCd).digest('hex');
    assert.deepEqual(codesOf(text, { ptnCd }), ['key-hex-of-32-bytes', 'key-from-user-code']);
  });

  const times: readonly (readonly [what: RegExp, key: string])[] = [
    [/contains the seconds since 1970$/, `${now / 1000}Xq7vTn2RbLw9Zk4MdYc1Ge`],
    [/contains the milliseconds/, `Xq7vTn2RbLw9Zk4MdYc${now + 1234}`],
    [/hexadecimal$/, `${(now / 1000).toString(16)}0a1b2c3d4e5f60718293a4b5`],
    [/contains the date and time/, 'Xq7v20251121220405Tn2RbLw9Zk4MdY'],
    [/version 1/, uuid1(now - 60_000)],
    [/a hash of the seconds/, hash('md5', `${now / 1000 - 2}`).digest('hex')],
    [
      /a hash of the milliseconds/,
      hash('sha256', `${now + 17}`)
        .digest('hex')
        .slice(0, 32),
    ],
  ];
  for (const [what, text] of times) {
    it(`is the time: ${what.source}`, () => {
      assert.match(findTime(text, now) ?? '', what);
      assert.deepEqual(codesOf(text, { now }), ['key-predictable']);
      assert.deepEqual(codesOf(text, { now: now + 10 * 86_400_000 }), []);
    });
  }

  it('is seen in no more instants than the stated rates allow', () => {
    const filler = 'Z'.repeat(32);
    const count = (write: (offset: number) => string, offsets: number) => {
      let seen = 0;
      for (let offset = -offsets; offset <= offsets; offset += 1) {
        if (findTime(write(offset), now) !== undefined) seen += 1;
      }
      return seen;
    };
    const seconds = now / 1000;
    const hexadecimal = (at: number) => `${(seconds + at).toString(16)}${filler}`.slice(0, 32);
    const hexadecimalBehind = (at: number) => `${filler.slice(8)}${(seconds + at).toString(16)}`;
    const decimal = (at: number) => `${seconds + at}${filler}`.slice(0, 32);
    const milliseconds = (at: number) => `${filler.slice(13)}${now + at}`;
    assert.equal(count(hexadecimal, 1000), 29);
    assert.equal(count(hexadecimalBehind, 1000), 0);
    assert.equal(count(decimal, 1000), 239);
    assert.equal(count(milliseconds, 200_000), 239_999);
    const tenDigits = 29 / 1e8 + (2 * 239) / 1e10 + (2 * 239_999) / 1e13;
    assert.ok(tenDigits < 4e-7);
  });

  it('is another user', () => {
    assert.deepEqual(codesOf(key, { earlierKeys: [key, 'other'] }), ['key-repeated']);
    assert.deepEqual(codesOf(key, { earlierKeys: [key, key] }), ['key-constant']);
    const near = `${key.slice(0, 24)}00000001`;
    assert.deepEqual(codesOf(key, { earlierKeys: [near] }), ['key-predictable']);
  });
});

/** A version 1 UUID of that instant, as RFC 9562 5.1 lays it out. */
function uuid1(instant: number): string {
  const ticks = (BigInt(instant) * 10_000n + 0x01b21dd213814000n).toString(16).padStart(15, '0');
  return `${ticks.slice(7)}${ticks.slice(3, 7)}1${ticks.slice(0, 3)}9a3b0242ac120002`;
}

describe('the strength of a per-user key', () => {
  const weak: readonly (readonly [text: string, code: string, words: RegExp])[] = [
    ['0'.repeat(32), 'key-constant', /one character repeated 32 times/],
    ['ab'.repeat(16), 'key-low-entropy', /first 2 characters are repeated/],
    ['0123456789abcdef0123456789abcdef', 'key-low-entropy', /first 16 characters are repeated/],
    ['abcdabbacddcabdcbacdabcdbbadcacd', 'key-low-entropy', /only 4 different characters/],
    ['00000000000000000000000000048151', 'key-low-entropy', /only 5 different|occurs/],
    ['aXa2a4aQaLaWaZa8aRaTaPaMaKaBaDaa', 'key-low-entropy', /occurs 17 times/],
    ['xxxxxxxxxxQ7vTn2RbLw9Zk4MdYc1Ge8', 'key-low-entropy', /10 times in a row/],
    ['abcdefghijklmnopqrstuvwxyz123456', 'key-low-entropy', /30 of its 31 steps .* up/],
    ['zyxwvutsrqponmlkjihgfedcba987654', 'key-low-entropy', /steps .* down/],
    [
      'qwertyuiopasdfghjklzxcvbnm123456',
      'key-low-entropy',
      /to the neighbouring key on the keyboard/,
    ],
    ['Xq7vTn2RbLw9passwordYc1Ge8HsJf5P', 'key-low-entropy', /a word that is common in passwords/],
  ];
  for (const [text, code, words] of weak) {
    it(`is seen: ${words.source}`, () => {
      assert.equal(findWeakness(text)?.code, code);
      assert.match(findWeakness(text)?.message ?? '', words);
      assert.equal(diagnosePerUserKey(Buffer.from(text)).isWellFormed, true);
    });
  }

  it('has bounds that together are met less than once in a million over ten symbols', () => {
    const rates = [
      ...[1, 2, 3, 4, 5].map((different) => choose(10, different) * (different / 10) ** 32),
      10 * tail(32, 17, 0.1),
      23 * 0.1 ** 9,
      tail(31, 16, 0.1),
      ...Array.from({ length: 2 }, () => tail(31, 16, 0.09)),
      ...Array.from({ length: 2 }, () => tail(31, 16, 0.09)),
      2 * 0.1 ** 16,
      25 * 0.1 ** 8,
    ];
    const total = rates.reduce((sum, rate) => sum + rate, 0);
    assert.ok(total > 1e-7 && total < 5e-7, String(total));
  });

  randomKeysAreNeverDoubted({ keys: 10_000, examined: 20 });

  it('can be asked of any bytes', () => {
    const context = fc.record(
      {
        ptnCd: fc.string(),
        clientId: fc.string(),
        now: fc.integer(),
        earlierKeys: fc.array(fc.string()),
      },
      { requiredKeys: [] },
    );
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc.string({ unit: anyCharacter }).map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bytes, context, (message, facts) => {
        const { isWellFormed, diagnoses } = diagnosePerUserKey(message, facts);
        assert.ok(isWellFormed || diagnoses.length > 0);
      }),
    );
  });
});

/** The probability that of n independent events of this probability at least k happen. */
function tail(n: number, k: number, probability: number): number {
  let sum = 0;
  for (let at = k; at <= n; at += 1) {
    sum += choose(n, at) * probability ** at * (1 - probability) ** (n - at);
  }
  return sum;
}

function choose(n: number, k: number): number {
  let product = 1;
  for (let at = 1; at <= k; at += 1) product = (product * (n - k + at)) / at;
  return product;
}
