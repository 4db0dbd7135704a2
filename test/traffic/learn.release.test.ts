import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cipherPresets } from '../../src/crypto/cipher.ts';
import { jsonInfo, learn, registrations, sealWith, users } from './traffic.ts';

describe('the cipher that traffic shows', () => {
  for (const { name, cipher } of cipherPresets) {
    it(`is ${name}, or one of which it is an alternative, from ${users.length} users`, () => {
      const lesson = learn(registrations(sealWith(cipher), jsonInfo, users.length)).get('cipher');
      const all = [lesson?.value, ...(lesson?.alternatives ?? [])];
      assert.ok(all.includes(cipher), JSON.stringify(lesson));
      if (lesson?.confidence === 'certain') assert.equal(lesson.value, cipher);
    });
  }
});
