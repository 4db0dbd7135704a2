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
import { fixtureRows } from './support/fixtures.ts';

type Row = readonly [text: string, expected: string];

describe('escapeControls', () => {
  it('escapes controls, bidirectional overrides, separators, marks and lone surrogates', () => {
    for (const [text, expected] of fixtureRows<Row>('readings/escapes.jsonl'))
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
  for (const [text, expected] of fixtureRows<Row>('readings/shell-words.jsonl'))
    assert.equal(shellWord(text), expected);
});

describe('matchesGlob', () => {
  it('takes * as any characters and ? as one, and everything else as itself', () => {
    type Glob = readonly [pattern: string, fitting: readonly string[], others: readonly string[]];
    for (const [pattern, fitting, others] of fixtureRows<Glob>('readings/globs.jsonl')) {
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
