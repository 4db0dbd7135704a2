import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Stop } from '../../src/cli/stop.ts';

describe('Stop', () => {
  it('aborts the signal with the reason, whether that was named before or after', () => {
    const early = new Stop();
    const { signal } = early;
    assert.equal(signal.aborted, false);
    early.ask('enough');
    const late = new Stop();
    late.ask('enough');
    for (const each of [signal, early.signal, late.signal]) {
      assert.deepEqual([each.aborted, each.reason], [true, 'enough']);
    }
  });

  it('tells its listeners the reason, those that come late as well', () => {
    const stop = new Stop();
    const told: unknown[] = [];
    stop.onStop((reason) => told.push(['early', reason]));
    assert.deepEqual([stop.isAsked, told], [false, []]);
    stop.ask('enough');
    stop.onStop((reason) => told.push(['late', reason]));
    assert.deepEqual(told, [
      ['early', 'enough'],
      ['late', 'enough'],
    ]);
  });

  it('is asked once: the first reason counts', () => {
    const stop = new Stop();
    const told: unknown[] = [];
    stop.onStop((reason) => told.push(reason));
    stop.ask('first');
    stop.ask('second');
    assert.deepEqual([told, stop.signal.reason], [['first'], 'first']);
  });
});
