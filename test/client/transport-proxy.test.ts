import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { chooseProxy } from '../../src/client/route.ts';
import type { TransportOptions } from '../../src/client/transport-options.ts';
import { makeCertificate } from '../support/certificates.ts';
import { assertFailure, bodyOf, pass, post, sendOnce, withTransport } from '../support/client.ts';
import { always, okResponse, startFaultServer, type TestServer } from '../support/fault-server.ts';
import { type ProxyBehaviour, startProxy } from '../support/proxy.ts';

const identity = makeCertificate();

/** A proxy as an option, for both schemes. */
function through({ port }: TestServer, credentials = '', scheme = 'http') {
  const url = `${scheme}://${credentials}localhost:${port}`;
  return { http: url, https: url };
}

function choiceOf(proxy: Partial<TransportOptions>['proxy']) {
  return chooseProxy(proxy);
}

const body = '{"by":"target"}';
let plain: TestServer;
let secure: TestServer;
before(async () => {
  plain = await startFaultServer(always(okResponse(body)));
  secure = await startFaultServer(always(okResponse(body)), identity);
});
after(() => Promise.all([plain.close(), secure.close()]));

/** Gives `use` a proxy, and ends it. */
async function withProxy<T>(
  use: (proxy: TestServer) => Promise<T>,
  behaviour: ProxyBehaviour = {},
): Promise<T> {
  const proxy = await startProxy(behaviour);
  return use(proxy).finally(() => proxy.close());
}

describe('through a proxy', () => {
  it('a plain request is forwarded, loopback too', async () => {
    await withProxy(async (proxy) => {
      const exchange = await sendOnce(plain.url, { proxy: through(proxy) });
      assert.deepEqual([bodyOf(exchange), exchange.proxy?.url.port], [body, `${proxy.port}`]);
      const seen = String(proxy.received[0]);
      assert.match(seen, new RegExp(`^POST http://localhost:${plain.port}/callback HTTP/1.1\r\n`));
      assert.match(seen, new RegExp(`^host: localhost:${plain.port}\r$`, 'm'));
    });
  });

  it('a TLS request goes through a tunnel, judged and kept as without', async () => {
    await withProxy(async (proxy) => {
      const options = { proxy: through(proxy), ca: identity.cert };
      await withTransport(options, async (transport) => {
        const first = await transport.send(post(secure.url));
        assert.equal(bodyOf(first), body);
        assert.ok(first.timings.proxyMs !== undefined && first.timings.tlsMs !== undefined);
        assert.equal(bodyOf(await transport.send(post(secure.url))), body);
      });
      assert.equal(proxy.connections(), 1);
      const seen = proxy.received[0]?.toString('latin1') ?? '';
      assert.match(seen, new RegExp(`^CONNECT localhost:${secure.port} HTTP/1.1\r\n`));
      assert.doesNotMatch(seen, /callback/);
      const exchange = await sendOnce(secure.url, { proxy: through(proxy) });
      assertFailure(exchange, 'tls-untrusted', /certificate of localhost is not trusted/);
    });
  });

  it('that speaks TLS is trusted by the same authorities, and never insecurely', async () => {
    await withProxy(
      async (proxy) => {
        const options = { proxy: through(proxy, '', 'https'), ca: identity.cert };
        for (const { url } of [secure, plain])
          assert.equal(bodyOf(await sendOnce(url, options)), body);
        const exchange = await sendOnce(secure.url, { proxy: options.proxy, insecure: true });
        assertFailure(exchange, 'tls-untrusted', /not trusted/);
      },
      { tls: identity },
    );
  });
});

describe('a proxy with credentials', () => {
  const authorization = `Basic ${Buffer.from('user:p@ss:ü').toString('base64')}`;

  for (const scheme of ['http', 'https'] as const) {
    it(`gets them for ${scheme}, and no other host does`, async () => {
      const target = scheme === 'https' ? secure : plain;
      const send = (proxy: TestServer, credentials: string) =>
        sendOnce(target.url, { proxy: through(proxy, credentials), ca: identity.cert });
      await withProxy(
        async (proxy) => {
          const exchange = await send(proxy, 'user:p%40ss%3A%C3%BC@');
          assert.equal(bodyOf(exchange), body);
          assert.doesNotMatch(JSON.stringify(exchange.request.headers), /authorization/i);
          assert.doesNotMatch(secure.received.join(''), /proxy-authorization/i);
          const refused = await send(proxy, '');
          assertFailure(refused, 'protocol-error', /asks for credentials \(status 407\)/);
          const wrong = await send(proxy, 'a:hunter2@');
          assertFailure(wrong, 'protocol-error', /407/);
          assert.doesNotMatch(JSON.stringify(wrong.failure), /hunter2/);
        },
        { authorization },
      );
    });
  }
});

describe('a proxy that fails', () => {
  const target = new URL('https://app.test/callback');
  const refusals: [string, RegExp][] = [
    ['HTTP/1.1 403 Forbidden\r\n\r\n', /refused a connection to app\.test \(status 403\)/],
    ['SSH-2.0-x\r\n', /What the proxy localhost:\d+ sent is not HTTP/],
  ];
  for (const [refusal, message] of refusals) {
    it(`responds with ${JSON.stringify(refusal.split('\r\n')[0])}: protocol-error`, async () => {
      const send = (proxy: TestServer) => sendOnce(target, { proxy: through(proxy) });
      assertFailure(await withProxy(send, { refusal }), 'protocol-error', message);
    });
  }

  it('closes instead of a tunnel: reset', async () => {
    const proxy = await startFaultServer(async (line) => {
      await line.request();
      line.socket.destroy();
    });
    const sent = sendOnce(target, { proxy: through(proxy) }).finally(() => proxy.close());
    const message = /the proxy localhost:\d+ was closed.*instead of opening a tunnel/;
    assertFailure(await sent, 'reset', message);
  });

  it('does not respond: timeout', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const proxy = await startFaultServer(async (line) => {
      await line.request();
      await pass(mock.timers, 1000);
    });
    const options = { proxy: through(proxy), timeoutMs: 1000 };
    const exchange = await sendOnce(target, options).finally(() => proxy.close());
    const message = /from the proxy localhost:\d+ within 1 s: the proxy had not/;
    assertFailure(exchange, 'timeout', message);
  });

  it('is not there: dns', async () => {
    const proxy = { https: 'http://no-such-proxy.invalid:1', sources: { https: 'X' } };
    const exchange = await sendOnce(target, { proxy });
    assertFailure(exchange, 'dns', /^The proxy no-such-proxy\.invalid \(from X\) /);
  });
});

describe('chooseProxy', () => {
  const cases: [noProxy: string, url: string, proxied: boolean][] = [
    ['*', 'http://a.test/', false],
    ['A.TEST', 'http://a.test./', false],
    ['a.test', 'http://b.a.test/', true],
    ['a.test:443', 'https://a.test/', false],
    ['*.a.test', 'http://b.a.test/', false],
    ['.a.test', 'http://a.test/', false],
    ['.a.test', 'http://ba.test/', true],
    ['x, localhost 127.0.0.1', 'http://127.0.0.1:80/', false],
    ['a.test:8080', 'http://a.test:8080/', false],
    ['a.test:8080', 'http://a.test/', true],
    ['[::1]', 'http://[::1]:3000/', false],
    ['[::1]:80', 'http://[::1]:3000/', true],
  ];
  it('excepts what the list names', () => {
    for (const [noProxy, url, proxied] of cases) {
      const choose = choiceOf({ http: 'proxy.test:3128', https: 'https://proxy.test', noProxy });
      assert.equal(choose(new URL(url)) !== undefined, proxied, noProxy);
    }
  });

  it('goes by the scheme of the target', () => {
    const choose = choiceOf({ http: 'http://plain.test:1', https: 'secure.test:2' });
    assert.equal(choose(new URL('http://a.test'))?.url.href, 'http://plain.test:1/');
    assert.equal(choose(new URL('https://a.test'))?.url.href, 'http://secure.test:2/');
    assert.equal(choiceOf({ http: ' ' })(new URL('http://a.test')), undefined);
    const ofEnvironment = choiceOf({ http: 'http://plain.test', exceptsLoopback: true });
    assert.equal(ofEnvironment(new URL('http://127.0.0.2')), undefined);
  });

  const refused = ['socks5://a:hunter2@b:1', 'http://', '://', '/a:hunter2http://b@', 'a:hunter2'];
  it('refuses what is not an http or https URL, and does not repeat its password', () => {
    const error = { code: 'usage', message: /^(?!.*hunter2).* is not an http or https URL/ };
    for (const proxy of [...refused, 'http://a:hunter2@b:port'])
      assert.throws(() => choiceOf({ http: proxy }), error, proxy);
  });
});
