import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { payloadCatalogue } from '../../../src/diagnosis/catalogue/payload.ts';
import { payloadCodes, stacks } from '../../../src/errors.ts';

describe('payloadCatalogue', () => {
  it('has an entry for each code of a payload and no other', () => {
    assert.deepEqual(Object.keys(payloadCatalogue).sort(), [...payloadCodes].sort());
  });

  for (const code of payloadCodes) {
    const { title, section, calls, ...texts } = payloadCatalogue[code];

    it(`says of ${code} what it is, how it is seen and how it is fixed`, () => {
      assert.doesNotMatch(title, /\.$/);
      assert.match(section ?? '', /^\d(?:\.\d){1,2}$/);
      for (const text of Object.values(texts)) assert.ok(String(text).length > 40, String(text));
    });

    it(`gives the calls of ${code} for every stack or for none`, () => {
      assert.ok(calls === undefined || stacks.every((stack) => calls[stack]));
    });
  }
});
