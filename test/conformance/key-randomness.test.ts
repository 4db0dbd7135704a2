import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { type DrawnKey, findPattern } from '../../src/conformance/keys.ts';
import { generatePerUserKey } from '../../src/crypto/per-user-key.ts';
import { draws } from '../support/draws.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('key-randomness');

const drawnAt = Date.UTC(2027, 0, 2, 3, 4, 5);

/** Five keys of as many users, made one after the other. */
function keysBy(make: (ptnCd: string, index: number, now: number) => string): readonly DrawnKey[] {
  return Array.from({ length: 5 }, (_, index) => {
    const ptnCd = `authcli-${randomBytes(4).toString('hex')}`;
    const now = drawnAt + index * 7;
    // The clock that says when a key was requested has fractions of a millisecond.
    return { key: make(ptnCd, index, now), ptnCd, drawnAt: now + randomBytes(1).readUInt8() / 256 };
  });
}

const codeOf = (keys: readonly DrawnKey[]) => findPattern(keys, 'client')?.code;
const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const random = () => generatePerUserKey(randomBytes);
const constant = random();

/** Version 4 (RFC 9562 5.4). */
function uuidWithoutDashes(): string {
  const uuid = randomBytes(16);
  uuid[6] = (uuid.readUInt8(6) & 0x0f) | 0x40;
  uuid[8] = (uuid.readUInt8(8) & 0x3f) | 0x80;
  return uuid.toString('hex');
}

describe('findPattern', () => {
  for (const [title, make, code] of [
    ['the MD5 of the user code', (ptnCd) => md5(ptnCd), 'key-from-user-code'],
    ['the user code, filled up', (ptnCd) => ptnCd.padEnd(32, '0'), 'key-from-user-code'],
    ['a counter', (_, index) => `${index + 1}`.padStart(32, '0'), 'key-predictable'],
    [
      'a counter with text before',
      (_, index) => `my-very-secret-application-k-${100 + index}`,
      'key-predictable',
    ],
    ['hashes of a counter', (_, index) => md5(`${41 + index}`), 'key-predictable'],
    ['the time', (_, _index, now) => `${now}`.padStart(32, '0'), 'key-predictable'],
    ['hashes of the milliseconds', (_, _index, now) => md5(`${now + 3}`), 'key-predictable'],
    [
      'hashes of the seconds',
      (_, _index, now) => md5(`${Math.floor(now / 1000)}`),
      'key-predictable',
    ],
    [
      'hashes of the user code and the milliseconds',
      (ptnCd, _index, now) => md5(`${ptnCd}|${now + 2}`),
      'key-predictable',
    ],
    [
      'hashes of the seconds and the user code',
      (ptnCd, _index, now) => sha256(`${Math.floor(now / 1000)}${ptnCd}`).slice(0, 32),
      'key-predictable',
    ],
    [
      'random characters that are filled up with spaces',
      () => random().slice(0, 12).padEnd(32),
      'key-low-entropy',
    ],
    [
      'random characters behind spaces',
      () => random().slice(0, 12).padStart(32),
      'key-low-entropy',
    ],
    ['one character', () => 'x'.repeat(32), 'key-constant'],
    [
      'two characters at random',
      () => Array.from(randomBytes(32), (octet) => octet & 1).join(''),
      'key-low-entropy',
    ],
  ] as const satisfies readonly (readonly [string, Parameters<typeof keysBy>[0], string])[]) {
    it(`sees ${title}`, () => {
      for (let drawn = 0; drawn < draws(4); drawn += 1) assert.equal(codeOf(keysBy(make)), code);
    });
  }

  for (const [title, make, count] of [
    ['letters and digits', random, draws(12)],
    ['hexadecimal digits', () => randomBytes(16).toString('hex'), draws(1)],
    ['decimal digits', () => generatePerUserKey(randomBytes, { alphabet: '0123456789' }), draws(1)],
    ['UUIDs without dashes', uuidWithoutDashes, draws(1)],
    ['Base64 of 24 bytes', () => randomBytes(24).toString('base64'), draws(12)],
    ['one random key for all, which is another check', () => constant, draws(12)],
  ] as const) {
    it(`sees nothing in ${title}`, () => {
      for (let drawn = 0; drawn < count; drawn += 1) assert.equal(codeOf(keysBy(make)), undefined);
    });
  }
});
