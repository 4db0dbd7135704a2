import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  counted,
  escapeControls,
  escapeWithinLines,
  excerptOf,
  matchesGlob,
  shellWord,
  shorten,
  swapCase,
} from '../src/text.ts';
import { anyCharacter } from './support/any-character.ts';
import { fc } from './support/fast-check.ts';

describe('escapeControls', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['an escape sequence', '\u001b[31mred', '\\u001b[31mred'],
    ['line ends and tabs', 'a\r\n\tb', 'a\\r\\n\\tb'],
    ['NUL and DEL', '\0\u007f', '\\u0000\\u007f'],
    ['C1 controls', '\u0080\u009b2J', '\\u0080\\u009b2J'],
    ['bidirectional overrides', 'a\u202eb\u2066c\u200f\u061c', 'a\\u202eb\\u2066c\\u200f\\u061c'],
    ['line and paragraph separators', '\u2028\u2029', '\\u2028\\u2029'],
    ['a byte order mark', '\ufeffx', '\\ufeffx'],
    ['lone surrogates', 'a\ud83d b\ude42', 'a\\ud83d b\\ude42'],
  ];
  for (const [what, text, expected] of cases) {
    it(`escapes ${what}`, () => assert.equal(escapeControls(text), expected));
  }

  it('leaves everything else as it is', () => {
    const text = 'plain 김민수 🙂 👨‍👩‍👧 back\\slash "quoted" é ñ ß — …';
    assert.equal(escapeControls(text), text);
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
  const cases: readonly (readonly [string, number, string])[] = [
    ['', 5, ''],
    ['abcde', 5, 'abcde'],
    ['abcdef', 5, 'abcd…'],
    ['🙂🙂🙂', 3, '🙂🙂🙂'],
    ['🙂🙂🙂🙂', 3, '🙂🙂…'],
    ['ab', 1, '…'],
  ];
  for (const [text, max, expected] of cases) {
    it(`makes ${JSON.stringify(expected)} of ${JSON.stringify(text)} in ${max}`, () => {
      assert.equal(shorten(text, max), expected);
    });
  }

  it('never exceeds the length nor halves a character', () => {
    const arguments_ = [fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 })] as const;
    fc.assert(
      fc.property(...arguments_, (text, max) => {
        const short = shorten(text, max);
        assert.ok(Array.from(short).length <= max);
        assert.doesNotMatch(short, /\p{Cs}/u);
      }),
    );
  });

  it('takes no time over ten million characters', () => {
    assert.equal(shorten('x'.repeat(1e7), 4), 'xxx…');
  });
});

describe('excerptOf', () => {
  it('counts what escaping adds', () => {
    assert.equal(excerptOf('\u001b\u001b\u001b', 10), '\\u001b\\u0…');
  });
});

describe('escapeWithinLines', () => {
  it('keeps line feeds and tabs, and escapes the rest', () => {
    assert.equal(escapeWithinLines('a\n\tb\u001b[2J\r\u202e'), 'a\n\tb\\u001b[2J\\r\\u202e');
  });
});

describe('shellWord', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['http://127.0.0.1:8080/callback', 'http://127.0.0.1:8080/callback'],
    ['--rate=5', '--rate=5'],
    ['', "''"],
    ['=ls', "'=ls'"],
    ['~root', "'~root'"],
    ["it's", "'it'\\''s'"],
    ['$HOME `id` a;b', "'$HOME `id` a;b'"],
    ['김', "'김'"],
    [
      `-a\nb "it's" 5%!\u202e$`,
      `"$(printf '\\055a\\012b \\042it\\047s\\042 5\\045\\041\\342\\200\\256$')"`,
    ],
  ];
  for (const [text, expected] of cases) {
    it(`writes ${JSON.stringify(text)} as one word`, () => assert.equal(shellWord(text), expected));
  }
});

describe('counted', () => {
  it('has the plural for every number but one', () => {
    assert.equal(counted(0, 'check'), '0 checks');
    assert.equal(counted(1, 'check'), '1 check');
    assert.equal(counted(2, 'key', 'keys of users'), '2 keys of users');
  });
});

describe('swapCase', () => {
  it('swaps each letter and leaves everything else', () => {
    assert.equal(swapCase('aB-9 é한😀'), 'Ab-9 É한😀');
  });
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
