import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readWrappedText } from '../../src/diagnosis/wrapped-key-text.ts';

const rows = [
  ['', 'wrong-length', /is empty/, /where the value gets lost/],
  ['null', 'not-base64', /"null": a variable that is not set/, /where the value gets lost/],
  ['undefined', 'not-base64', /a variable that is not set/, /where the value gets lost/],
  ['None', 'not-base64', /a variable that is not set/, /where the value gets lost/],
  ['[object Object]', 'not-base64', /turned into text/, /Base64/],
  ['[B@1b6d3586', 'not-base64', /turned into text/, /Base64/],
] as const;

describe('an enc_partner_key without a value', () => {
  for (const [text, code, message, hint] of rows) {
    it(`is named: ${JSON.stringify(text)}`, () => {
      const { diagnoses } = readWrappedText(text, [256]);
      assert.deepEqual(
        diagnoses.map((found) => found.code),
        [code],
      );
      assert.match(diagnoses[0]?.message ?? '', message);
      assert.match(diagnoses[0]?.hint ?? '', hint);
    });
  }
});
