import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { chooseProxy } from '../../src/client/proxy.ts';
import { secretOptions } from '../../src/client/transport-options.ts';
import { makeCertificate } from '../support/certificates.ts';
import {
  assertFailure,
  bodyOf,
  post,
  sendOnce,
  type TestOptions,
  withTransport,
} from '../support/client.ts';
import { okResponse, startFaultServer, type TestServer } from '../support/fault-server.ts';
import { startProxy } from '../support/proxy.ts';

const identity = makeCertificate();

function respondingServer(tls?: typeof identity): Promise<TestServer> {
  return startFaultServer(async (line) => {
    for (;;) {
      const { head } = await line.request();
      line.send(okResponse('{"by":"target"}'));
      if (/^connection: close/im.test(head)) line.socket.end();
    }
  }, tls);
}

/** A proxy as an option, for both schemes. */
function through({ port }: TestServer, credentials = '', scheme = 'http') {
  const url = `${scheme}://${credentials}localhost:${port}`;
  return { http: url, https: url };
}

function choiceOf(proxy: TestOptions['proxy']) {
  return chooseProxy(secretOptions({ proxy }).proxy);
}

describe('through a proxy', () => {
  let plain: TestServer;
  let secure: TestServer;
  let proxy: TestServer;
  before(async () => {
    plain = await respondingServer();
    secure = await respondingServer(identity);
    proxy = await startProxy();
  });
  after(() => Promise.all([plain.close(), secure.close(), proxy.close()]));

  it('a plain request is forwarded, loopback too', async () => {
    const exchange = await sendOnce(plain.url, { proxy: through(proxy) });
    assert.equal(bodyOf(exchange), '{"by":"target"}');
    const seen = proxy.received.at(-1)?.toString('latin1') ?? '';
    assert.match(seen, new RegExp(`^POST http://localhost:${plain.port}/callback HTTP/1.1\r\n`));
    assert.match(seen, new RegExp(`^host: localhost:${plain.port}\r$`, 'm'));
  });

  it('a TLS request goes through a tunnel, judged and kept as without', async () => {
    const options = { proxy: through(proxy), ca: identity.cert };
    await withTransport(options, async (transport) => {
      const before = proxy.connections();
      const first = await transport.send(post(secure.url));
      assert.equal(bodyOf(first), '{"by":"target"}');
      assert.ok(first.timings.proxyMs !== undefined && first.timings.tlsMs !== undefined);
      assert.equal(bodyOf(await transport.send(post(secure.url))), '{"by":"target"}');
      assert.equal(proxy.connections() - before, 1);
    });
    const seen = proxy.received.at(-1)?.toString('latin1') ?? '';
    assert.match(seen, new RegExp(`^CONNECT localhost:${secure.port} HTTP/1.1\r\n`));
    assert.doesNotMatch(seen, /callback/);
  });

  it('a certificate that is not trusted is named through the tunnel', async () => {
    const exchange = await sendOnce(secure.url, { proxy: through(proxy) });
    assertFailure(exchange, 'tls-untrusted', /certificate of localhost is not trusted/);
  });

  it('a proxy that speaks TLS is trusted by the same authorities', async () => {
    const tlsProxy = await startProxy({ tls: identity });
    try {
      const options = { proxy: through(tlsProxy, '', 'https'), ca: identity.cert };
      assert.equal(bodyOf(await sendOnce(secure.url, options)), '{"by":"target"}');
      assert.equal(bodyOf(await sendOnce(plain.url, options)), '{"by":"target"}');
      const exchange = await sendOnce(secure.url, { proxy: options.proxy, insecure: true });
      assertFailure(exchange, 'tls-untrusted', /not trusted/);
    } finally {
      await tlsProxy.close();
    }
  });

  it('exceptions go directly', async () => {
    const before = proxy.connections();
    const exchange = await sendOnce(plain.url, {
      proxy: { ...through(proxy), noProxy: 'localhost' },
    });
    assert.equal(bodyOf(exchange), '{"by":"target"}');
    assert.equal(proxy.connections(), before);
  });
});

describe('a proxy with credentials', () => {
  const authorization = `Basic ${Buffer.from('user:p@ss:ü').toString('base64')}`;
  const credentials = 'user:p%40ss%3A%C3%BC@';

  for (const scheme of ['http', 'https'] as const) {
    it(`gets them for ${scheme}, and no other host does`, async () => {
      const target = await respondingServer(scheme === 'https' ? identity : undefined);
      const proxy = await startProxy({ authorization });
      try {
        const options = { proxy: through(proxy, credentials), ca: identity.cert };
        const exchange = await sendOnce(target.url, options);
        assert.equal(bodyOf(exchange), '{"by":"target"}');
        assert.doesNotMatch(JSON.stringify(exchange.request.headers), /authorization/i);
        if (scheme === 'https') {
          assert.doesNotMatch(target.received.join(''), /proxy-authorization/i);
        }
        const refused = await sendOnce(target.url, { ...options, proxy: through(proxy) });
        assertFailure(refused, 'protocol-error', /asks for credentials \(status 407\)/);
        const wrong = await sendOnce(target.url, {
          ...options,
          proxy: through(proxy, 'a:hunter2@'),
        });
        assertFailure(wrong, 'protocol-error', /407/);
        assert.doesNotMatch(JSON.stringify(wrong.failure), /hunter2/);
      } finally {
        await target.close();
        await proxy.close();
      }
    });
  }
});

describe('a proxy that fails', () => {
  const target = new URL('https://app.test/callback');
  const refusals: [string, RegExp][] = [
    ['HTTP/1.1 403 Forbidden\r\n\r\n', /refused a connection to app\.test \(status 403\)/],
    ['HTTP/1.1 502 Bad Gateway\r\n\r\n', /refused a connection to app\.test \(status 502\)/],
    ['HTTP/1.1 302 Found\r\nlocation: http://login/\r\n\r\n', /status 302/],
    ['SSH-2.0-x\r\n', /What the proxy localhost:\d+ sent is not HTTP/],
  ];
  for (const [refusal, message] of refusals) {
    it(`responds with ${JSON.stringify(refusal.split('\r\n')[0])}: protocol-error`, async () => {
      const proxy = await startProxy({ refusal });
      try {
        const exchange = await sendOnce(target, { proxy: through(proxy) });
        assertFailure(exchange, 'protocol-error', message);
      } finally {
        await proxy.close();
      }
    });
  }

  it('closes instead of a tunnel: reset', async () => {
    const proxy = await startFaultServer(async (line) => {
      await line.request();
      line.socket.destroy();
    });
    const exchange = await sendOnce(target, { proxy: through(proxy) });
    const message = /the proxy localhost:\d+ was closed.*instead of opening a tunnel/;
    assertFailure(exchange, 'reset', message);
    await proxy.close();
  });

  it('does not respond: timeout', async () => {
    const proxy = await startFaultServer(() => {});
    const exchange = await sendOnce(target, { proxy: through(proxy), timeoutMs: 1000 });
    const message = /from the proxy localhost:\d+ within 1 s: the proxy had not/;
    assertFailure(exchange, 'timeout', message);
    await proxy.close();
  });

  it('does not listen: refused', async () => {
    const proxy = await startFaultServer(() => {});
    await proxy.close();
    for (const url of [target, new URL('http://app.test/')]) {
      const exchange = await sendOnce(url, { proxy: through(proxy) });
      assertFailure(exchange, 'refused', /No connection to the proxy localhost:\d+/);
    }
  });

  it('has no address: dns', async () => {
    const exchange = await sendOnce(target, { proxy: { https: 'http://no-such-proxy.invalid:1' } });
    assertFailure(exchange, 'dns', /^The proxy no-such-proxy\.invalid /);
  });
});

describe('chooseProxy', () => {
  const cases: [noProxy: string, url: string, proxied: boolean][] = [
    ['', 'http://localhost:3000/', true],
    ['*', 'http://a.test/', false],
    ['a.test', 'http://a.test/', false],
    ['A.TEST', 'http://a.test./', false],
    ['a.test', 'http://b.a.test/', true],
    ['.a.test', 'http://b.a.test/', false],
    ['*.a.test', 'http://b.a.test/', false],
    ['.a.test', 'http://a.test/', false],
    ['.a.test', 'http://ba.test/', true],
    ['x, localhost 127.0.0.1', 'http://127.0.0.1:80/', false],
    ['127.0.0.1', 'http://127.0.0.2/', true],
    ['a.test:8080', 'http://a.test:8080/', false],
    ['a.test:8080', 'http://a.test/', true],
    ['a.test:443', 'https://a.test/', false],
    ['[::1]', 'http://[::1]:3000/', false],
    ['::1', 'http://[::1]:3000/', false],
    ['[::1]:80', 'http://[::1]:3000/', true],
    ['est', 'http://a.test/', true],
  ];
  for (const [noProxy, url, proxied] of cases) {
    it(`${JSON.stringify(noProxy)} ${proxied ? 'does not except' : 'excepts'} ${url}`, () => {
      const choose = choiceOf({ http: 'proxy.test:3128', https: 'https://proxy.test', noProxy });
      assert.equal(choose(new URL(url)) !== undefined, proxied);
    });
  }

  it('goes by the scheme of the target', () => {
    const choose = choiceOf({ http: 'http://plain.test:1', https: 'secure.test:2' });
    assert.equal(choose(new URL('http://a.test'))?.url.href, 'http://plain.test:1/');
    assert.equal(choose(new URL('https://a.test'))?.url.href, 'http://secure.test:2/');
    assert.equal(choiceOf({ http: ' ' })(new URL('http://a.test')), undefined);
  });

  const refused = ['socks5://a:hunter2@b:1', 'http://', '://', '/a:hunter2http://b@', 'a:hunter2'];
  for (const proxy of [...refused, 'http://a:hunter2@b:port']) {
    it(`refuses ${proxy.replace('hunter2', '…')}`, () => {
      const message = /^(?!.*hunter2).* is not an http or https URL/;
      assert.throws(() => choiceOf({ http: proxy }), { code: 'usage', message });
    });
  }
});
