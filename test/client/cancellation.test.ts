import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Cancellation,
  Canceller,
  pause,
  throwIfCancelled,
} from '../../src/client/cancellation.ts';

describe('Canceller', () => {
  it('aborts the signal with the reason, whether that was named before or after', () => {
    const early = new Canceller();
    const { signal } = early;
    assert.equal(signal.aborted, false);
    early.cancel('enough');
    const late = new Canceller();
    late.cancel('enough');
    for (const each of [signal, early, early.signal, late, late.signal]) {
      assert.deepEqual([each.aborted, each.reason], [true, 'enough']);
    }
  });

  it('tells its listeners once, and none that were taken away', () => {
    const canceller = new Canceller();
    const told: string[] = [];
    const gone = () => told.push('gone');
    canceller.addEventListener('abort', gone);
    canceller.addEventListener('abort', () => told.push(`here: ${canceller.reason}`));
    canceller.removeEventListener('abort', gone);
    canceller.cancel('first');
    canceller.cancel('second');
    assert.deepEqual([told, canceller.reason], [['here: first'], 'first']);
  });

  it('tells those who take others away meanwhile', () => {
    const canceller = new Canceller();
    const told: number[] = [];
    for (const number of [1, 2, 3]) {
      const listener = () => {
        told.push(number);
        canceller.removeEventListener('abort', listener);
      };
      canceller.addEventListener('abort', listener);
    }
    canceller.cancel(undefined);
    assert.deepEqual(told, [1, 2, 3]);
    assert.ok(canceller.aborted);
  });
});

const both: readonly (readonly [name: string, make: () => [Cancellation, () => void]])[] = [
  [
    'a Canceller',
    () => {
      const canceller = new Canceller();
      return [canceller, () => canceller.cancel('enough')];
    },
  ],
  [
    'an AbortSignal',
    () => {
      const controller = new AbortController();
      return [controller.signal, () => controller.abort('enough')];
    },
  ],
];
for (const [name, make] of both) {
  describe(`with ${name}`, () => {
    it('throws the reason once cancelled', () => {
      const [cancellation, cancel] = make();
      throwIfCancelled(cancellation);
      cancel();
      assert.throws(
        () => throwIfCancelled(cancellation),
        (error) => error === 'enough',
      );
    });

    it('pauses until the time is over', async () => {
      const [cancellation] = make();
      const start = performance.now();
      await pause(30, cancellation);
      assert.ok(performance.now() - start >= 29);
    });

    it('ends a pause when it is cancelled, before or meanwhile', { timeout: 5_000 }, async () => {
      const [cancellation, cancel] = make();
      const paused = pause(60_000, cancellation);
      cancel();
      await paused;
      await pause(60_000, cancellation);
    });
  });
}
