import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { didYouMean, nearest } from '../src/text.ts';
import { fc } from './support/fast-check.ts';

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
