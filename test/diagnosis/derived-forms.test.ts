import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { derivedForms } from '../../src/diagnosis/derived-forms.ts';

describe('derivedForms', () => {
  const all = derivedForms('alice', 'client');
  const withoutHex = derivedForms('alice', 'client', false);

  it('leaves out 32 hexadecimal digits and more, and nothing else, where none are asked for', () => {
    const kept = new Set(withoutHex.map(({ text }) => text));
    const left = all.filter(({ text }) => !kept.has(text));
    assert.ok(left.length > 100);
    for (const { text, name } of left) assert.match(text, /^[0-9a-f]{32,}$/, name);
    assert.deepEqual(
      all.filter(({ text }) => kept.has(text)),
      withoutHex,
    );
  });

  for (const [name, text] of [
    ['the user code', 'alice'],
    ['the user code from back to front', 'ecila'],
    ['the MD5 of the user code in hexadecimal', createHash('md5').update('alice').digest('hex')],
    [
      'the SHA256 of the client id in Base64',
      createHash('sha256').update('client').digest('base64'),
    ],
  ] as const) {
    it(`names ${name}`, () => {
      assert.equal(all.find((form) => form.text === text)?.name, name);
    });
  }
});
