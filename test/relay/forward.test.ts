import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statusOf } from '../../src/relay/seen-exchange.ts';
import { freePort } from '../support/free-port.ts';
import { dial, type Received, rawServer, relayTo } from './raw-peers.ts';

/** A request and a response as they are on the wire; `HOST` is the authority that the caller dials. */
interface Wire {
  readonly request: string;
  readonly response: string;
  /** How many exchanges the relay sees in them. */
  readonly exchanges?: number;
}

const response = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';

const wires: Readonly<Record<string, Wire>> = {
  'names in any case and order, duplicates, and bytes outside ASCII': {
    request:
      'POST /callback?a=%20b&&c=\xe4 HTTP/1.1\r\nhOsT: HOST\r\nX-B: 1\r\nx-a:2\r\nX-B:  3 \r\nX-L: \xfc\xff\r\nContent-type: application/json;charset=utf-8\r\ncontent-length: 2\r\n\r\n{}',
    response:
      'HTTP/1.1 207 Sehr gut \xe4\r\nset-cookie: a\r\nSet-Cookie: b\r\nX-L: \xfc\r\nServer:  x \r\nContent-Length: 3\r\n\r\n\x00\xff!',
  },
  'headers of the connection': {
    request:
      'POST /callback HTTP/1.1\r\nHost: HOST\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nTE: trailers\r\nContent-Length: 0\r\n\r\n',
    response:
      'HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=72\r\nContent-Length: 0\r\n\r\n',
  },
  'chunks with extensions and trailers': {
    request:
      'POST /callback HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n1;a=b\r\n{\r\n001\r\n}\r\n0\r\nX-T: 1\r\n\r\n',
    response:
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\nA\r\n0123456789\r\n0;x\r\nX-T: \xe4\r\n\r\n',
  },
  'a request without any body, and a response without a reason': {
    request: 'POST /callback HTTP/1.1\r\nHost: HOST\r\n\r\n',
    response: 'HTTP/1.1 204 \r\nX-A: b\r\n\r\n',
  },
  'HTTP/1.0 and a body that ends with the connection': {
    request: 'POST /callback HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}',
    response: 'HTTP/1.0 200 OK\r\n\r\n{"code":"0000"}',
  },
  'informational responses before the final one': {
    request: 'POST /callback HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\n{}',
    response: `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${response}`,
  },
  'a response to HEAD with the length of what GET would send': {
    request: 'HEAD /callback HTTP/1.1\r\nHost: HOST\r\n\r\n',
    response: 'HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n',
  },
  'several requests at once': {
    request:
      'POST /a HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\n{}\r\nPOST /b HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\n[]',
    response: response + response,
    exchanges: 2,
  },
  'lines that end without a carriage return': {
    request: 'POST /callback HTTP/1.1\nHost: HOST\nContent-Length: 2\n\n{}',
    response: 'HTTP/1.1 200 OK\nContent-Length: 2\n\n{}',
  },
  'a switch of protocols': {
    request: 'GET /chat HTTP/1.1\r\nHost: HOST\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    response:
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n\x01\x02HTTP/1.1 not any more\r\n\r\n',
  },
  'what is not HTTP': {
    request: '\x16\x03\x01 hello\r\n\r\n',
    response: '\x15\x03\x01',
    exchanges: 0,
  },
  'what is not HTTP and has no line end': {
    request: '\x16\x03\x01\x02\x00\x01',
    response: '\x15\x03\x01',
    exchanges: 0,
  },
  'a line that is not HTTP': {
    request: 'EHLO shop\r\n',
    response: '250 ok\r\n',
    exchanges: 0,
  },
  'a response that is not HTTP': {
    request: 'POST /callback HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\n{}',
    response: 'ICY 200 OK\r\n\r\nmusic',
  },
  'a chunk of a size that is no number': {
    request: 'POST /callback HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\n{}',
    response: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n',
  },
};

/** What caller and server receive of `wire` over `port`, in pieces of `size` bytes. */
async function over(
  wire: Wire,
  size: number,
  relayed: boolean,
): Promise<{ server: string; caller: string; exchanges: number }> {
  let atServer: Received | undefined;
  const host = (port: number) => wire.request.replaceAll('HOST', `127.0.0.1:${port}`);
  const port = await rawServer(async (received) => {
    atServer = received;
    await received.until(({ text }) => text.length >= host(port).length);
    await write(received, wire.response, size);
    received.socket.end();
  });
  const relay = relayed ? await relayTo(port) : undefined;
  const caller = dial(relay?.port ?? port);
  await write(caller, host(relay?.port ?? port), size);
  await caller.until(({ ended }) => ended);
  caller.socket.end();
  await caller.closed;
  return {
    server: atServer?.text.replaceAll(`:${port}`, ':PORT') ?? '',
    caller: caller.text,
    exchanges: relay?.exchanges.length ?? 0,
  };
}

async function write({ socket }: Received, text: string, size: number): Promise<void> {
  for (let at = 0; at < text.length; at += size) {
    const piece = Buffer.from(text.slice(at, at + size), 'latin1');
    await new Promise((resolve) => socket.write(piece, resolve));
  }
}

describe('the forwarder', () => {
  for (const [name, wire] of Object.entries(wires)) {
    it(`passes on ${name}`, async () => {
      const direct = await over(wire, 100_000, false);
      assert.equal(direct.caller, wire.response);
      for (const size of [100_000, 7, 1]) {
        const { exchanges, ...relayed } = await over(wire, size, true);
        assert.deepEqual(relayed, { server: direct.server, caller: direct.caller });
        assert.equal(exchanges, wire.exchanges ?? 1);
      }
    });
  }

  it('keeps both connections for the next request', async () => {
    let connections = 0;
    const port = await rawServer(async (received) => {
      connections += 1;
      for (let count = 1; count <= 3; count += 1) {
        await received.until(({ text }) => text.split('{}').length > count);
        received.socket.write(response);
      }
    });
    const relay = await relayTo(port);
    const caller = dial(relay.port);
    for (let count = 1; count <= 3; count += 1) {
      caller.socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}');
      await caller.until(({ text }) => text === response.repeat(count));
    }
    assert.equal(connections, 1);
    assert.equal((await relay.seen(3)).length, 3);
  });

  it('passes on each part as it comes, 100 Continue first', async () => {
    let atServer: Received | undefined;
    const port = await rawServer((received) => {
      atServer = received;
    });
    const relay = await relayTo(port);
    const caller = dial(relay.port);
    caller.socket.write(
      'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n',
    );
    const server = await eventually(() => atServer);
    await server.until(({ text }) => text.endsWith('\r\n\r\n'));
    server.socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    await caller.until(({ text }) => text === 'HTTP/1.1 100 Continue\r\n\r\n');
    caller.socket.write('{');
    await server.until(({ text }) => text.endsWith('\r\n\r\n{'));
    caller.socket.write('}');
    server.socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n');
    await caller.until(({ text }) => text.endsWith('Length: 2\r\n\r\n'));
    server.socket.write('{');
    await caller.until(({ text }) => text.endsWith('{'));
    server.socket.write('}');
    const [exchange] = await relay.seen(1);
    assert.equal(exchange?.response?.body.toString(), '{}');
    assert.equal(exchange?.request.body.toString(), '{}');
  });

  it('passes on the end of one direction while the other goes on', async () => {
    const port = await rawServer(async (received) => {
      await received.until(({ ended }) => ended);
      received.socket.end(`${response}`);
    });
    const relay = await relayTo(port);
    const caller = dial(relay.port);
    caller.socket.end('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}');
    await caller.until(({ ended }) => ended);
    assert.equal(caller.text, response);
  });

  const stages: Readonly<Record<string, string>> = {
    'before a response': '',
    'in the headers': 'HTTP/1.1 200 OK\r\nContent-',
    'in the body': 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"co',
    'in a chunk': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n{"co',
  };
  for (const [stage, sent] of Object.entries(stages)) {
    for (const how of ['reset', 'end'] as const) {
      it(`passes on a server's ${how} ${stage}`, async () => {
        const port = await rawServer(async (received) => {
          await received.until(({ text }) => text.endsWith('{}'));
          if (sent !== '') await write(received, sent, 1000);
          // a reset takes back what the other side hasn't read yet
          if (how === 'end') received.socket.end();
          else
            await caller
              .until(({ text }) => text === sent)
              .then(() => received.socket.resetAndDestroy());
        });
        const relay = await relayTo(port);
        const caller = dial(relay.port);
        caller.socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}');
        await caller.until(({ ended, error }) => ended || error !== undefined);
        assert.equal(caller.text, sent);
        assert.equal(caller.error, how === 'reset' ? 'ECONNRESET' : undefined);
        const [exchange] = await relay.seen(1);
        assert.equal(exchange?.failure?.code, 'reset');
      });
    }
  }

  const sentBefore: Readonly<Record<string, string>> = {
    'in the headers': 'POST / HTTP/1.1\r\nHost: a\r\nContent-Len',
    'in the body': 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n{}',
    'in a chunk': 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n{"co',
    'before the response': 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}',
  };
  for (const [stage, sent] of Object.entries(sentBefore)) {
    it(`passes on a caller's reset ${stage}`, async () => {
      let atServer: Received | undefined;
      const port = await rawServer((received) => {
        atServer = received;
      });
      const relay = await relayTo(port);
      const caller = dial(relay.port);
      caller.socket.write(sent);
      const server = await eventually(() => atServer);
      // of headers that are not complete nothing can be passed on: Host is in them
      if (stage !== 'in the headers')
        await server.until(({ text }) => text.endsWith(sent.slice(-2)));
      caller.socket.resetAndDestroy();
      await server.until(({ error }) => error !== undefined);
      assert.equal(server.error, 'ECONNRESET');
      if (stage === 'in the headers') return;
      const [exchange] = await relay.seen(1);
      assert.match(exchange?.failure?.message ?? '', /^The caller closed the connection/);
    });
  }

  it('forwards 20 MB each way through a slow reader, and keeps 1 MiB of them', async () => {
    const size = 20_000_000;
    const port = await rawServer(async (received) => {
      received.socket.pause();
      setTimeout(() => received.socket.resume(), 100);
      await received.until(({ bytes }) => bytes > size);
      received.socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
      received.socket.end(Buffer.alloc(size, 'r'));
    }, false);
    const relay = await relayTo(port);
    const caller = dial(relay.port, false);
    caller.socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`);
    caller.socket.write(Buffer.alloc(size, 'q'));
    caller.socket.pause();
    setTimeout(() => caller.socket.resume(), 100);
    await caller.until(({ ended }) => ended);
    assert.ok(caller.bytes > size);
    const [exchange] = await relay.seen(1);
    assert.equal(exchange?.response?.size, size);
    assert.equal(exchange?.response?.body.length, 1_048_576);
    const { request, response } = (await exchange?.captured('it', 'caller')) ?? {};
    assert.deepEqual([request?.isCut, response?.isCut], [true, true]);
  });

  it('says with a 502 in JSON that the server is unreachable', async () => {
    const port = await freePort();
    const relay = await relayTo(port);
    for (const request of [
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}',
      'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n',
    ]) {
      const caller = dial(relay.port);
      caller.socket.write(request);
      await caller.until(({ ended }) => ended);
      const [head = '', body = ''] = caller.text.split('\r\n\r\n');
      assert.match(head, /^HTTP\/1\.1 502 Bad Gateway\r\n/);
      const { code, message, error } = JSON.parse(body);
      assert.equal(code, '502');
      assert.match(
        message,
        /^authcli relay: No connection to 127\.0\.0\.1:\d+: nothing listens there/,
      );
      assert.equal(error.code, 'refused');
    }
    const exchanges = await relay.seen(2);
    assert.deepEqual(
      exchanges.map(({ failure, ownStatus, response }) => [failure?.code, ownStatus, response]),
      [
        ['refused', 502, undefined],
        ['refused', 502, undefined],
      ],
    );
  });

  it('reads nothing from callers while there is no capacity for more exchanges', async () => {
    let atServer = '';
    const port = await rawServer(async (received) => {
      await received.until(({ text }) => text.endsWith('{}'));
      atServer = received.text;
      received.socket.write(response);
    });
    let makeRoom = () => {};
    let isAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const room = new Promise<void>((resolve) => {
      makeRoom = resolve;
    });
    const relay = await relayTo(port, {
      ready: () => {
        isAsked();
        return room;
      },
    });
    const caller = dial(relay.port);
    caller.socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}');
    await asked;
    assert.equal(atServer, '');
    makeRoom();
    await caller.until(({ text }) => text === response);
    assert.match(atServer, /^POST/);
  });

  /** What the server receives of a request whose body is replaced. */
  async function replaced(request: string, parts: readonly string[], other: string) {
    let atServer = '';
    const port = await rawServer(async (received) => {
      await received.until(({ text }) => text.includes('\r\n\r\n'));
      if (request.includes('Expect')) received.socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      await received.until(({ text }) => /[}\]]\r?\n?(?:0\r\n\r\n)?$/.test(text));
      atServer = received.text;
      received.socket.write(response);
    });
    const intercept = () => ({ request: async () => Buffer.from(other) });
    const relay = await relayTo(port, { intercept });
    const caller = dial(relay.port);
    caller.socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${request}\r\n\r\n`);
    if (request.includes('Expect')) await caller.until(({ text }) => text.includes('100 Continue'));
    for (const part of parts) caller.socket.write(part);
    await caller.until(({ text }) => text.endsWith(response));
    return atServer.replace(/^.*\r\nHost: .*\r\n/, '');
  }

  it('replaces a body in the framing that it came in', async () => {
    const length = (bytes: number) => `Content-Length: ${bytes}`;
    assert.equal(await replaced(length(3), ['[', '1', ']'], '[12]'), `${length(4)}\r\n\r\n[12]`);
    const chunked = 'Transfer-Encoding: chunked';
    const parts = ['1\r\n[\r\n', '1;x\r\n]\r\n', '0\r\n\r\n'];
    assert.equal(
      await replaced(chunked, parts, '[12]'),
      `${chunked}\r\n\r\n4\r\n[12]\r\n0\r\n\r\n`,
    );
  });

  it('replaces the body behind 100 Continue if its length stays, and leaves it alone otherwise', async () => {
    const head = 'Expect: 100-continue\r\nContent-Length: 3';
    assert.equal(await replaced(head, ['[1', ']'], '[2]'), `${head}\r\n\r\n[2]`);
    assert.equal(await replaced(head, ['[1', ']'], '[12]'), `${head}\r\n\r\n[1]`);
  });

  it('keeps what a response says for judging', async () => {
    const port = await rawServer(async (received) => {
      await received.until(({ text }) => text.endsWith('{}'));
      received.socket.write(response);
    });
    const relay = await relayTo(port);
    const caller = dial(relay.port);
    caller.socket.write('POST /x?y HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}');
    const [exchange] = await relay.seen(1);
    assert.ok(exchange?.response);
    assert.deepEqual(statusOf(exchange.response), { status: 200, statusText: 'OK' });
    const captured = await exchange.captured('exchange 1', 'caller');
    assert.equal(captured.request?.method, 'POST');
    assert.equal(captured.request?.target, '/x?y');
    assert.equal(captured.operation, 'other');
    assert.equal(Buffer.from(captured.response?.body ?? []).toString(), '{}');
  });
});

async function eventually<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
