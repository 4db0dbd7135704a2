import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TlsOptions } from 'node:tls';
import { createTransport } from '../../src/client/transport.ts';
import type { TransportOptions } from '../../src/client/transport-options.ts';
import type { DiagnosisCode } from '../../src/errors.ts';
import { makeCertificate } from '../support/certificates.ts';
import { assertFailure, bodyOf, exchangeWith, pass, sendOnce } from '../support/client.ts';
import { always, okResponse, startFaultServer } from '../support/fault-server.ts';

const authority = makeCertificate({ commonName: 'Test Root', isAuthority: true });
const issuer = authority;
const good = makeCertificate({ commonName: 'app.test', issuer });
const withIssuer = { key: good.key, cert: good.cert + authority.cert };
const outdated = makeCertificate({ issuer, validFrom: -9, validTo: -3 });
const early = makeCertificate({ issuer, validFrom: 1, validTo: 3 });
const named = makeCertificate({ issuer, names: ['a.test', '*.b.test'], addresses: [] });
const nameless = makeCertificate({ issuer, commonName: 'old.test', names: [], addresses: [] });
const elsewhere = makeCertificate({ issuer, addresses: ['192.0.2.1'] });

const responding = always(okResponse('{"tls":true}'));

describe('a certificate that is refused', () => {
  const rows: [string, TlsOptions, ca: string | undefined, DiagnosisCode, RegExp, host?: string][] =
    [
      ['self-signed', authority, undefined, 'tls-untrusted', /localhost is not trusted: it is se/],
      ['issuer not sent', good, undefined, 'tls-untrusted', /issuer, Test Root, is neither known/],
      ['issuer sent', withIssuer, undefined, 'tls-untrusted', /ends in a root certificate that is/],
      ['expired', outdated, issuer.cert, 'tls-expired', /of localhost expired on .{10} .{5} UTC/],
      ['not valid yet', early, issuer.cert, 'tls-expired', /is not valid before \d{4}-/],
      ['named', named, issuer.cert, 'tls-hostname', /is for other host names: a\.test, \*\.b\.t/],
      ['nameless', nameless, issuer.cert, 'tls-hostname', /no name but its subject, old\.test\./],
      ['other', elsewhere, issuer.cert, 'tls-hostname', /: localhost, 192\.0\.2\.1\./, '127.0.0.1'],
    ];
  for (const [name, tls, ca, code, message, host = 'localhost'] of rows) {
    it(`${name}: ${code}, not repeated and nothing sent, but with --insecure`, async () => {
      const server = await startFaultServer(responding, tls);
      const url = new URL(server.url.href.replace('localhost', host));
      try {
        const exchange = await sendOnce(url, { ca, retries: 2 });
        assertFailure(exchange, code, message);
        assert.ok(exchange.failure?.message.includes(`certificate of ${host} `));
        assert.deepEqual([exchange.attempts, server.connections()], [1, 1]);
        assert.equal(server.received.join(''), '');
        const accepted = await sendOnce(url, { ca, insecure: true });
        assert.equal(bodyOf(accepted), '{"tls":true}');
      } finally {
        await server.close();
      }
    });
  }
});

it('trusts an added authority in PEM and DER, beside those of NODE_EXTRA_CA_CERTS', async () => {
  const other = makeCertificate({ isAuthority: true }).cert;
  const added: Partial<TransportOptions>[] = [
    { ca: Buffer.from(`# roots\n${other}\n${authority.cert}`) },
    { ca: Buffer.from(authority.cert.replace(/-----.*-----|\s/g, ''), 'base64') },
    { ca: other, extraCa: authority.cert },
    { ca: authority.cert, extraCa: 'none' },
  ];
  for (const options of added) {
    const { exchange } = await exchangeWith(responding, options, good);
    assert.equal(bodyOf(exchange), '{"tls":true}');
  }
});

describe('a client certificate', () => {
  const ca = authority.cert;
  it('is sent, and asked for where it is missing', async () => {
    const demanding = { ...good, ca, requestCert: true, rejectUnauthorized: true };
    const identity = { cert: good.cert, certKey: good.key };
    const right = await exchangeWith(responding, { ca, ...identity }, demanding);
    assert.equal(bodyOf(right.exchange), '{"tls":true}');
    const { exchange } = await exchangeWith(responding, { ca }, demanding);
    assert.match(exchange.failure?.code ?? '', /^(?:protocol-error|reset)$/);
  });
});

describe('TLS options that cannot be used', () => {
  const broken = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
  const rows: [Partial<TransportOptions>, RegExp][] = [
    [{ ca: 'hello' }, /^No certificate was found among/],
    [{ ca: broken }, /can't be read/],
    [{ ca: Buffer.from([0x30, 0x03]) }, /can't be read/],
    [{ cert: good.cert }, /certificate without its key/],
    [{ certKey: good.key }, /key without its certificate/],
    [{ cert: good.cert, certKey: authority.key }, /can't be used together/],
    [{ cert: good.cert, certKey: 'hunter2' }, /^(?!.*hunter2).*can't be used together/],
  ];
  it('are refused before anything is sent', () => {
    for (const [options, message] of rows) {
      const whole = { timeoutMs: 1, now: Date.now, ...options };
      assert.throws(() => createTransport(whole), { code: 'usage', message });
    }
  });
});

describe('TLS that is not agreed', () => {
  it('because the peer cuts it off: reset', async () => {
    const server = await startFaultServer(({ socket }) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    const url = new URL(`https://localhost:${server.port}`);
    const exchange = await sendOnce(url).finally(() => server.close());
    assertFailure(exchange, 'reset', /while TLS was being agreed/);
  });

  it('because the peer does not react: timeout', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const server = await startFaultServer(() => pass(mock.timers, 1000));
    const url = new URL(`https://localhost:${server.port}`);
    const exchange = await sendOnce(url, { timeoutMs: 1000 }).finally(() => server.close());
    assertFailure(exchange, 'timeout', /within 1 s: TLS had not been agreed/);
  });

  it('because no version is common: the alert is named', async () => {
    const old = { ...good, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' } as const;
    const { exchange } = await exchangeWith(responding, {}, old);
    assertFailure(exchange, 'tls-version', /neither TLS 1.2 nor TLS 1.3/);
  });
});
