import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answers } from './hostile/answers.ts';
import { tryAnswers } from './hostile-answers.ts';

/*
 * A sample of what `npm run hardening` tries wholly: hostile answers of every kind, to commands by
 * turns, in this process and as processes of the installed program.
 */
describe('hostile answers', () => {
  it('are all told apart by their names', () => {
    assert.equal(new Set(answers.map(({ name }) => name)).size, answers.length);
  });

  it('are handled: bounded, with the right exit status and one JSON document, and nothing shown raw', async () => {
    const extent = { every: 11, asJson: 1, onTerminal: 1, asProcess: 12 };
    const { failures, answered, runs } = await tryAnswers(extent);
    assert.deepEqual(failures, []);
    assert.ok(answered >= 40 && runs > 80, `${answered} answers, ${runs} runs`);
  });
});
