import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TlsOptions } from 'node:tls';
import { createTransport } from '../../src/client/transport.ts';
import { secretOptions } from '../../src/client/transport-options.ts';
import { AuthcliError } from '../../src/errors.ts';
import { makeCertificate } from '../support/certificates.ts';
import { assertFailure, bodyOf, sendOnce, type TestOptions } from '../support/client.ts';
import { startFaultServer } from '../support/fault-server.ts';
import { authority, good, serving, trusting } from './transport-tls.ts';

describe('a client certificate', () => {
  const client = makeCertificate({ commonName: 'client', issuer: authority });
  const demanding: TlsOptions = {
    ...good,
    ca: authority.cert,
    requestCert: true,
    rejectUnauthorized: true,
  };

  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    it(`is sent (${maxVersion}), and asked for where it is missing`, async () => {
      const server = await serving({ ...demanding, maxVersion });
      try {
        const identity = { cert: client.cert, certKey: client.key };
        assert.equal(
          bodyOf(await sendOnce(server.url, { ...trusting, ...identity })),
          '{"tls":true}',
        );
        const failed = await sendOnce(server.url, trusting);
        assert.match(failed.failure?.code ?? '', /^(?:protocol-error|reset)$/);
      } finally {
        await server.close();
      }
    });
  }
});

describe('TLS options that cannot be used', () => {
  const other = makeCertificate();
  const bad: readonly (readonly [string, TestOptions, RegExp])[] = [
    ['no certificate among the authorities', { ca: 'hello' }, /No certificate was found among/],
    [
      'a broken certificate',
      { ca: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----' },
      /can't be read/,
    ],
    ['bytes that are no certificate', { ca: Buffer.from([0x30, 0x03]) }, /can't be read/],
    ['a certificate without its key', { cert: good.cert }, /certificate without its key/],
    ['a key without its certificate', { certKey: good.key }, /key without its certificate/],
    ['a key of another pair', { cert: good.cert, certKey: other.key }, /can't be used together/],
    ['a key that is none', { cert: good.cert, certKey: 'hunter2' }, /can't be used together/],
  ];
  for (const [name, options, message] of bad) {
    it(`${name}: refused before anything is sent`, () => {
      const make = () =>
        createTransport({ timeoutMs: 1, now: Date.now, ...secretOptions(options) });
      assert.throws(make, (error) => {
        assert.ok(error instanceof AuthcliError);
        assert.equal(error.code, 'usage');
        assert.match(error.message, message);
        assert.doesNotMatch(error.message + error.hint, /hunter2|PRIVATE/);
        return true;
      });
    });
  }
});

describe('TLS that is not agreed', () => {
  it('by versions that don’t meet: the alert is named', async () => {
    const server = await serving({ ...good, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' });
    try {
      assertFailure(await sendOnce(server.url), 'tls-version', /neither TLS 1.2 nor TLS 1.3/);
    } finally {
      await server.close();
    }
  });

  it('since the server closes: reset', async () => {
    const server = await startFaultServer((line) => void line.socket.destroy());
    const url = new URL(server.url.href.replace('http:', 'https:'));
    try {
      assertFailure(await sendOnce(url), 'reset', /while TLS was being agreed/);
    } finally {
      await server.close();
    }
  });

  it('since the server waits: timeout', async () => {
    const server = await startFaultServer(() => {});
    const url = new URL(server.url.href.replace('http:', 'https:'));
    try {
      const exchange = await sendOnce(url, { timeoutMs: 1000 });
      assertFailure(exchange, 'timeout', /within 1 s: TLS had not been agreed/);
    } finally {
      await server.close();
    }
  });

  it('since the URL says http: TLS is named', async () => {
    const server = await serving(good);
    const url = new URL(server.url.href.replace('https:', 'http:'));
    try {
      assertFailure(
        await sendOnce(url),
        'protocol-error',
        /speaks TLS, but the URL starts with http/,
      );
    } finally {
      await server.close();
    }
  });
});
