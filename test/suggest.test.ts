import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { didYouMean, nearest } from '../src/suggest.ts';
import { fc } from './support/fast-check.ts';

const names = ['url', 'auth-url', 'client-id', 'secret-key', 'cipher', 'timeout', 'cert', 'ca'];

describe('nearest', () => {
  for (const [word, expected] of [
    ['urk', 'url'],
    ['rul', 'url'],
    ['URL', 'url'],
    ['authurl', 'auth-url'],
    ['clientId', 'client-id'],
    ['secret_key', 'secret-key'],
    ['chiper', 'cipher'],
    ['timout', 'timeout'],
    ['timeoutt', 'timeout'],
    ['certs', 'cert'],
    ['cs', 'ca'],
  ] as const) {
    it(`takes ${word} for ${expected}`, () => {
      assert.equal(nearest(word, names), expected);
    });
  }

  for (const [word, ...others] of [
    ['retry', 'record'],
    ['header', 'har'],
    ['tcsh', 'bash', 'zsh'],
    ['foo', 'json'],
    ...['', 'x', 'password', '🦜🦜🦜', 'cipher'.repeat(1000)].map(
      (word) => [word, ...names] as const,
    ),
  ] as const) {
    it(`takes ${JSON.stringify(word.slice(0, 20))} for nothing`, () => {
      assert.equal(nearest(word, others), undefined);
    });
  }

  it('takes the first among equals', () => {
    assert.equal(nearest('cat', ['car', 'bat', 'cab']), 'car');
  });

  it('counts two swapped neighbours as one slip', () => {
    assert.equal(nearest('abdc', ['abxxc', 'abcd']), 'abcd');
  });

  it('finds every candidate by itself', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 })), (words) => {
        for (const word of words) {
          assert.equal(nearest(word, words)?.toLowerCase(), word.toLowerCase());
        }
      }),
    );
  });

  it('does not depend on which of two words was mistyped', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        assert.equal(nearest(left, [right]) !== undefined, nearest(right, [left]) !== undefined);
      }),
    );
  });
});

describe('didYouMean', () => {
  it('asks for what is near, and is silent otherwise', () => {
    assert.equal(didYouMean('ulr', names), 'Did you mean "url"?');
    assert.equal(didYouMean('password', names), '');
  });
});
