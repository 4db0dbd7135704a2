import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  didYouMean,
  escapeControls,
  escapeWithinLines,
  matchesGlob,
  nearest,
  shellWord,
  shorten,
} from '../src/text.ts';
import { anyCharacter } from './support/any-character.ts';
import { fc } from './support/fast-check.ts';

const plain = 'plain می\u200cخواهم 김민수 🙂 👨‍👩‍👧 back\\slash "quoted" é ñ ß — …';

describe('escapeControls', () => {
  it('escapes controls, bidirectional overrides, separators, marks and lone surrogates', () => {
    for (const [text, expected] of [
      ['\u001b[31mred', '\\u001b[31mred'],
      ['a\r\n\tb', 'a\\r\\n\\tb'],
      ['\0\u007f\u0080\u009b2J', '\\u0000\\u007f\\u0080\\u009b2J'],
      ['a\u202eb\u2066c\u200f\u061c', 'a\\u202eb\\u2066c\\u200f\\u061c'],
      ['\u2028\u2029\ufeffx', '\\u2028\\u2029\\ufeffx'],
      ['a\ud83d b\ude42', 'a\\ud83d b\\ude42'],
      ['a\u200bb\u00adc\u200dd\u200ce\u2060', 'a\\u200bb\\u00adc\\u200dd\\u200ce\\u2060'],
      ['a\u{e0041}b', 'a\\u{e0041}b'],
      [plain, plain],
    ] as const)
      assert.equal(escapeControls(text), expected);
  });

  it('leaves nothing that could move a cursor, whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        assert.doesNotMatch(escapeControls(text), /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
    );
  });
});

describe('shorten', () => {
  it('cuts behind whole characters', () => {
    for (const [text, max, expected] of [
      ['', 5, ''],
      ['abcde', 5, 'abcde'],
      ['abcdef', 5, 'abcd…'],
      ['🙂🙂🙂', 3, '🙂🙂🙂'],
      ['🙂🙂🙂🙂', 3, '🙂🙂…'],
      ['ab', 1, '…'],
    ] as const)
      assert.equal(shorten(text, max), expected);
  });
});

it('escapeWithinLines keeps line feeds and tabs, and escapes the rest', () => {
  assert.equal(escapeWithinLines('a\n\tb\u001b[2J\r\u202e'), 'a\n\tb\\u001b[2J\\r\\u202e');
});

it('shellWord quotes only what a shell would read as something else', () => {
  const printed = `"$(printf '\\055a\\012b \\042it\\047s\\042 5\\045\\041\\342\\200\\256$')"`;
  for (const [text, expected] of [
    ['http://127.0.0.1:8080/callback', 'http://127.0.0.1:8080/callback'],
    ['--rate=5', '--rate=5'],
    ['', "''"],
    ['=ls', "'=ls'"],
    ['~root', "'~root'"],
    ["it's", "'it'\\''s'"],
    ['$HOME `id` a;b', "'$HOME `id` a;b'"],
    ['김', "'김'"],
    [`-a\nb "it's" 5%!\u202e$`, printed],
  ] as const)
    assert.equal(shellWord(text), expected);
});

describe('matchesGlob', () => {
  it('takes * as any characters and ? as one, and everything else as itself', () => {
    for (const [pattern, fitting, others] of [
      ['a*c', ['ac', 'abc', 'a\nb*c', 'acc'], ['', 'ab', 'acd', 'bac']],
      ['?.c', ['a.c', '?.c'], ['.c', 'abc', 'aa.c']],
      ['**', ['', 'a'], []],
      ['a', ['a'], ['', 'A', 'aa']],
      ['', [''], ['a']],
      ['*@*.example.com', ['u@x.example.com'], ['u@example.com', 'x.example.com']],
      ['*ab*ab', ['abab', 'xabaabab'], ['ab', 'ababa']],
      ['(a+)$', ['(a+)$'], ['a']],
    ] as const) {
      for (const text of fitting) assert.ok(matchesGlob(text, pattern), `${pattern} ${text}`);
      for (const text of others) assert.ok(!matchesGlob(text, pattern), `${pattern} ${text}`);
    }
  });

  it('agrees with a regular expression on everything short', () => {
    const few = (letters: string) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 8 });
    fc.assert(
      fc.property(few('ab'), few('ab*?'), (text, pattern) => {
        const expression = pattern.replaceAll('?', '.').replace(/\*+/g, '.*');
        assert.equal(matchesGlob(text, pattern), new RegExp(`^${expression}$`).test(text));
      }),
    );
  });

  it('is not held up by a hostile pattern or text', () => {
    assert.ok(!matchesGlob('key-exchange/answers-success'.repeat(4), `${'*?'.repeat(40)}!`));
    assert.ok(!matchesGlob('@'.repeat(400_000), '*@*.example.com'));
  });
});

const names = ['url', 'auth-url', 'client-id', 'secret-key', 'cipher', 'timeout', 'cert', 'ca'];

describe('nearest', () => {
  it('takes a mistyped word for the one that was meant', () => {
    for (const pair of [
      ...['urk url', 'rul url', 'URL url', 'authurl auth-url', 'clientId client-id'],
      ...['secret_key secret-key', 'chiper cipher', 'timout timeout', 'timeoutt timeout'],
      ...['certs cert', 'cs ca'],
    ]) {
      const [word = '', expected] = pair.split(' ');
      assert.equal(nearest(word, names), expected, word);
    }
  });

  it('takes another word for nothing', () => {
    for (const [word, other] of ['retry record', 'header har', 'tcsh bash', 'foo json'].map(
      (pair) => pair.split(' '),
    ))
      assert.equal(nearest(word ?? '', [other ?? '']), undefined, word);
    for (const word of ['', 'x', 'password', '🦜🦜🦜', 'cipher'.repeat(1000)])
      assert.equal(nearest(word, names), undefined, word);
  });

  it('takes the first among equals, and two swapped neighbours as one slip', () => {
    assert.equal(nearest('cat', ['car', 'bat', 'cab']), 'car');
    assert.equal(nearest('abdc', ['abxxc', 'abcd']), 'abcd');
  });

  it('is asked for in a hint', () => {
    assert.equal(didYouMean('ulr', names), 'Did you mean "url"?');
    assert.equal(didYouMean('password', names), '');
  });
});
