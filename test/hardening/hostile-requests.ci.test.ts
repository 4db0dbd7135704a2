import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createUpstream } from '../../src/client/transport.ts';
import { startForwarder } from '../../src/traffic/forward.ts';
import { isThorough } from '../support/draws.ts';
import { always, listen, okResponse, startFaultServer } from '../support/fault-server.ts';

const count = isThorough ? 5000 : 300;
const atOnce = 20;
const callers = 4;

const request = (line: string, ...headers: readonly string[]) =>
  `${[line, ...headers].join('\r\n')}\r\n\r\n`;

/** What hostile callers write, piece by piece, to reach `inside`, or to stop the relay. */
const attacks: readonly ((inside: string) => readonly string[])[] = [
  (inside) => [request(`POST http://${inside}/x HTTP/1.1`, `Host: ${inside}`, 'Content-Length: 0')],
  (inside) => [request(`GET https://${inside}/x HTTP/1.1`, `Host: ${inside}`)],
  (inside) => [request(`CONNECT ${inside} HTTP/1.1`, `Host: ${inside}`), 'GET / HTTP/1.1\r\n\r\n'],
  (inside) => [request(`POST ${inside} HTTP/1.1`, `Host: ${inside}`, 'Content-Length: 0')],
  (inside) => [request('GET /host HTTP/1.1', `Host: ${inside}`, `X-Forwarded-Host: ${inside}`)],
  (inside) => [request(`GET //${inside}/x HTTP/1.1`, 'Host: a')],
  (inside) => [
    request('POST /a HTTP/1.1', 'Host: a', 'Content-Length: 4', 'Transfer-Encoding: chunked'),
    `0\r\n\r\n${request(`GET http://${inside}/ HTTP/1.1`, `Host: ${inside}`)}`,
  ],
  () => [request('POST /a HTTP/1.1', 'Host: a', 'Content-Length: 3', 'Content-Length: 5'), 'abcde'],
  () => [request('POST /a HTTP/1.1', 'Host: a', 'Transfer-Encoding: xchunked'), '0\r\n\r\n'],
  () => [request('POST /a HTTP/1.1', 'Host: a', 'Transfer-Encoding : chunked'), '0\r\n\r\n'],
  (inside) => [request('GET /a HTTP/1.1', 'Host: a', 'X: y', ` Host: ${inside}`)],
  (inside) => [`GET /a HTTP/1.1\nHost: a\n\nGET http://${inside}/ HTTP/1.1\nHost: ${inside}\n\n`],
  (inside) => [
    request('GET /a HTTP/1.1', 'Host: a').repeat(5) +
      request(`GET http://${inside}/ HTTP/1.1`, `Host: ${inside}`) +
      request('GET /b HTTP/1.1', `Host: ${inside}`).repeat(5),
  ],
  (inside) => {
    const inner = request(`GET http://${inside}/ HTTP/1.1`, `Host: ${inside}`);
    return [request('POST /a HTTP/1.1', 'Host: a', `Content-Length: ${inner.length}`), inner];
  },
  () => [request('POST /slow HTTP/1.1', 'Host: a', 'Content-Length: 1000'), ...'slow body'],
  () => ['POST /slow HTTP/1.1\r\nHo', 'st: a\r\nX: ', ...'slow head'],
  () => ['\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03', '\0'.repeat(1000)],
  () => [request('GET /a HTTP/1.1', 'Host: a', `X: ${'y'.repeat(100_000)}`)],
];

/** Writes the pieces, a moment apart, and goes; whatever comes back. */
async function attack(port: number, pieces: readonly string[]): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port })
    .on('error', () => {})
    .resume();
  for (const piece of pieces) {
    socket.write(Buffer.from(piece, 'latin1'));
    await delay(2);
  }
  await delay(20);
  socket.destroy();
}

it(`${count} hostile requests reach no other host, and disturb no honest caller`, async (test) => {
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

  let left = count;
  const attacker = async () => {
    for (; left > 0; ) {
      left -= 1;
      const pieces = attacks[left % attacks.length]?.(`127.0.0.1:${inside.port}`) ?? [];
      await attack(relay.port, pieces);
    }
  };
  /** The median delay of calls that go on as long as they may. */
  const honestCalls = async (mayGoOn: (each: number) => boolean) => {
    const delays: number[] = [];
    const caller = async (_: unknown, name: number) => {
      for (let each = 0; mayGoOn(each); each += 1) {
        const [body, started] = [`${name} asks ${each} ${'x'.repeat(each % 5000)}`, now()];
        const response = await fetch(`${relay.url}/callback?${each}`, { method: 'POST', body });
        assert.deepEqual([response.status, await response.text()], [200, body]);
        delays.push(now() - started);
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
    const median = delays.sort((a, b) => a - b)[Math.floor(delays.length / 2)] ?? assert.fail();
    return `${median.toFixed(1)} ms of ${delays.length} honest calls`;
  };
  const calm = await honestCalls((each) => each < 20);
  const [attacked] = await Promise.all([
    honestCalls(() => left > 0),
    ...Array.from({ length: atOnce }, attacker),
  ]);
  await relay.close();
  await application.close();
  await inside.close();

  assert.equal(inside.connections(), 0);
  assert.deepEqual(new Set(reached), new Set([host]));
  test.diagnostic(`median delay: ${calm} before, ${attacked} meanwhile`);
});
