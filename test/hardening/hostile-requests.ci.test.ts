import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import { createUpstream } from '../../src/client/transport.ts';
import { startForwarder } from '../../src/traffic/forward.ts';
import { isThorough } from '../support/draws.ts';
import { always, listen, okResponse, startFaultServer } from '../support/fault-server.ts';
import { attackAll } from './hostile/requests.ts';

const count = isThorough ? 5000 : 300;
const callers = 4;

it(`${count} hostile requests reach no other host, and mix with no honest call`, async () => {
  const inside = await startFaultServer(always(okResponse('inside')));
  const reached: (string | undefined)[] = [];
  const application = await listen(
    createServer(async (request, response) => {
      reached.push(request.headers.host);
      response.end(await buffer(request).catch(() => ''));
    }),
    'http',
  );
  const host = `127.0.0.1:${application.port}`;
  const now = () => performance.now();
  const upstream = createUpstream(new URL(`http://${host}/callback`), { timeoutMs: 60_000, now });
  const relay = await startForwarder({
    host: '127.0.0.1',
    port: 0,
    upstream,
    now,
    onExchange() {},
  });

  const attack = attackAll(relay.port, `127.0.0.1:${inside.port}`, count);
  const caller = async (_: unknown, name: number) => {
    for (let each = 0; attack.goesOn(); each += 1) {
      const body = `${name} asks ${each} ${'x'.repeat(each % 5000)}`;
      const response = await fetch(`${relay.url}/callback?${each}`, { method: 'POST', body });
      assert.deepEqual([response.status, await response.text()], [200, body]);
    }
  };
  await Promise.all([attack.ended, ...Array.from({ length: callers }, caller)]);
  await relay.close();
  await application.close();
  await inside.close();

  assert.equal(inside.connections(), 0);
  assert.deepEqual(new Set(reached), new Set([host]));
});
