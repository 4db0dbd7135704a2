import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import {
  asciiTextBits,
  assessPlaintext,
  isPlausiblePlaintext,
  isTextLike,
  scriptTextBits,
} from '../../src/diagnosis/plausibility.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';
import { cpuTimeOf } from '../support/resources.ts';

const plausible = [
  ['151908745078', 'digits'],
  ['2fdfa0f6-ac7b-42fc-9df5-1d362c4bb128', 'uuid'],
  ['4302abe141ca553e5c9f25facf8f6c7d', 'hexadecimal'],
  ['MughFmwWNhg7bQmvVB2mm7Zv1iLrqKig', 'alphanumeric'],
  ['EE6ZHUWpdNqasYBH472GJYgcBH7EyEj6rAiY/LSUdSo=', 'base64'],
  ['S3cure!p#ss-w%rd^ZK', 'ascii'],
  ['{"email":"kim@example.com","name":"임민수"}', 'json'],
  ['<user><email>kim@example.com</email><name>임민수</name></user>', 'xml'],
  ['email=kim%40example.com&name=%EC%9E%84&phone=010-1234', 'form'],
  ['kim@example.com|임민수|010-1234-5678', 'list'],
  ['first.last+signup@mail.example.co.kr', 'email'],
  ['+82 10-1234-5678', 'phone'],
  ['임민수', 'text'],
  ['山田太郎', 'text'],
] as const;

const noise = [
  ['a byte that is no UTF-8', Buffer.of(0x41, 0xff, 0x41)],
  ['a control character', Buffer.from('abc\x07def')],
  ['padding left on', Buffer.from('134457\x02\x02')],
  ['DEL', Buffer.from('abc\x7f')],
  ['a C1 control', Buffer.from('abc\u0085')],
  ['a private character', Buffer.from('abc\ue000')],
  ['an unassigned character', Buffer.from('abc\u{e0080}')],
  ['a cut character', encodeUtf8('임').subarray(0, 2)],
] as const;

describe('plausibility', () => {
  it('sees what a text is, and where there is none', () => {
    for (const [text, shape] of plausible) {
      const found = assessPlaintext(encodeUtf8(text));
      assert.deepEqual([found.shape, found.isClean], [shape, true], text);
      assert.ok(found.bits > 8, String(found.bits));
    }
    for (const [what, bytes] of noise) {
      const binary = { bits: 0, isClean: false, shape: 'binary' };
      assert.deepEqual(assessPlaintext(bytes), binary, what);
    }
    const empty = { bits: 0, isClean: false, shape: 'empty' };
    assert.deepEqual(assessPlaintext(new Uint8Array(0)), empty);
    assert.ok(isPlausiblePlaintext(new Uint8Array(0)));
  });

  it('takes one line end, not the ones that are padding left on', () => {
    for (const text of ['134457\n', '134457\r\n', 'a\n\nb', 'name  ']) {
      assert.equal(assessPlaintext(encodeUtf8(text)).isClean, true, JSON.stringify(text));
    }
    for (const count of [9, 10, 13]) {
      const padded = Buffer.concat([Buffer.from('134457'), Buffer.alloc(count, count)]);
      assert.equal(assessPlaintext(padded).isClean, false);
    }
  });

  it('favours the kind that is expected and excludes none', () => {
    const digits = encodeUtf8('151908745078');
    const expected = assessPlaintext(digits, 'passcode');
    const unexpected = assessPlaintext(digits, 'user-info');
    assert.ok(expected.bits > unexpected.bits);
    assert.equal(unexpected.isClean, true);
  });

  it('weighs a long text quickly and sees what is wrong at its end', () => {
    const long = Buffer.alloc(2_000_000, 'a@b');
    const cpuMs = cpuTimeOf(() => {
      assert.equal(assessPlaintext(long).isClean, true);
      assert.equal(assessPlaintext(Buffer.concat([long, Buffer.of(0)])).isClean, false);
    });
    assert.ok(cpuMs < 2000, `${cpuMs} ms`);
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void assessPlaintext(bytes)));
    const text = fc.string({ unit: anyCharacter });
    fc.assert(fc.property(text, (any) => void assessPlaintext(encodeUtf8(any))));
    for (const piece of ['[', '{"a":', 'a', '<a', '1@']) {
      assessPlaintext(encodeUtf8(piece.repeat(16_000 / piece.length)));
    }
  });
});

describe('the text models', () => {
  it('are distributions: the probabilities of all characters sum to one at most', () => {
    const offset = scriptTextBits('가');
    let [ascii, script] = [0, 0];
    for (let code = 1; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      ascii += 2 ** -asciiTextBits(character);
      script += 2 ** (offset - scriptTextBits(`가${character}`));
    }
    assert.ok(ascii > 0.8 && ascii <= 1.01, String(ascii));
    assert.ok(script <= 1.25, String(script));
  });

  it('give noise that passes for text no more evidence than its rarity', () => {
    // Markov: among random bytes a share of 2^-B at most reaches B bits. Four bytes, counted in full
    // over ASCII digits and letters would take long, so 200,000 draws of a fixed stream replace it.
    let state = 1;
    const next = () => {
      state = (state * 48_271) % 0x7fffffff;
      return (state >> 8) & 0xff;
    };
    const draws = 200_000;
    let [above4, above8] = [0, 0];
    for (let draw = 0; draw < draws; draw++) {
      const { bits } = assessPlaintext(Uint8Array.of(next(), next(), next(), next()));
      if (bits >= 4) above4++;
      if (bits >= 8) above8++;
    }
    assert.ok(above4 / draws <= 2 ** -4, String(above4 / draws));
    assert.ok(above8 / draws <= 2 ** -8, String(above8 / draws));
  });
});

it('lets a character be cut at its end only where that is said', () => {
  const cut = encodeUtf8('이름: 임').subarray(0, -1);
  assert.equal(isTextLike(cut), false);
  assert.equal(isTextLike(cut, true), true);
  assert.equal(isTextLike(Buffer.of(0xff), true), true);
  assert.equal(isTextLike(Buffer.of(0xff, 0x41), true), false);
});
