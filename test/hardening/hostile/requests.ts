import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

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

/** Writes the pieces of one of the attacks, a moment apart, and goes; whatever comes back. */
async function attack(port: number, inside: string, index: number): Promise<void> {
  const pieces = attacks[index % attacks.length]?.(inside) ?? [];
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

/** That many hostile requests to a port, by twenty callers at a time; `goesOn` is false once all are sent. */
export function attackAll(port: number, inside: string, count: number) {
  let left = count;
  const attacker = async () => {
    while (left > 0) await attack(port, inside, left--);
  };
  return { goesOn: () => left > 0, ended: Promise.all(Array.from({ length: 20 }, attacker)) };
}
