import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { findDerivedForm } from '../../src/diagnosis/derived-forms.ts';

/** Every text that is tried where none fits. */
function tried(withHex: boolean): readonly string[] {
  const texts: string[] = [];
  const match = (text: string): undefined => {
    texts.push(text);
  };
  assert.equal(findDerivedForm({ match, withHex }, 'alice', 'client'), undefined);
  return texts;
}

describe('findDerivedForm', () => {
  it('leaves out 32 hexadecimal digits and more, and nothing else, where none are asked for', () => {
    const withoutHex = tried(false);
    const kept = new Set(withoutHex);
    const all = tried(true);
    const left = all.filter((text) => !kept.has(text));
    assert.ok(left.length > 100);
    for (const text of left) assert.match(text, /^[0-9a-f]{32,}$/);
    assert.deepEqual(
      all.filter((text) => kept.has(text)),
      withoutHex,
    );
  });

  it('folds what it tries to lower case', () => {
    assert.deepEqual(
      tried(true).filter((text) => text !== text.toLowerCase()),
      [],
    );
  });

  const digest = (algorithm: string, text: string, encoding: 'hex' | 'base64') =>
    createHash(algorithm).update(text).digest(encoding);
  for (const [name, text] of [
    ['the user code', 'alice'],
    ['the user code from back to front', 'ecila'],
    ['the MD5 of the user code in hexadecimal', digest('md5', 'alice', 'hex')],
    [
      'the MD5 of the MD5 of the user code in hexadecimal',
      digest('md5', digest('md5', 'alice', 'hex'), 'hex'),
    ],
    ['the SHA256 of the client id in Base64', digest('sha256', 'client', 'base64').toLowerCase()],
    ['the SHA1 of client id and user code in hexadecimal', digest('sha1', 'client:alice', 'hex')],
  ] as const) {
    it(`names ${name}, and how it fills the key`, () => {
      const match = (form: string) => (form === text ? ', so to say' : undefined);
      assert.equal(
        findDerivedForm({ match, withHex: true }, 'alice', 'client'),
        `${name}, so to say`,
      );
    });
  }
});
