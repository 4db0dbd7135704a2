import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { callCases } from '../../support/decryption-calls.ts';

describe('the calls for Node', () => {
  for (const { cipher, call, key, payload, plaintext } of callCases('node')) {
    if (call.includes('CryptoJS')) continue;
    it(`decrypt ${cipher}`, () => {
      const result = runInNewContext(call, { crypto, Buffer, key, payload });
      assert.equal(String(result), plaintext, call);
    });
  }
});
