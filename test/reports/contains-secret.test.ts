import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import { containsSecret } from '../../src/reports/redact.ts';

const secret = 'a-secret-of-the-tests/1';

describe('containsSecret', () => {
  for (const text of [
    `log: ${secret}`,
    `secret_key=${secret}`,
    JSON.stringify({ secret_key: secret }),
    `Basic ${Buffer.from(`app:${secret}`).toString('base64')}`,
    `key ${Buffer.from(secret).toString('hex')}`,
    `https://log.example/?key=${encodeURIComponent(secret)}`,
  ]) {
    it(`finds it in ${text}`, () => assert.ok(containsSecret(text, Secret.text(secret))));
  }

  for (const text of [
    '    token = call("/process/token", ptn_token=ptn_token)',
    '{"secret_key":"another one"}',
    'Error: fetch failed',
  ]) {
    it(`finds none in ${text}`, () => assert.ok(!containsSecret(text, Secret.text(secret))));
  }
});
