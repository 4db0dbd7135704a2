import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalogue } from '../../src/diagnosis/catalogue.ts';
import { callLines } from '../../src/diagnosis/diagnosis.ts';
import {
  connectionCodes,
  payloadCodes,
  perUserKeyCodes,
  responseCodes,
  stacks,
  wrappedKeyCodes,
} from '../../src/errors.ts';
import { escapeControls } from '../../src/text.ts';

const codes = [
  ...wrappedKeyCodes,
  ...perUserKeyCodes,
  ...responseCodes,
  ...payloadCodes,
  ...connectionCodes,
];

describe('callLines', () => {
  it('names stacks with the same call together, in their order', () => {
    const calls = { kotlin: 'f()', go: 'F()', java: 'f()' };
    assert.deepEqual(callLines(calls), ['Java and Kotlin: f()', 'Go: F()']);
    assert.deepEqual(callLines({}), []);
  });
});

describe('catalogue', () => {
  it('has an entry for every diagnosis code and no other', () => {
    assert.deepEqual(Object.keys(catalogue).sort(), [...codes].sort());
  });

  for (const code of codes) {
    it(`explains ${code} in full`, () => {
      const { title, meaning, recognised, fix, example, section, calls = {} } = catalogue[code];
      assert.match(title, /^\S.{5,78}[^.\s]$/);
      for (const text of [meaning, recognised, fix, example]) assert.match(text, /^\S.{10,}\S$/s);
      if (section !== undefined) assert.match(section, /^\d(?:\.\d){0,2}$/);
      for (const call of Object.values(calls)) assert.match(call, /^\S.*\S$/);
      const unknown = Object.keys(calls).filter((name) => !stacks.some((known) => known === name));
      assert.deepEqual(unknown, []);
    });

    it(`explains ${code} on one line a part, without a flag`, () => {
      const { calls = {}, ...parts } = catalogue[code];
      const text = [...Object.values(parts), ...Object.values(calls)].join(' ');
      assert.equal(text, escapeControls(text));
      assert.doesNotMatch(text, /(?:^|\s)--[a-z]/);
    });
  }
});
