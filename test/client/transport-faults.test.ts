import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import type { TransportOptions } from '../../src/client/transport.ts';
import type { Diagnosis } from '../../src/errors.ts';
import { assertFailure, bodyOf, post, sendOnce, withTransport } from '../support/client.ts';
import { type Line, listen, okAnswer, startFaultServer } from '../support/fault-server.ts';

interface Fault {
  readonly name: string;
  readonly serve: (line: Line) => void | Promise<void>;
  readonly code: Diagnosis['code'];
  readonly message: RegExp;
  readonly options?: Partial<TransportOptions>;
  /** Whether the head of an answer had come. */
  readonly status?: number;
}

/** Waits for the request, then sends what stands there, then ends or cuts the connection. */
function after(text: string, end?: 'end' | 'reset'): (line: Line) => Promise<void> {
  return async (line) => {
    await line.request();
    line.send(text);
    if (end === 'end') line.socket.end();
    if (end === 'reset') setTimeout(() => line.socket.resetAndDestroy(), 20);
  };
}

const brief = { timeoutMs: 150 };

const faults: readonly Fault[] = [
  {
    name: 'closed as soon as connected',
    serve: (line) => void line.socket.destroy(),
    code: 'reset',
    message: /closed by the other side without an answer/,
  },
  {
    name: 'reset as soon as connected',
    serve: (line) => void line.socket.resetAndDestroy(),
    code: 'reset',
    message: /closed by the other side/,
  },
  {
    name: 'closed after the request',
    serve: after('', 'end'),
    code: 'reset',
    message: /without an answer/,
  },
  {
    name: 'reset after the request',
    serve: after('', 'reset'),
    code: 'reset',
    message: /without an answer \(ECONNRESET\)/,
  },
  {
    name: 'closed within the head',
    serve: after('HTTP/1.1 200 OK\r\ncontent-le', 'end'),
    code: 'reset',
    message: /without an answer/,
  },
  {
    name: 'a body shorter than its Content-Length',
    serve: after('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"code":', 'end'),
    code: 'reset',
    message: /in the middle of the answer: 8 of the 100 bytes/,
    status: 200,
  },
  {
    name: 'a body shorter than its Content-Length, and the connection to be closed',
    serve: after('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 9\r\n\r\n{}', 'end'),
    code: 'reset',
    message: /in the middle of the answer: 2 of the 9 bytes/,
    status: 200,
  },
  {
    name: 'a reset within the body',
    serve: after('HTTP/1.1 500 Oops\r\ncontent-length: 9\r\n\r\n{}', 'reset'),
    code: 'reset',
    message: /in the middle of the answer \(ECONNRESET\): 2 of the 9 bytes/,
    status: 500,
  },
  {
    name: 'chunks without an end',
    serve: after('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n', 'end'),
    code: 'reset',
    message: /in the middle of the answer: 2 bytes/,
    status: 200,
  },
  {
    name: 'chunks without an end, and the connection to be closed',
    serve: after(
      'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n',
      'end',
    ),
    code: 'reset',
    message: /in the middle of the answer: 2 bytes/,
    status: 200,
  },
  {
    name: 'no answer',
    serve: after(''),
    code: 'timeout',
    message: /within 150 ms: the head of the answer had not come/,
    options: brief,
  },
  {
    name: 'half a head',
    serve: after('HTTP/1.1 200 OK\r\nx: '),
    code: 'timeout',
    message: /the head of the answer had not come/,
    options: brief,
  },
  {
    name: 'a body that drips',
    serve: async (line) => {
      await line.request();
      line.send('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      const timer = setInterval(() => line.send('x'), 10);
      line.socket.on('close', () => clearInterval(timer));
    },
    code: 'timeout',
    message: /the body of the answer was not complete \(\d+ of the 1000 bytes/,
    options: brief,
    status: 200,
  },
  {
    name: 'another protocol',
    serve: (line) => line.send('SSH-2.0-OpenSSH_9.6\r\n'),
    code: 'protocol-error',
    message: /is no HTTP\/1\.1 \(Expected HTTP\/.*; it stopped at "SSH-2\.0-OpenSSH_9\.6\\r\\n"\)/,
  },
  {
    name: 'a broken status line',
    serve: after('HTTP/1.1 abc OK\r\n\r\n'),
    code: 'protocol-error',
    message: /is no HTTP\/1\.1 \(Invalid status code/,
  },
  {
    name: 'a header without a colon',
    serve: after('HTTP/1.1 200 OK\r\nno colon here\r\n\r\n'),
    code: 'protocol-error',
    message: /is no HTTP\/1\.1/,
  },
  {
    name: 'a broken chunk',
    serve: after('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
    code: 'protocol-error',
    message: /is no HTTP\/1\.1/,
    status: 200,
  },
  {
    name: 'control characters',
    serve: after('\u001b[2J\u001b]0;owned\u0007 \r\n'),
    code: 'protocol-error',
    message: /^\P{Cc}*$/u,
  },
  {
    name: 'a header of 64 KiB',
    serve: after(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(65536)}\r\ncontent-length: 0\r\n\r\n`),
    code: 'protocol-error',
    message: /head of the answer of localhost:\d+ is larger than 16 KiB/,
  },
  {
    name: 'an unasked switch of protocols',
    serve: after('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    code: 'protocol-error',
    message: /is no HTTP\/1\.1/,
  },
];

describe('a fault of the peer', () => {
  for (const { name, serve, code, message, options, status } of faults) {
    it(`${name}: ${code}`, async () => {
      const server = await startFaultServer(serve);
      try {
        const exchange = await sendOnce(server.url, options);
        assertFailure(exchange, code, message);
        assert.equal(exchange.partial?.status, status);
        assert.ok(exchange.durationMs < 2000);
      } finally {
        await server.close();
      }
    });
  }

  it('nothing listens: refused', async () => {
    const server = await startFaultServer(() => {});
    await server.close();
    assertFailure(await sendOnce(server.url), 'refused', /nothing listens there.*ECONNREFUSED/);
  });

  it('a name without an address: dns', async () => {
    const exchange = await sendOnce(new URL('http://no-such-host.invalid/'));
    assertFailure(exchange, 'dns', /^The name no-such-host\.invalid /);
    assert.deepEqual(exchange.timings, {});
  });
});

describe('retries', () => {
  it('repeat what failed before an answer came', async () => {
    const server = await startFaultServer(async (line) => {
      await line.request();
      if (line.index < 2) line.socket.destroy();
      else line.send(okAnswer('{}'));
    });
    try {
      // A plain request that is cut is followed by a look whether the port speaks TLS.
      const exchange = await sendOnce(server.url, { retries: 3 });
      assert.equal(bodyOf(exchange), '{}');
      assert.ok(exchange.attempts > 1 && exchange.attempts <= 4);
    } finally {
      await server.close();
    }
  });

  it('end with the last failure', async () => {
    const server = await startFaultServer(() => {});
    await server.close();
    const exchange = await sendOnce(server.url, { retries: 1 });
    assertFailure(exchange, 'refused', /ECONNREFUSED/);
    assert.equal(exchange.attempts, 2);
  });

  it('leave alone what had begun to be answered', async () => {
    const server = await startFaultServer(
      after('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{', 'end'),
    );
    try {
      const exchange = await sendOnce(server.url, { retries: 3 });
      assertFailure(exchange, 'reset', /middle of the answer/);
      assert.equal(exchange.attempts, 1);
      assert.equal(server.connections(), 1);
    } finally {
      await server.close();
    }
  });
});

describe('kept connections', () => {
  it('are used again', async () => {
    const server = await startFaultServer(async (line) => {
      for (;;) {
        await line.request();
        line.send(okAnswer('{}'));
      }
    });
    await withTransport({}, async (transport) => {
      for (let index = 0; index < 3; index += 1) await transport.send(post(server.url));
      assert.equal(server.connections(), 1);
      await Promise.all([1, 2, 3].map(() => transport.send(post(server.url))));
      assert.equal(server.connections(), 3);
    }).finally(() => server.close());
  });

  it('are replaced, uncounted, where the peer closes one as it is used', async () => {
    const server = await startFaultServer(async (line) => {
      await line.request();
      line.send(okAnswer('{}'));
      await line.request();
      line.socket.destroy();
    });
    await withTransport({}, async (transport) => {
      for (let index = 0; index < 3; index += 1) {
        const exchange = await transport.send(post(server.url));
        assert.equal(bodyOf(exchange), '{}');
        assert.equal(exchange.attempts, 1);
      }
      assert.equal(server.connections(), 3);
    }).finally(() => server.close());
  });

  it('are replaced where the peer closed one while it was idle', async () => {
    const server = await startFaultServer(async (line) => {
      await line.request();
      line.socket.end(okAnswer('{}'));
    });
    await withTransport({}, async (transport) => {
      for (let index = 0; index < 3; index += 1) {
        assert.equal(bodyOf(await transport.send(post(server.url))), '{}');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }).finally(() => server.close());
  });

  it('are not replaced once a byte of the answer has come', async () => {
    const server = await startFaultServer(async (line) => {
      await line.request();
      line.send(okAnswer('{}'));
      await line.request();
      line.send('HTTP');
      setTimeout(() => line.socket.destroy(), 20);
    });
    await withTransport({}, async (transport) => {
      await transport.send(post(server.url));
      assertFailure(await transport.send(post(server.url)), 'reset', /without an answer/);
      assert.equal(server.connections(), 1);
    }).finally(() => server.close());
  });
});

describe('cancelling', () => {
  const reason = new Error('interrupted');

  it('ends a request under way with the reason of the signal', async () => {
    const controller = new AbortController();
    const server = await startFaultServer(async (line) => {
      await line.request();
      controller.abort(reason);
    });
    await assert.rejects(sendOnce(server.url, { signal: controller.signal, retries: 5 }), reason);
    await server.close();
  });

  it('ends all requests under way, also between two tries', async () => {
    const controller = new AbortController();
    const server = await startFaultServer(() => {});
    await withTransport({ signal: controller.signal, retries: 50 }, async (transport) => {
      const sent = [1, 2, 3].map(() => transport.send(post(server.url)));
      const refused = transport.send(post(new URL('http://127.0.0.1:1/')));
      setTimeout(() => controller.abort(reason), 150);
      for (const result of await Promise.allSettled([...sent, refused])) {
        assert.deepEqual(result, { status: 'rejected', reason });
      }
    }).finally(() => server.close());
  });

  it('sends nothing once the signal is aborted', async () => {
    const server = await startFaultServer(() => {});
    await assert.rejects(sendOnce(server.url, { signal: AbortSignal.abort(reason) }), reason);
    assert.equal(server.connections(), 0);
    await server.close();
  });

  it('close() ends the sockets, and a request under way as reset', async () => {
    const server = await startFaultServer(async (line) => {
      await line.request();
      closing();
    });
    let closing = () => {};
    await withTransport({}, async (transport) => {
      closing = () => void transport.close();
      assertFailure(await transport.send(post(server.url)), 'reset', /closed/);
    }).finally(() => server.close());
  });
});

describe('the wrong scheme', () => {
  it('names plain HTTP where the URL says https', async () => {
    const server = await listen(createServer(), 'https');
    try {
      assertFailure(
        await sendOnce(server.url),
        'protocol-error',
        /speaks plain HTTP, and the URL says https/,
      );
    } finally {
      await server.close();
    }
  });

  for (const page of [
    '<title>400 The plain HTTP request was sent to HTTPS port</title>',
    'Client sent an HTTP request to an HTTPS server.\n',
  ]) {
    it(`names TLS where a server says so itself: ${page.slice(0, 40)}`, async () => {
      const server = await startFaultServer(
        after(`HTTP/1.1 400 Bad Request\r\ncontent-length: ${page.length}\r\n\r\n${page}`),
      );
      try {
        const exchange = await sendOnce(server.url);
        assertFailure(exchange, 'protocol-error', /speaks TLS, and the URL says http/);
        assert.equal(exchange.partial?.status, 400);
      } finally {
        await server.close();
      }
    });
  }

  it('names TLS where a plain request is answered with an alert', async () => {
    const server = await startFaultServer((line) =>
      line.send(Buffer.from('15030300020246', 'hex')),
    );
    try {
      assertFailure(
        await sendOnce(server.url),
        'protocol-error',
        /speaks TLS, and the URL says http/,
      );
    } finally {
      await server.close();
    }
  });
});
