import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import {
  briefCipher,
  cipherPresets,
  defaultCipher,
  formatCipher,
  listCiphers,
  parseCipher,
} from '../../src/crypto/cipher.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { likelyCiphers, neighbouringCiphers } from '../../src/diagnosis/cipher-priors.ts';
import {
  acceptedCiphers,
  diagnoseProbedCipher,
  explainsResponses,
  isBorneOut,
  judgeTrials,
  type Observation,
  type ProbeTrial,
  readsAsText,
} from '../../src/diagnosis/cipher-probe.ts';
import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import type { Diagnosis } from '../../src/errors.ts';
import { seededRandom } from '../support/seeded-random.ts';

const key = '0123456789abcdefghijklmnopqrstuv';
const { bytes } = seededRandom('inference');
const canonical = (cipher: string): string => formatCipher(parseCipher(cipher));

describe('likelyCiphers', () => {
  const names = likelyCiphers().map(formatCipher);
  const at = (cipher: string): number => names.indexOf(canonical(cipher));

  it('has every cipher of the notation once, first what common stacks make', () => {
    assert.deepEqual([...names].sort(), listCiphers().map(formatCipher).sort());
    const presets = new Set(cipherPresets.map(({ cipher }) => cipher));
    assert.equal(names[0], formatCipher(defaultCipher));
    assert.deepEqual(new Set(names.slice(0, presets.size)), presets);
    const first = parseCipher('aria-192-cfb?iv=hex:000102030405060708090a0b0c0d0e0f');
    const ordered = likelyCiphers(first);
    assert.deepEqual([ordered[0], ordered.length], [first, names.length + 1]);
  });

  it('has odd combinations behind plain ones', () => {
    assert.ok(at('aes-128-cbc?key=md5') < 256);
    assert.ok(at('aes-256-gcm?key=evp-md5') > at('aes-128-cbc?key=evp-md5'));
    assert.ok(at('aes-256-gcm?iv=zero') > at('aes-256-gcm?key=sha256'));
  });

  it('changes one part of its neighbours beside algorithm and key', () => {
    const neighbours = neighbouringCiphers(defaultCipher).map(formatCipher);
    assert.equal(neighbours.length, 3 + 4 + 2);
    assert.ok(neighbours.includes(canonical('aes-256-cbc?iv=zero')));
    assert.equal(neighbouringCiphers(parseCipher('aes-256-gcm')).length, 3 + 2 + 1 + 1);
  });
});

function sent(cipher: string, accepted: boolean, text = 'passcode-123'): Observation {
  const plaintext = encodeUtf8(text);
  const payload = encryptPayload(plaintext, key, parseCipher(cipher), bytes);
  return { key, payloads: [{ plaintext, payload }], accepted };
}

describe('what an application accepted and refused', () => {
  const [cbc, gcm, ctr] = ['aes-256-cbc', 'aes-256-gcm', 'aes-256-ctr'];
  const unreadable: Observation = { key, payloads: [{ payload: '!*.!*.' }], accepted: true };
  const url = { ...unreadable, payloads: [{ payload: 'ab-_' }], accepted: false };
  const right = sent(cbc, true);
  const withUserInfo = { ...right, payloads: [...right.payloads, { payload: 'AAAA' }] };
  const [zero, head] = [`${cbc}?iv=zero`, `${cbc}?iv=key-head`];

  it('is explained by a cipher, or refutes it', () => {
    for (const [what, cipher, observations, expected] of [
      ['its own payload accepted', cbc, [right], true],
      ['what it can not decrypt refused', cbc, [right, sent(gcm, false)], true],
      ['what it can not decrypt accepted', gcm, [right], false],
      ['the other alphabet, by a lenient decoder', cbc, [sent(`${cbc}?encoding=hex`, true)], false],
      ['the same of base64url', cbc, [sent(`${cbc}?encoding=base64url`, true)], true],
      ['the other alphabet refused by a strict one', cbc, [right, url], true],
      ['noise accepted', ctr, [sent('aes-128-ctr', true)], true],
      ['and refused', ctr, [sent('aes-128-ctr', true), sent('aes-192-ctr', false)], false],
      ['no bytes as an empty text', cbc, [sent(zero, true), sent(head, true)], true],
      ['the same once, and refused once', cbc, [sent(zero, true), sent(head, false)], false],
      ['user information that it need not decrypt', cbc, [withUserInfo], true],
      ['no encoding, with the IV in front', cbc, [unreadable], false],
      ['no encoding, with a fixed IV', `${ctr}?iv=zero`, [unreadable], true],
    ] as const) {
      assert.equal(explainsResponses(parseCipher(cipher), observations), expected, what);
    }
  });

  it('bears a cipher out where a check of it refused', () => {
    for (const [what, cipher, observation, expected] of [
      ['noise that was refused', ctr, sent('aes-128-ctr', false), true],
      ['noise that was accepted', ctr, sent('aes-128-ctr', true), false],
      ['a padding that was refused', cbc, sent('aes-128-cbc', false), true],
      ['a tag that was refused', gcm, sent(cbc, false, 'a'.repeat(40)), true],
      ['an encoding that was refused', ctr, { ...unreadable, accepted: false }, false],
    ] as const) {
      assert.equal(isBorneOut(parseCipher(cipher), [observation]), expected, what);
    }
  });

  it('reads as text under another cipher, or not', () => {
    for (const [reader, writer, expected] of [
      [`${cbc}?padding=none`, `${cbc}?padding=zero`, true],
      [cbc, `${cbc}?encoding=base64url`, true],
      ['aes-256-cfb', ctr, false],
      [gcm, `${gcm}?tag=after-iv`, false],
    ] as const) {
      const written = sent(writer, true, 'a passcode of more than one block');
      assert.equal(readsAsText(parseCipher(reader), written), expected, `${reader} ${writer}`);
    }
  });
});

const refused = diagnosis('code-not-success', 'The code is "9".', '');

function right(cipher: string, accepted: boolean, refusal: Diagnosis = refused): ProbeTrial {
  const { payloads } = sent(cipher, accepted);
  const trial = { kind: 'right', cipher: parseCipher(cipher), key, payloads, accepted } as const;
  return accepted ? trial : { ...trial, refusal };
}

function undecryptable(accepted: boolean): ProbeTrial {
  const about = { kind: 'undecryptable', title: 'a text in no encoding' } as const;
  return { ...about, key, payloads: [{ payload: '!*.!' }], accepted };
}

function asStored(accepted: boolean): ProbeTrial {
  return {
    ...right('aes-256-cbc', accepted),
    kind: 'other-key',
    cipher: defaultCipher,
    keyForm: 'lower case',
  };
}

describe('judgeTrials', () => {
  const [cbc, gcm] = [right('aes-256-cbc', true), right('aes-256-gcm', true)];
  const [noCbc, noGcm] = [right('aes-256-cbc', false), right('aes-256-gcm', false)];
  const [careless, fair] = [undecryptable(true), undecryptable(false)];
  const html = diagnosis('html-instead-of-json', 'A page.', 'Look.');
  const pages = [right('aes-256-cbc', false, html), right('aes-256-gcm', false, html)];
  const many = Array.from({ length: 32 }, (_, index) =>
    right(`aes-256-cbc?iv=hex:${String(index).padStart(32, '0')}`, false),
  );

  it('names the cipher that was accepted, or why there is none', () => {
    const rows: readonly (readonly [ProbeTrial[], accepted: number, untried: number, string?])[] = [
      [[], 0, 0],
      [[cbc, noGcm, fair], 1, 0],
      // The cause that all refusals have in common, or how many there were.
      [pages, 0, 0, 'html-instead-of-json: A page.'],
      [[noCbc, noGcm], 0, 0, 'cipher-mismatch: .* each of 2 ciphers\\. The code is "9"\\.$'],
      // The key is suspected only where no cipher of the notation is left to try.
      [many, 0, 0, 'wrong-key'],
      [[...many, asStored(false)], 0, 0, 'wrong-key: The application refused'],
      [[...many, asStored(true)], 0, 0, 'wrong-key: .*than the one that it returned: lower case'],
      [many, 0, 7, 'cipher-mismatch: .*32 ciphers. 32 of 39 ciphers were tried, so the key'],
      [many.slice(1), 0, 0, 'cipher-mismatch'],
      // An application whose refusals say otherwise is not accused of never decrypting.
      [[cbc, gcm, careless], 2, 0, 'never-decrypts'],
      [[cbc, gcm, careless, fair], 2, 0, 'accepted-bad-input'],
      // Nor one of carelessness that takes few and refuses the rest.
      [[cbc, gcm, right('aes-256-ecb', false), fair], 2, 0],
    ];
    for (const [trials, count, untried, expected] of rows) {
      const { cipher, accepted, diagnosis } = judgeTrials(trials, undefined, untried);
      assert.equal(accepted.length, count, expected);
      if (expected === undefined) assert.deepEqual([cipher, diagnosis], [accepted[0], undefined]);
      else assert.match(`${diagnosis?.code}: ${diagnosis?.message}`, new RegExp(`^${expected}`));
    }
    const { notes } = judgeTrials([cbc, gcm, right('aes-256-ecb', false), fair]);
    assert.match(notes.join(' '), /are mutually exclusive/);
  });

  it('has each accepted cipher once, and none that was refused another time', () => {
    const accepted = acceptedCiphers([cbc, gcm, cbc, noGcm, careless]);
    assert.deepEqual(accepted.map(formatCipher), [canonical('aes-256-cbc')]);
  });
});

describe('diagnoseProbedCipher', () => {
  function weigh(found: string, configured: string, origin?: string): Diagnosis | undefined {
    const cipher = parseCipher(found);
    const set = { cipher: parseCipher(configured), origin };
    return diagnoseProbedCipher({ cipher, accepted: [cipher] }, set);
  }

  it('names the parts that differ, also where one is the default', () => {
    const iv = weigh('aes-256-cbc?iv=zero', 'aes-256-cbc')?.message ?? '';
    assert.match(iv, /decrypts aes-256-cbc\?iv=zero; authcli sends aes-256-cbc\?iv=prefix\.$/);
    const hex = weigh('aes-128-cbc?key=hex', 'aes-256-cbc')?.message ?? '';
    assert.match(hex, /decrypts aes-128-cbc\?key=hex; authcli sends aes-256-cbc\?key=utf8\.$/);
    const fixed = parseCipher(`aes-256-gcm?iv=hex:${'00'.repeat(16)}`);
    for (const cipher of [...listCiphers(), fixed]) {
      assert.equal(canonical(briefCipher(cipher)), formatCipher(cipher));
    }
  });
});
