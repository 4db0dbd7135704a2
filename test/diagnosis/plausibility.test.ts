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
import { draws } from '../support/draws.ts';
import { fixtureRows } from '../support/fixtures.ts';
import { cpuTimeOf } from '../support/resources.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const noise = [
  Buffer.of(0x41, 0xff, 0x41),
  encodeUtf8('임').subarray(0, 2),
  // a control character, DEL, a C1 control, a private and an unassigned character
  ...['abc\x07def', 'abc\x7f', 'abc\u0085', 'abc\ue000', 'abc\u{e0080}'].map(encodeUtf8),
] as const;

describe('plausibility', () => {
  it('tells text from noise', () => {
    for (const text of fixtureRows<string>('readings/plaintexts.jsonl')) {
      const found = assessPlaintext(encodeUtf8(text));
      assert.ok(found.isClean && found.bits > 8, `${text}: ${found.bits}`);
    }
    for (const bytes of [...noise, new Uint8Array(0)]) {
      const nothing = { bits: 0, isClean: false };
      assert.deepEqual(assessPlaintext(bytes), nothing, Buffer.from(bytes).toString());
    }
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
      for (const piece of ['[', '{"a":', '<a', '1@']) assessPlaintext(Buffer.alloc(16_000, piece));
    });
    assert.ok(cpuMs < 2000, `${cpuMs} ms`);
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
    // Markov: among random bytes a share of 2^-B at most reaches B bits.
    const random = seededBytes('four bytes of noise');
    const count = draws(50_000);
    const bits = Array.from({ length: count }, () => assessPlaintext(random(4)).bits);
    for (const bound of [4, 8]) {
      const share = bits.filter((one) => one >= bound).length / count;
      assert.ok(share <= 2 ** -bound, String(share));
    }
  });
});

it('lets a character be cut at its end only where that is said', () => {
  const cut = encodeUtf8('이름: 임').subarray(0, -1);
  assert.equal(isTextLike(cut), false);
  assert.equal(isTextLike(cut, true), true);
  assert.equal(isTextLike(Buffer.of(0xff), true), true);
  assert.equal(isTextLike(Buffer.of(0xff, 0x41), true), false);
});
