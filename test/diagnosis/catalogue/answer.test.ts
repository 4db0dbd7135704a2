import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diagnoseBehaviour } from '../../../src/diagnosis/behaviour.ts';
import { answerCatalogue } from '../../../src/diagnosis/catalogue/answer.ts';
import { behaviourCatalogue } from '../../../src/diagnosis/catalogue/answer-behaviours.ts';
import { answerCodes } from '../../../src/errors.ts';

describe('answerCatalogue', () => {
  it('has an entry for each code of an answer and no other', () => {
    assert.deepEqual(Object.keys(answerCatalogue).sort(), [...answerCodes].sort());
  });

  for (const code of answerCodes) {
    it(`cites a section of the interface for ${code}`, () => {
      assert.match(answerCatalogue[code].section ?? '', /^\d(?:\.\d){0,2}$/);
    });
  }
});

describe('diagnoseBehaviour', () => {
  it('joins what was observed with what the catalogue tells to change', () => {
    const found = diagnoseBehaviour('stale-key', 'The second key was refused.');
    const { mend, calls } = behaviourCatalogue['stale-key'];
    assert.equal(found.code, 'stale-key');
    assert.equal(found.message, 'The second key was refused.');
    assert.ok(found.hint.startsWith(mend));
    assert.ok(found.hint.includes(calls?.python ?? '?'));
  });
});
