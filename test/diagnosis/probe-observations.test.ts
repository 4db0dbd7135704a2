import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import {
  explainsResponses,
  isBorneOut,
  type Observation,
  readsAsText,
} from '../../src/diagnosis/probe-observations.ts';
import { seededRandom } from '../support/seeded-random.ts';

const key = '0123456789abcdefghijklmnopqrstuv';
const { bytes } = seededRandom('inference');

function sent(cipher: string, texts: readonly string[], accepted: boolean): Observation {
  const payloads = texts.map((text) => ({
    plaintext: encodeUtf8(text),
    payload: encryptPayload(encodeUtf8(text), key, parseCipher(cipher), bytes),
  }));
  return { key, payloads, accepted };
}

const short = ['passcode-123'];
const unreadable: Observation = { key, payloads: [{ payload: '!*.!*.' }], accepted: true };

const cases: readonly [string, string, readonly Observation[], boolean][] = [
  ['its own payload accepted', 'aes-256-cbc', [sent('aes-256-cbc', short, true)], true],
  ['its own payload refused', 'aes-256-cbc', [sent('aes-256-cbc', short, false)], false],
  [
    'what it can not decrypt refused',
    'aes-256-cbc',
    [sent('aes-256-cbc', short, true), sent('aes-256-gcm', short, false)],
    true,
  ],
  ['what it can not decrypt accepted', 'aes-256-gcm', [sent('aes-256-cbc', short, true)], false],
  [
    'the other alphabet taken by a lenient decoder',
    'aes-256-cbc',
    [sent('aes-256-cbc?encoding=base64url', short, true)],
    true,
  ],
  [
    'the other alphabet refused by a strict one',
    'aes-256-cbc',
    [
      sent('aes-256-cbc', short, true),
      { ...sent('aes-256-cbc', short, false), payloads: [{ payload: 'ab-_' }] },
    ],
    true,
  ],
  ['noise accepted always', 'aes-256-ctr', [sent('aes-128-ctr', short, true)], true],
  [
    'noise accepted once and refused once',
    'aes-256-ctr',
    [sent('aes-128-ctr', short, true), sent('aes-192-ctr', short, false)],
    false,
  ],
  [
    'a ciphertext of no bytes taken for an empty text',
    'aes-256-cbc',
    [sent('aes-256-cbc?iv=zero', short, true), sent('aes-256-cbc?iv=key-head', short, true)],
    true,
  ],
  [
    'a ciphertext of no bytes taken once, and refused once',
    'aes-256-cbc',
    [sent('aes-256-cbc?iv=zero', short, true), sent('aes-256-cbc?iv=key-head', short, false)],
    false,
  ],
  [
    'user information that it need not decrypt',
    'aes-256-cbc',
    [
      {
        ...sent('aes-256-cbc', short, true),
        payloads: [...sent('aes-256-cbc', short, true).payloads, { payload: 'AAAA' }],
      },
    ],
    true,
  ],
  ['a text in no encoding, by a cipher with its IV in front', 'aes-256-cbc', [unreadable], false],
  ['a text in no encoding, by one with a fixed IV', 'aes-256-ctr?iv=zero', [unreadable], true],
];

describe('explainsResponses', () => {
  for (const [title, cipher, observations, expected] of cases) {
    it(`${expected ? 'accounts for' : 'is refuted by'} ${title}`, () => {
      assert.equal(explainsResponses(parseCipher(cipher), observations), expected);
    });
  }
});

describe('isBorneOut', () => {
  const borne: readonly [string, string, Observation, boolean][] = [
    ['noise that was refused', 'aes-256-ctr', sent('aes-128-ctr', short, false), true],
    ['noise that was accepted', 'aes-256-ctr', sent('aes-128-ctr', short, true), false],
    ['a padding that was refused', 'aes-256-cbc', sent('aes-128-cbc', short, false), true],
    ['a tag that was refused', 'aes-256-gcm', sent('aes-256-cbc', ['a'.repeat(40)], false), true],
    ['an encoding that was refused', 'aes-256-ctr', { ...unreadable, accepted: false }, false],
  ];
  for (const [title, cipher, observation, expected] of borne) {
    it(`${title}: ${expected ? 'yes' : 'no'}`, () => {
      assert.equal(isBorneOut(parseCipher(cipher), [observation]), expected);
    });
  }
});

describe('readsAsText', () => {
  const long = ['a passcode of more than one block'];
  const pairs: readonly [string, string, boolean][] = [
    ['aes-256-cbc?padding=none', 'aes-256-cbc?padding=zero', true],
    ['aes-256-cbc', 'aes-256-cbc?encoding=base64url', true],
    ['aes-256-cbc', 'aes-256-cbc?padding=zero', false],
    ['aes-256-cfb', 'aes-256-ctr', false],
    ['aes-256-gcm', 'aes-256-gcm?tag=after-iv', false],
  ];
  for (const [reader, writer, expected] of pairs) {
    it(`${reader} ${expected ? 'reads' : 'does not read'} what ${writer} wrote`, () => {
      assert.equal(readsAsText(parseCipher(reader), sent(writer, long, true)), expected);
    });
  }
});
