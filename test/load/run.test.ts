import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { application, serve } from '../conformance/support.ts';
import { listen } from '../support/fault-server.ts';
import { closed, errorsOf, infinite, loadOf, newRun } from './runs.ts';

describe('a load of sign-ups', () => {
  it('sends both callbacks for each user, and counts each once', async () => {
    const endpoint = await serve(application());
    const result = await loadOf(endpoint.url, { schedule: closed(20) });
    await endpoint.close();
    const { succeeded, failed, unfinished, latency, steps } = result;
    assert.deepEqual([succeeded, failed, unfinished, endpoint.requests.length], [20, 0, 0, 40]);
    const calls = endpoint.requests.map(({ body }) => JSON.parse(String(Buffer.from(body))));
    assert.equal(new Set(calls.map((call) => call.ptn_cd)).size, 20);
    assert.equal(calls.filter((call) => call.used_type === '1').length, 20);
    assert.equal(calls.filter((call) => call.ubifill !== undefined).length, 20);
    assert.deepEqual([latency.count, ...steps.map(({ count }) => count)], [20, 20, 20]);
  });

  it('sees one key for all users, and says that it is one', async () => {
    const endpoint = await serve(application('one-key-for-all'));
    const result = await loadOf(endpoint.url, { schedule: closed(10, 1), threads: 1 });
    await endpoint.close();
    assert.equal(result.succeeded, 1);
    assert.deepEqual(errorsOf(result), { 'key-repeated': 1, 'key-constant': 8 });
  });

  const minute = { durationMs: 60_000, signups: infinite };
  const atRate = { model: 'open', perSecond: 200, mostAtOnce: 50 } as const;
  for (const [model, schedule] of [
    ['closed model', { ...closed(infinite), ...minute }],
    ['open model', { ...minute, pace: atRate }],
  ] as const) {
    it(`ends after a few attempts where nothing listens: ${model}`, async () => {
      const result = await loadOf(new URL('http://127.0.0.1:9/'), { schedule });
      assert.equal(result.gaveUp, true);
      assert.equal(result.responded, false);
      assert.ok((errorsOf(result).refused ?? 0) >= 1);
      assert.ok(result.failed <= 2 * (4 + 5 + 50));
    });
  }

  it('goes on where the endpoint refuses connections later', async () => {
    const endpoint = await serve(application());
    const run = await newRun(endpoint.url, {
      schedule: closed(60, 1),
      threads: 1,
      onProgress: () => void endpoint.close(),
    });
    const result = await run.start();
    await endpoint.close().catch(() => {});
    assert.equal(result.gaveUp, false);
    assert.equal(result.succeeded + result.failed, 60);
  });

  it('counts the waiting of time-outs as latency', async () => {
    const server = createServer(() => {});
    const { url, close } = await listen(server, 'http');
    const result = await loadOf(url, { schedule: closed(2), timeoutMs: 60 });
    await close();
    assert.deepEqual(errorsOf(result), { timeout: 2 });
    assert.ok(result.latency.p50 >= 55, String(result.latency.p50));
  });

  it('reports the secrets of a failure', async () => {
    const secrets: string[] = [];
    const endpoint = await serve(application('registration-code-1'));
    await loadOf(endpoint.url, { schedule: closed(1), onSecret: (value) => secrets.push(value) });
    await endpoint.close();
    assert.ok(secrets.length >= 2);
  });
});
