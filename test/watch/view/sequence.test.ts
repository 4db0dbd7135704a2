import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { displayWidth } from '../../../src/reports/human.ts';
import { layOutSequence as layOut } from '../../../src/reports/sequence.ts';
import { describeSequence, stepOf } from '../../../src/watch/view/sequence.ts';
import type { Row } from '../../../src/watch/view/wire.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { fc } from '../../support/fast-check.ts';
import { row } from './sample.ts';

const names = ['your application', 'emulated service'] as const;
const options = { width: 600, names };
const layOutSequence = (rows: readonly Row[], { width } = options) =>
  layOut(rows.map(stepOf), { width, names });

describe('the sequence diagram', () => {
  it('points from the client to the server, and back', () => {
    const { steps, lifelines } = layOutSequence([row({ way: 'in' }), row({ way: 'out' })], options);
    const [received, sent] = steps;
    assert.deepEqual([received?.request.from, received?.request.to], [14, 585]);
    assert.deepEqual([received?.response.from, received?.response.to], [586, 15]);
    assert.deepEqual([sent?.request.from, sent?.request.to], [586, 15]);
    assert.deepEqual([sent?.response.from, sent?.response.to], [14, 585]);
    assert.deepEqual(lifelines, [14, 586]);
    assert.deepEqual([received?.request.anchor, received?.response.anchor], ['start', 'end']);
  });

  it('goes from top to bottom, inside its height', () => {
    const rows = ['token', 'authenticate', 'token'].map((what) => row({ what }));
    const layout = layOutSequence(rows, options);
    const heights = layout.steps.flatMap(({ request, response }) => [request.y, response.y]);
    assert.deepEqual(
      heights,
      [...heights].sort((a, b) => a - b),
    );
    assert.ok((heights.at(-1) ?? 0) < layout.height);
    assert.deepEqual(
      layout.steps.map(({ step }) => step),
      rows.map(stepOf),
    );
  });

  it('says how each ended', () => {
    const rows = [
      row(),
      row({ code: 'A107', outcome: 'bad', diagnosis: 'unknown-user' }),
      row({ code: null, outcome: 'bad', diagnosis: 'not-json' }),
      row({ outcome: 'fault', faults: ['hex'] }),
      row({ outcome: 'none', status: null, code: null }),
    ];
    const { steps } = layOutSequence(rows, options);
    assert.deepEqual(
      steps.map(({ response }) => response.text),
      [
        'HTTP 200, code 0000, 3 ms',
        'HTTP 200, code A107, 3 ms, unknown-user',
        'HTTP 200, code none, 3 ms, not-json',
        'HTTP 200, code 0000, 3 ms, hex',
        'no response',
      ],
    );
    assert.deepEqual(
      steps.map(({ response }) => response.isLost),
      [false, false, false, false, true],
    );
  });

  it('is described in words', () => {
    const steps = [row({ way: 'out' }), row({ what: 'token' })].map(stepOf);
    assert.equal(
      describeSequence(steps, names),
      '1. emulated service to your application: key-exchange; response: HTTP 200, code 0000, 3 ms. 2. your application to emulated service: token; response: HTTP 200, code 0000, 3 ms',
    );
  });

  it('fits its texts in, escaped', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 200 });
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
