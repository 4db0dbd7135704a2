import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeCertificate } from '../support/certificates.ts';
import { assertFailure, bodyOf, post, sendOnce, withTransport } from '../support/client.ts';
import { okResponse, startFaultServer, type TestServer } from '../support/fault-server.ts';
import { authority, cases, contextOutcomes, good, serving, trusting } from './transport-tls.ts';

describe('a certificate that is refused', () => {
  for (const { name, tls, options, host, code, message, hint } of cases) {
    it(`${name}: ${code}`, async () => {
      const server = await serving(tls);
      const url = new URL(server.url.href.replace('localhost', host ?? 'localhost'));
      try {
        const exchange = await sendOnce(url, { ...options, retries: 2 });
        assertFailure(exchange, code, message);
        if (hint) assert.match(exchange.failure?.hint ?? '', hint);
        assert.equal(exchange.attempts, 1, 'a verdict is not repeated');
        assert.equal(server.connections(), 1);
        assert.equal(server.received.join(''), '', 'nothing was sent');
        const accepted = await sendOnce(url, { ...options, insecure: true });
        assert.equal(bodyOf(accepted), '{"tls":true}');
      } finally {
        await server.close();
      }
    });
  }
});

describe('a certificate that is trusted', () => {
  let server: TestServer;
  before(async () => {
    server = await serving(good);
  });
  after(() => server.close());

  const forms: readonly (readonly [string, string | Uint8Array])[] = [
    ['PEM', authority.cert],
    ['PEM bytes among others', Buffer.from(`# roots\n${good.cert}\n${authority.cert}`)],
    ['DER', Buffer.from(authority.cert.replace(/-----.*-----|\s/g, ''), 'base64')],
  ];
  for (const [form, ca] of forms) {
    it(`by an added authority as ${form}`, async () => {
      assert.equal(bodyOf(await sendOnce(server.url, { ca })), '{"tls":true}');
    });
  }

  it('on a kept connection, with its times', async () => {
    await withTransport({ ...trusting }, async (transport) => {
      const first = await transport.send(post(server.url));
      assert.ok(first.timings.tlsMs !== undefined);
      const second = await transport.send(post(server.url));
      assert.equal(second.timings.tlsMs, undefined);
      assert.equal(bodyOf(second), '{"tls":true}');
    });
  });

  it('by NODE_EXTRA_CA_CERTS, also beside an added authority', () => {
    const other = makeCertificate({ isAuthority: true });
    const folder = mkdtempSync(join(tmpdir(), 'authcli-ca-'));
    try {
      writeFileSync(join(folder, 'extra.pem'), authority.cert);
      writeFileSync(join(folder, 'other.pem'), other.cert);
      assert.deepEqual(contextOutcomes(folder, good), ['extra', 'extra and other']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a kept TLS connection', () => {
  it('is replaced, uncounted, where the peer closes it as it is used', async () => {
    const server = await startFaultServer(async (line) => {
      await line.request();
      line.send(okResponse('{}'));
      await line.request();
      line.socket.end();
    }, good);
    await withTransport(trusting, async (transport) => {
      for (let index = 0; index < 3; index += 1) {
        const exchange = await transport.send(post(server.url));
        assert.equal(bodyOf(exchange), '{}');
        assert.equal(exchange.attempts, 1);
      }
    }).finally(() => server.close());
  });
});
