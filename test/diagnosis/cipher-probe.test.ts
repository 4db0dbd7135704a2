import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import { formatCipher, parseCipher } from '../../src/crypto/cipher-notation.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { acceptedCiphers, judgeTrials, type ProbeTrial } from '../../src/diagnosis/cipher-probe.ts';
import type { Diagnosis } from '../../src/errors.ts';
import { seededRandom } from '../support/seeded-random.ts';

const key = '0123456789abcdefghijklmnopqrstuv';
const { bytes } = seededRandom('verdict');
const refused: Diagnosis = {
  code: 'code-not-success',
  message: 'The code is "9".',
  hint: '',
  calls: {},
};

function right(cipher: string, accepted: boolean, refusal: Diagnosis = refused): ProbeTrial {
  const parsed = parseCipher(cipher);
  const plaintext = encodeUtf8('passcode-123');
  const payload = encryptPayload(plaintext, key, parsed, bytes);
  const trial = { kind: 'right', cipher: parsed, key, payloads: [{ payload, plaintext }] } as const;
  return { ...trial, accepted, ...(!accepted && { refusal }) };
}

function undecryptable(accepted: boolean): ProbeTrial {
  const about = { kind: 'undecryptable', title: 'a text in no encoding' } as const;
  return { ...about, key, payloads: [{ payload: '!*.!' }], accepted };
}

describe('acceptedCiphers', () => {
  it('has each cipher once, and none that was refused another time', () => {
    const trials = [
      right('aes-256-cbc', true),
      right('aes-256-gcm', true),
      right('aes-256-cbc', true),
      right('aes-256-gcm', false),
      undecryptable(true),
    ];
    assert.deepEqual(acceptedCiphers(trials).map(formatCipher), [canonical('aes-256-cbc')]);
  });
});

describe('judgeTrials', () => {
  it('has no cipher and no reason where nothing was tried', () => {
    assert.deepEqual(judgeTrials([]), { accepted: [], notes: [], diagnosis: undefined });
  });

  it('names the one that was accepted', () => {
    const trials = [right('aes-256-cbc', true), right('aes-256-gcm', false), undecryptable(false)];
    const { cipher, diagnosis } = judgeTrials(trials);
    assert.equal(cipher && formatCipher(cipher), canonical('aes-256-cbc'));
    assert.equal(diagnosis, undefined);
  });

  it('gives the cause that all refusals have in common, if it is one of its own', () => {
    const html: Diagnosis = {
      code: 'html-instead-of-json',
      message: 'A page.',
      hint: 'Look.',
      calls: {},
    };
    const trials = [right('aes-256-cbc', false, html), right('aes-256-gcm', false, html)];
    assert.deepEqual(judgeTrials(trials).diagnosis, html);
  });

  it('says how many ciphers were refused, and with which words', () => {
    const trials = [right('aes-256-cbc', false), right('aes-256-gcm', false)];
    const { diagnosis } = judgeTrials(trials);
    assert.equal(diagnosis?.code, 'cipher-mismatch');
    assert.match(diagnosis?.message ?? '', /under each of 2 ciphers\. The code is "9"\.$/);
  });

  it('suspects the key only where no cipher of the notation is left to try', () => {
    const trials = Array.from({ length: 32 }, (_, index) =>
      right(`aes-256-cbc?iv=hex:${String(index).padStart(32, '0')}`, false),
    );
    assert.equal(judgeTrials(trials).diagnosis?.code, 'wrong-key');
    const { diagnosis } = judgeTrials(trials, undefined, 7);
    assert.equal(diagnosis?.code, 'cipher-mismatch');
    assert.match(
      diagnosis?.message ?? '',
      /each of 32 ciphers\. 7 ciphers of the notation were not tried, so the key isn't necessarily/,
    );
    assert.deepEqual(diagnosis?.calls, {});
  });

  it('does not accuse of never decrypting an application whose refusals say otherwise', () => {
    const both = [right('aes-256-cbc', true), right('aes-256-gcm', true)];
    assert.equal(judgeTrials([...both, undecryptable(true)]).diagnosis?.code, 'never-decrypts');
    const fair = judgeTrials([...both, undecryptable(true), undecryptable(false)]);
    assert.equal(fair.diagnosis?.code, 'accepted-bad-input');
  });

  it('does not call an application careless that takes few and refuses the rest', () => {
    const trials = [
      right('aes-256-cbc', true),
      right('aes-256-gcm', true),
      right('aes-256-ecb', false),
      undecryptable(false),
    ];
    const { accepted, diagnosis, notes } = judgeTrials(trials);
    assert.equal(diagnosis, undefined);
    assert.equal(accepted.length, 2);
    assert.match(notes.join(' '), /are mutually exclusive/);
  });
});

function canonical(cipher: string): string {
  return formatCipher(parseCipher(cipher));
}
