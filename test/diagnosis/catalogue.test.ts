import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalogue } from '../../src/diagnosis/catalogue.ts';
import { languages } from '../../src/diagnosis/catalogue-entry.ts';
import { callsByStacks, hintLines, hintOf } from '../../src/diagnosis/catalogue-hint.ts';
import {
  answerCodes,
  connectionCodes,
  payloadCodes,
  perUserKeyCodes,
  wrappedKeyCodes,
} from '../../src/errors.ts';
import { escapeControls } from '../../src/text.ts';

const codes = [
  ...wrappedKeyCodes,
  ...perUserKeyCodes,
  ...answerCodes,
  ...payloadCodes,
  ...connectionCodes,
];

describe('a hint, for people', () => {
  for (const [code, entry] of Object.entries(catalogue)) {
    it(`has each call of ${code} in a line of its own`, () => {
      const calls = callsByStacks(entry.calls ?? {}).map(
        ([stacks, call]) => `  ${stacks}: ${call}`,
      );
      assert.deepEqual(hintLines(hintOf(entry)), [entry.mend, ...calls]);
    });
  }

  it('is one line where it has no calls, whatever it speaks of', () => {
    for (const hint of ['', 'Try Node: it has one.', 'In Java; Node and PHP too. Go on: look.']) {
      assert.deepEqual(hintLines(hint), [hint]);
    }
  });
});

describe('catalogue', () => {
  it('has an entry for every diagnosis code and no other', () => {
    assert.deepEqual(Object.keys(catalogue).sort(), [...codes].sort());
  });

  for (const code of codes) {
    it(`explains ${code} in full`, () => {
      const { title, meaning, recognised, mend, example, section, calls = {} } = catalogue[code];
      assert.match(title, /^\S.{5,78}[^.\s]$/);
      for (const text of [meaning, recognised, mend, example]) assert.match(text, /^\S.{10,}\S$/s);
      if (section !== undefined) assert.match(section, /^\d(?:\.\d){0,2}$/);
      for (const call of Object.values(calls)) assert.match(call, /^\S.*\S$/);
      const unknown = Object.keys(calls).filter(
        (name) => !languages.some((known) => known === name),
      );
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
