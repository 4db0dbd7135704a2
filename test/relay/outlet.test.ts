import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { Outlet } from '../../src/relay/outlet.ts';

/** A socket that reports what it is given at a time. */
function socketOf(highWaterMark: number): { readonly socket: Socket; readonly sent: string[] } {
  const sent: string[] = [];
  const socket = new Duplex({
    highWaterMark,
    read() {},
    writev(chunks, done) {
      sent.push(chunks.map(({ chunk }) => String(chunk)).join(''));
      done();
    },
  });
  return { socket: socket as Socket, sent };
}

const head = {
  kind: 'head',
  bytes: Buffer.from('HTTP/1.1 200 OK\r\n\r\n'),
  head: { startLine: 'HTTP/1.1 200 OK', headers: [] },
} as const;
const body = { kind: 'body', bytes: Buffer.from('{}'), data: Buffer.from('{}') } as const;
const end = { kind: 'end', bytes: Buffer.alloc(0) } as const;

test('sends what came together in one piece', async () => {
  const { socket, sent } = socketOf(16_384);
  const outlet = new Outlet(socket);
  outlet.gather();
  for (const piece of [head, body, end]) await outlet.pass(piece);
  assert.deepEqual(sent, []);
  outlet.flush();
  assert.deepEqual(sent, [`${head.bytes}${body.bytes}`]);
});

test('sends what it has gathered when the socket takes no more', { timeout: 5000 }, async () => {
  const { socket, sent } = socketOf(8);
  const outlet = new Outlet(socket);
  outlet.gather();
  for (const piece of [head, body, end]) await outlet.pass(piece);
  outlet.flush();
  assert.equal(sent.join(''), `${head.bytes}${body.bytes}`);
});

test('sends what it has gathered before a message that is held back', async () => {
  const { socket, sent } = socketOf(16_384);
  const outlet = new Outlet(socket);
  outlet.gather();
  for (const piece of [head, body, end]) await outlet.pass(piece);
  const framing = { kind: 'until-close' } as const;
  const seen: string[][] = [];
  const change = async () => {
    seen.push([...sent]);
    return { body: Buffer.from('[]') };
  };
  outlet.hold({ framing, headFirst: false, change });
  for (const piece of [head, body, end]) await outlet.pass(piece);
  outlet.flush();
  assert.deepEqual(seen, [[`${head.bytes}{}`]]);
  assert.deepEqual(sent, [`${head.bytes}{}`, `${head.bytes}[]`]);
});
