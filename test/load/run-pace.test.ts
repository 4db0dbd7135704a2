import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepPace } from '../../src/load/thread.ts';
import { infinite, loadOf, slowApplication } from './runs.ts';

describe('the pace of a load', () => {
  it('counts latency from when a sign-up was to begin', async () => {
    const endpoint = await slowApplication(15);
    const pace = { model: 'open', perSecond: 100, mostAtOnce: 1 } as const;
    const schedule = { pace, durationMs: infinite, signups: 8 };
    const result = await loadOf(endpoint.url, { schedule, threads: 1 });
    await endpoint.close();
    // One at a time takes 30 ms each, and the last was to begin after 70 ms.
    assert.ok(result.latency.max > 160, String(result.latency.max));
    assert.ok(result.steps.every(({ p50 }) => p50 < result.latency.p50 / 2));
  });

  it('begins one where it is due or the one before it has ended, and gives the rest up', async () => {
    const pace = { model: 'open', perSecond: 100, mostAtOnce: 1 } as const;
    const begun: number[] = [];
    let elapsed = 0;
    let givenUp = 0;
    await keepPace({
      schedule: { pace, durationMs: 500, signups: infinite },
      index: 0,
      threads: 1,
      elapsed: () => elapsed,
      perform: async (intendedAt) => {
        begun.push(intendedAt);
        elapsed += 200;
      },
      giveUp: (count) => {
        givenUp += count;
      },
      signal: new AbortController().signal,
    });
    // The second was due after 10 ms and the third after 20 ms, a tick later at most.
    assert.deepEqual(begun, [0, 11, 21]);
    assert.equal(givenUp, 47);
  });
});
