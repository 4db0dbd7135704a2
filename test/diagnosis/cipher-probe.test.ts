import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import {
  briefCipher,
  formatCipher,
  listCiphers,
  parseCipher,
} from '../../src/crypto/cipher-notation.ts';
import { cipherPresets } from '../../src/crypto/cipher-presets.ts';
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
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual([...names].sort(), listCiphers().map(formatCipher).sort());
    const presets = new Set(cipherPresets.map(({ cipher }) => cipher));
    assert.equal(names[0], formatCipher(defaultCipher));
    assert.deepEqual(new Set(names.slice(0, presets.size)), presets);
  });

  it('puts the one first that there is reason to, also with a fixed IV', () => {
    const first = parseCipher('aria-192-cfb?iv=hex:000102030405060708090a0b0c0d0e0f');
    const ordered = likelyCiphers(first);
    assert.deepEqual([ordered[0], ordered.length], [first, names.length + 1]);
  });

  it('has usual ciphers among the first 256, and odd combinations behind plain ones', () => {
    for (const cipher of ['aes-128-cbc?key=md5', 'aes-256-ctr', 'aes-256-gcm?ivlen=16']) {
      assert.ok(at(cipher) < 256, `${cipher} is at ${at(cipher)}`);
    }
    assert.ok(at('aes-256-gcm?key=evp-md5') > at('aes-128-cbc?key=evp-md5'));
    assert.ok(at('aes-256-gcm?iv=zero') > at('aes-256-gcm?key=sha256'));
  });

  it('changes one part of its neighbours beside algorithm and key', () => {
    const neighbours = neighbouringCiphers(defaultCipher).map(formatCipher);
    assert.equal(neighbours.length, 3 + 4 + 2);
    assert.ok(neighbours.includes('aes-256-cbc?key=utf8&iv=zero&padding=pkcs7&encoding=base64'));
    assert.ok(!neighbours.includes(formatCipher(defaultCipher)));
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
    const rows: readonly (readonly [string, string, readonly Observation[], boolean])[] = [
      ['its own payload accepted', cbc, [right], true],
      ['its own payload refused', cbc, [sent(cbc, false)], false],
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
    ];
    for (const [what, cipher, observations, expected] of rows) {
      assert.equal(explainsResponses(parseCipher(cipher), observations), expected, what);
    }
  });

  it('bears a cipher out where a check of it refused', () => {
    const rows: readonly (readonly [string, string, Observation, boolean])[] = [
      ['noise that was refused', ctr, sent('aes-128-ctr', false), true],
      ['noise that was accepted', ctr, sent('aes-128-ctr', true), false],
      ['a padding that was refused', cbc, sent('aes-128-cbc', false), true],
      ['a tag that was refused', gcm, sent(cbc, false, 'a'.repeat(40)), true],
      ['an encoding that was refused', ctr, { ...unreadable, accepted: false }, false],
    ];
    for (const [what, cipher, observation, expected] of rows) {
      assert.equal(isBorneOut(parseCipher(cipher), [observation]), expected, what);
    }
  });

  it('reads as text under another cipher, or not', () => {
    const rows: readonly (readonly [string, string, boolean])[] = [
      [`${cbc}?padding=none`, `${cbc}?padding=zero`, true],
      [cbc, `${cbc}?encoding=base64url`, true],
      [cbc, `${cbc}?padding=zero`, false],
      ['aes-256-cfb', ctr, false],
      [gcm, `${gcm}?tag=after-iv`, false],
    ];
    for (const [reader, writer, expected] of rows) {
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

describe('judgeTrials', () => {
  it('has each accepted cipher once, and none that was refused another time', () => {
    const [cbc, gcm] = [right('aes-256-cbc', true), right('aes-256-gcm', true)];
    const trials = [cbc, gcm, cbc, right('aes-256-gcm', false), undecryptable(true)];
    assert.deepEqual(acceptedCiphers(trials).map(formatCipher), [canonical('aes-256-cbc')]);
  });

  it('has no cipher and no reason where nothing was tried', () => {
    assert.deepEqual(judgeTrials([]), { accepted: [], notes: [], diagnosis: undefined });
  });

  it('names the one that was accepted', () => {
    const trials = [right('aes-256-cbc', true), right('aes-256-gcm', false), undecryptable(false)];
    const { cipher, diagnosis: found } = judgeTrials(trials);
    assert.equal(cipher && formatCipher(cipher), canonical('aes-256-cbc'));
    assert.equal(found, undefined);
  });

  it('gives the cause that all refusals have in common, or how many there were', () => {
    const html = diagnosis('html-instead-of-json', 'A page.', 'Look.');
    const pages = [right('aes-256-cbc', false, html), right('aes-256-gcm', false, html)];
    assert.deepEqual(judgeTrials(pages).diagnosis, html);
    const trials = [right('aes-256-cbc', false), right('aes-256-gcm', false)];
    const { diagnosis: found } = judgeTrials(trials);
    assert.equal(found?.code, 'cipher-mismatch');
    assert.match(found.message, /under each of 2 ciphers\. The code is "9"\.$/);
  });

  it('suspects the key only where no cipher of the notation is left to try', () => {
    const trials = Array.from({ length: 32 }, (_, index) =>
      right(`aes-256-cbc?iv=hex:${String(index).padStart(32, '0')}`, false),
    );
    assert.equal(judgeTrials(trials).diagnosis?.code, 'wrong-key');
    const { diagnosis: found } = judgeTrials(trials, undefined, 7);
    assert.equal(found?.code, 'cipher-mismatch');
    assert.match(
      found.message,
      /32 ciphers\. 7 ciphers of the notation were not tried, so the key/,
    );
    assert.deepEqual(found.calls, {});
  });

  it('does not accuse of never decrypting an application whose refusals say otherwise', () => {
    const both = [right('aes-256-cbc', true), right('aes-256-gcm', true), undecryptable(true)];
    assert.equal(judgeTrials(both).diagnosis?.code, 'never-decrypts');
    const fair = judgeTrials([...both, undecryptable(false)]);
    assert.equal(fair.diagnosis?.code, 'accepted-bad-input');
  });

  it('does not call an application careless that takes few and refuses the rest', () => {
    const two = [right('aes-256-cbc', true), right('aes-256-gcm', true)];
    const trials = [...two, right('aes-256-ecb', false), undecryptable(false)];
    const { accepted, diagnosis: found, notes } = judgeTrials(trials);
    assert.deepEqual([accepted.length, found], [2, undefined]);
    assert.match(notes.join(' '), /are mutually exclusive/);
  });
});

describe('diagnoseProbedCipher', () => {
  function weigh(found: string, configured: string, origin?: string): Diagnosis | undefined {
    const cipher = parseCipher(found);
    const set = { cipher: parseCipher(configured), origin };
    return diagnoseProbedCipher({ cipher, accepted: [cipher] }, set);
  }

  it('weighs the two ciphers without taking sides, with the calls for the configured one', () => {
    const found = weigh('aes-256-ecb', 'aes-256-cbc', 'profile default');
    assert.equal(found?.code, 'cipher-mismatch');
    assert.match(found.message, /decrypts aes-256-ecb; authcli \(profile default\) sends aes-256-/);
    assert.match(
      found.hint,
      /specifies aes-256-cbc, .* `authcli config set cipher aes-256-ecb`\.$/,
    );
    assert.match(found.calls.java ?? '', /"AES\/CBC\/PKCS5Padding".*IvParameterSpec\(raw, 0, 16\)/);
    const [cipher, fitting_cipher] = [canonical('aes-256-cbc'), canonical('aes-256-ecb')];
    assert.deepEqual(found.evidence, { cipher, fitting_cipher });
  });

  it('names the parts that differ, also where one is the default', () => {
    const iv = weigh('aes-256-cbc?iv=zero', 'aes-256-cbc')?.message ?? '';
    assert.match(iv, /decrypts aes-256-cbc\?iv=zero; authcli sends aes-256-cbc\?iv=prefix\.$/);
    const hex = weigh('aes-128-cbc?key=hex', 'aes-256-cbc')?.message ?? '';
    assert.match(hex, /decrypts aes-128-cbc\?key=hex; authcli sends aes-256-cbc\?key=utf8\.$/);
  });

  it('begins the calls with the decoding where the encodings differ', () => {
    const calls = weigh('aes-256-cbc?encoding=hex', 'aes-256-cbc')?.calls;
    assert.match(calls?.python ?? '', /^raw = base64\.b64decode\(payload\); /);
  });

  it('is silent where the configured cipher is accepted, and passes on what the probe found', () => {
    const configured = { cipher: parseCipher('aes-256-cbc') };
    const accepted = ['aes-256-cbc?padding=zero', 'aes-256-cbc'].map(parseCipher);
    const [cipher] = accepted;
    assert.equal(diagnoseProbedCipher({ cipher, accepted }, configured), undefined);
    const verdict = { accepted: [], diagnosis: refused };
    assert.equal(diagnoseProbedCipher(verdict, configured), refused);
  });

  it('names a cipher briefly in the notation', () => {
    const fixed = parseCipher(`aes-256-gcm?iv=hex:${'00'.repeat(16)}`);
    for (const cipher of [...listCiphers(), fixed]) {
      assert.equal(canonical(briefCipher(cipher)), formatCipher(cipher));
    }
  });
});
