import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { derivedForms } from '../../src/diagnosis/per-user-key-origin.ts';

describe('derivedForms', () => {
  const digest = (algorithm: string, text: string, encoding: 'hex' | 'base64') =>
    createHash(algorithm).update(text).digest(encoding);
  for (const [name, text] of [
    ['the user code', 'alice'],
    ['the user code reversed', 'ecila'],
    ['the MD5 of the user code in hexadecimal', digest('md5', 'alice', 'hex')],
    [
      'the MD5 of the MD5 of the user code in hexadecimal',
      digest('md5', digest('md5', 'alice', 'hex'), 'hex'),
    ],
    ['the SHA256 of the client id in Base64', digest('sha256', 'client', 'base64')],
    ['the SHA1 of client id and user code in hexadecimal', digest('sha1', 'client:alice', 'hex')],
  ] as const) {
    it(`has ${name}`, () => {
      const forms = [...derivedForms('alice', 'client')];
      assert.equal(forms.find((form) => form.text === text)?.name, name);
    });
  }

  it('has none where nothing is known', () => {
    assert.deepEqual([...derivedForms()], []);
  });
});
