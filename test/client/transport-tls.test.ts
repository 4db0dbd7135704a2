import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { TlsOptions } from 'node:tls';
import { createTransport } from '../../src/client/transport.ts';
import { secretOptions } from '../../src/client/transport-options.ts';
import type { DiagnosisCode } from '../../src/errors.ts';
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

const authority = makeCertificate({ commonName: 'Test Root', isAuthority: true });
const issuer = authority;
const good = makeCertificate({ commonName: 'app.test', issuer });
const trusting = { ca: authority.cert };

/** An endpoint that responds to every request, with this certificate. */
function serving(tls: TlsOptions): Promise<TestServer> {
  return startFaultServer(async (line) => {
    for (;;) {
      await line.request();
      line.send(okResponse('{"tls":true}'));
    }
  }, tls);
}

/** The URL of a server with the other scheme. */
function swapped({ url }: TestServer): URL {
  const scheme = url.protocol === 'http:' ? 'https:' : 'http:';
  return new URL(url.href.replace(url.protocol, scheme));
}

describe('a certificate that is refused', () => {
  const rows: [string, TlsOptions, TestOptions, DiagnosisCode, RegExp, host?: string][] = [
    [
      'self-signed',
      makeCertificate(),
      {},
      'tls-untrusted',
      /localhost is not trusted: it is self-s/,
    ],
    [
      'issuer not sent',
      good,
      {},
      'tls-untrusted',
      /issuer, Test Root, is neither known here nor sent/,
    ],
    [
      'issuer sent',
      { key: good.key, cert: good.cert + authority.cert },
      {},
      'tls-untrusted',
      /ends in a root certificate that isn.t trusted here/,
    ],
    [
      'expired',
      makeCertificate({ issuer, validFrom: -9, validTo: -3 }),
      trusting,
      'tls-expired',
      /of localhost expired on \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
    ],
    [
      'not valid yet',
      makeCertificate({ issuer, validFrom: 1, validTo: 3 }),
      trusting,
      'tls-expired',
      /is not valid before \d{4}-/,
    ],
    [
      'for other names',
      makeCertificate({ issuer, names: ['a.test', '*.b.test'], addresses: [] }),
      trusting,
      'tls-hostname',
      /localhost is for other host names: a\.test, \*\.b\.test\./,
    ],
    [
      'without names',
      makeCertificate({ issuer, commonName: 'old.test', names: [], addresses: [] }),
      trusting,
      'tls-hostname',
      /no name but its subject, old\.test\./,
    ],
    [
      'for names, reached by address',
      makeCertificate({ issuer, addresses: ['192.0.2.1'] }),
      trusting,
      'tls-hostname',
      /127\.0\.0\.1 is for other host names: localhost, 192\.0\.2\.1\./,
      '127.0.0.1',
    ],
  ];
  for (const [name, tls, options, code, message, host = 'localhost'] of rows) {
    it(`${name}: ${code}, not repeated and nothing sent, but with --insecure`, async () => {
      const server = await serving(tls);
      const url = new URL(server.url.href.replace('localhost', host));
      try {
        const exchange = await sendOnce(url, { ...options, retries: 2 });
        assertFailure(exchange, code, message);
        assert.deepEqual([exchange.attempts, server.connections()], [1, 1]);
        assert.equal(server.received.join(''), '');
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

  for (const [form, ca] of [
    ['PEM bytes among others', Buffer.from(`# roots\n${good.cert}\n${authority.cert}`)],
    ['DER', Buffer.from(authority.cert.replace(/-----.*-----|\s/g, ''), 'base64')],
  ] as const) {
    it(`by an added authority as ${form}`, async () => {
      assert.equal(bodyOf(await sendOnce(server.url, { ca })), '{"tls":true}');
    });
  }

  it('by NODE_EXTRA_CA_CERTS, also beside an added authority', () => {
    const folder = mkdtempSync(join(tmpdir(), 'authcli-ca-'));
    const extra = join(folder, 'extra.pem');
    writeFileSync(extra, authority.cert);
    const script = `
      import { readFileSync } from 'node:fs';
      import { startFaultServer, okResponse } from './test/support/fault-server.ts';
      import { sendOnce } from './test/support/client.ts';
      const server = await startFaultServer(async (line) => {
        await line.request();
        line.send(okResponse('{}'));
      }, ${JSON.stringify(good)});
      const ca = ${JSON.stringify(makeCertificate({ isAuthority: true }).cert)};
      const extraCa = readFileSync(${JSON.stringify(extra)});
      for (const options of [{}, { ca, extraCa }]) {
        console.log((await sendOnce(server.url, options)).response?.status);
      }
      await server.close();`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', script],
      { encoding: 'utf8', env: { ...process.env, NODE_EXTRA_CA_CERTS: extra } },
    );
    rmSync(folder, { recursive: true });
    assert.equal(stdout, '200\n200\n', stderr);
  });
});

describe('a kept TLS connection', () => {
  it('is timed once, and replaced, uncounted, where the peer closes it as it is used', async () => {
    const server = await startFaultServer(async (line) => {
      await line.request();
      line.send(okResponse('{}'));
      await line.request();
      line.send(okResponse('{}'));
      await line.request();
      line.socket.end();
    }, good);
    await withTransport(trusting, async (transport) => {
      const timed: boolean[] = [];
      for (let index = 0; index < 4; index += 1) {
        const exchange = await transport.send(post(server.url));
        assert.deepEqual([bodyOf(exchange), exchange.attempts], ['{}', 1]);
        timed.push(exchange.timings.tlsMs !== undefined);
      }
      assert.deepEqual(timed, [true, false, true, false]);
    }).finally(() => server.close());
  });
});

describe('a client certificate', () => {
  const client = makeCertificate({ commonName: 'client', issuer });
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    it(`is sent (${maxVersion}), and asked for where it is missing`, async () => {
      const demanding = { ca: authority.cert, requestCert: true, rejectUnauthorized: true };
      const server = await serving({ ...good, ...demanding, maxVersion });
      try {
        const identity = { cert: client.cert, certKey: client.key };
        const right = await sendOnce(server.url, { ...trusting, ...identity });
        assert.equal(bodyOf(right), '{"tls":true}');
        const failed = await sendOnce(server.url, trusting);
        assert.match(failed.failure?.code ?? '', /^(?:protocol-error|reset)$/);
      } finally {
        await server.close();
      }
    });
  }
});

describe('TLS options that cannot be used', () => {
  const broken = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
  const rows: [TestOptions, RegExp][] = [
    [{ ca: 'hello' }, /^No certificate was found among/],
    [{ ca: broken }, /can't be read/],
    [{ ca: Buffer.from([0x30, 0x03]) }, /can't be read/],
    [{ cert: good.cert }, /certificate without its key/],
    [{ certKey: good.key }, /key without its certificate/],
    [{ cert: good.cert, certKey: makeCertificate().key }, /can't be used together/],
    [{ cert: good.cert, certKey: 'hunter2' }, /^(?!.*hunter2).*can't be used together/],
  ];
  for (const [options, message] of rows) {
    it(`are refused before anything is sent: ${message.source}`, () => {
      const make = () =>
        createTransport({ timeoutMs: 1, now: Date.now, ...secretOptions(options) });
      assert.throws(make, { code: 'usage', message });
    });
  }
});

describe('TLS that is not agreed', () => {
  const silent = () => {};
  const rows: [string, () => Promise<TestServer>, TestOptions, DiagnosisCode, RegExp][] = [
    [
      'closed',
      () => startFaultServer((line) => void line.socket.destroy()),
      {},
      'reset',
      /while TLS was being agreed/,
    ],
    [
      'no reaction',
      () => startFaultServer(silent),
      { timeoutMs: 1000 },
      'timeout',
      /within 1 s: TLS had not been agreed/,
    ],
    [
      'http in the URL',
      () => serving(good),
      {},
      'protocol-error',
      /speaks TLS, but the URL starts/,
    ],
  ];
  for (const [name, start, options, code, message] of rows) {
    it(`${name}: ${code}`, async () => {
      const server = await start();
      assertFailure(await sendOnce(swapped(server), options), code, message);
      await server.close();
    });
  }

  it('by versions that don’t meet: the alert is named', async () => {
    const server = await serving({ ...good, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' });
    assertFailure(await sendOnce(server.url), 'tls-version', /neither TLS 1.2 nor TLS 1.3/);
    await server.close();
  });
});
