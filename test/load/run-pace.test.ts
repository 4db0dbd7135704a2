import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepPace } from '../../src/load/pacer.ts';
import { application, serve } from '../conformance/support.ts';
import { closed, infinite, loadOf, newRun, slowApplication } from './runs.ts';

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

  it('ends with its duration, after what is under way', async () => {
    const endpoint = await serve(application());
    const schedule = { ...closed(infinite), durationMs: 300 };
    const result = await loadOf(endpoint.url, { schedule });
    await endpoint.close();
    assert.ok(result.succeeded > 0);
    assert.equal(result.unfinished, 0);
    assert.equal(endpoint.requests.length, 2 * result.succeeded);
  });

  it('is stopped at once, with what ran so far', async () => {
    const endpoint = await serve(application());
    const schedule = { ...closed(infinite), durationMs: 60_000 };
    const run = await newRun(endpoint.url, { schedule });
    void run.start();
    while (run.result().succeeded < 10) await new Promise((resolve) => setTimeout(resolve, 10));
    const result = run.result(true);
    await run.halt();
    await endpoint.close();
    assert.ok(result.succeeded > 0 && result.interrupted);
  });
});
