import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { displayWidth } from '../../../src/reports/human.ts';
import { describeSequence, layOutSequence } from '../../../src/watch/view/sequence.ts';
import { row } from './sample.ts';

const names = ['your application', 'emulated service'] as const;
const options = { width: 600, names, chosen: 2 };

describe('the sequence diagram', () => {
  it('points from who asks to who answers, and back', () => {
    const { steps, lifelines } = layOutSequence([row({ way: 'in' }), row({ way: 'out' })], options);
    const [received, sent] = steps;
    assert.deepEqual([received?.request.from, received?.request.to], [14, 585]);
    assert.deepEqual([received?.answer.from, received?.answer.to], [586, 15]);
    assert.deepEqual([sent?.request.from, sent?.request.to], [586, 15]);
    assert.deepEqual([sent?.answer.from, sent?.answer.to], [14, 585]);
    assert.deepEqual(lifelines, [14, 586]);
    assert.deepEqual([received?.request.anchor, received?.answer.anchor], ['start', 'end']);
  });

  it('goes from top to bottom, inside its height, and marks what is chosen', () => {
    const layout = layOutSequence(
      [1, 2, 3].map((id) => row({ id })),
      options,
    );
    const heights = layout.steps.flatMap(({ request, answer }) => [request.y, answer.y]);
    assert.deepEqual(
      heights,
      [...heights].sort((a, b) => a - b),
    );
    assert.ok((heights.at(-1) ?? 0) < layout.height);
    assert.deepEqual(
      layout.steps.map(({ isChosen }) => isChosen),
      [false, true, false],
    );
  });

  it('says how each was answered', () => {
    const rows = [
      row(),
      row({ code: 'A107', outcome: 'bad', diagnosis: 'unknown-user' }),
      row({ code: null, outcome: 'bad', diagnosis: 'not-json' }),
      row({ outcome: 'none', status: null, code: null }),
    ];
    const { steps } = layOutSequence(rows, options);
    assert.deepEqual(
      steps.map(({ answer }) => answer.text),
      [
        'HTTP 200, code 0000, 3 ms',
        'HTTP 200, code A107, 3 ms, unknown-user',
        'HTTP 200, code none, 3 ms, not-json',
        'no answer',
      ],
    );
    assert.deepEqual(
      steps.map(({ answer }) => answer.isLost),
      [false, false, false, true],
    );
  });

  it('is told in words', () => {
    const layout = layOutSequence([row({ way: 'out' }), row({ what: 'token' })], options);
    assert.equal(
      describeSequence(layout),
      '1. emulated service to your application: key-exchange; answer: HTTP 200, code 0000, 3 ms. 2. your application to emulated service: token; answer: HTTP 200, code 0000, 3 ms',
    );
  });

  it('fits its texts in, escaped', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 });
    fc.assert(
      fc.property(text, fc.integer({ min: 120, max: 800 }), (what, width) => {
        const { steps } = layOutSequence([row({ what: `\u202e${what}` })], { ...options, width });
        const shown = steps[0]?.request.text ?? '';
        assert.ok(displayWidth(shown) * 7.25 <= width);
        assert.ok(!shown.includes('\u202e'));
      }),
    );
  });
});
