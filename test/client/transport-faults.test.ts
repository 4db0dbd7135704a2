import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { assertFailure, bodyOf, post, sendOnce, withTransport } from '../support/client.ts';
import { listen, okResponse, startFaultServer } from '../support/fault-server.ts';
import { after, wireFaults } from '../support/wire-faults.ts';

describe('a fault of the peer', () => {
  for (const { name, serve, code, message, options, status } of wireFaults) {
    it(`${name}: ${code}`, async () => {
      const server = await startFaultServer(serve);
      try {
        const exchange = await sendOnce(server.url, options);
        assertFailure(exchange, code, message);
        assert.equal(exchange.partial?.status, status);
      } finally {
        await server.close();
      }
    });
  }

  it('a name without an address: dns', async () => {
    const exchange = await sendOnce(new URL('http://no-such-host.invalid/'));
    assertFailure(exchange, 'dns', /^The name no-such-host\.invalid /);
    assert.deepEqual(exchange.timings, {});
  });
});

describe('retries', () => {
  it('retry N times if no response arrived', async () => {
    const server = await startFaultServer(async (line) => {
      await line.request();
      if (line.index < 2) line.socket.destroy();
      else line.send(okResponse('{}'));
    });
    try {
      // A plain request that is cut is followed by a check whether the port speaks TLS.
      const exchange = await sendOnce(server.url, { retries: 3 });
      assert.equal(bodyOf(exchange), '{}');
      assert.ok(exchange.attempts > 1 && exchange.attempts <= 4);
    } finally {
      await server.close();
    }
  });

  it('end with the last failure', async () => {
    const exchange = await sendOnce(new URL('http://127.0.0.1:1/'), { retries: 1 });
    assertFailure(exchange, 'refused', /nothing listens there.*ECONNREFUSED/);
    assert.equal(exchange.attempts, 2);
  });

  it('leave alone a request whose response had begun', async () => {
    const server = await startFaultServer(
      after('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{', 'end'),
    );
    try {
      const exchange = await sendOnce(server.url, { retries: 3 });
      assertFailure(exchange, 'reset', /middle of the response/);
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
        line.send(okResponse('{}'));
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
      line.send(okResponse('{}'));
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

  it('are not replaced once a byte of the response has come', async () => {
    const server = await startFaultServer(async (line) => {
      await line.request();
      line.send(okResponse('{}'));
      await line.request();
      line.send('HTTP');
      setTimeout(() => line.socket.destroy(), 20);
    });
    await withTransport({}, async (transport) => {
      await transport.send(post(server.url));
      assertFailure(await transport.send(post(server.url)), 'reset', /without a response/);
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
        /speaks plain HTTP, but the URL starts with https/,
      );
    } finally {
      await server.close();
    }
  });

  it('names TLS where a server says so itself', async () => {
    const page = '<title>400 The plain HTTP request was sent to HTTPS port</title>';
    const server = await startFaultServer(
      after(`HTTP/1.1 400 Bad Request\r\ncontent-length: ${page.length}\r\n\r\n${page}`),
    );
    const exchange = await sendOnce(server.url);
    assertFailure(exchange, 'protocol-error', /speaks TLS, but the URL starts with http/);
    assert.equal(exchange.partial?.status, 400);
    await server.close();
  });

  it('names TLS where a plain request gets an alert', async () => {
    const server = await startFaultServer((line) =>
      line.send(Buffer.from('15030300020246', 'hex')),
    );
    try {
      assertFailure(
        await sendOnce(server.url),
        'protocol-error',
        /speaks TLS, but the URL starts with http/,
      );
    } finally {
      await server.close();
    }
  });
});
