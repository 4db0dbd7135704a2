import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { TlsOptions } from 'node:tls';
import { createTransport } from '../../src/client/transport.ts';
import { secretOptions } from '../../src/client/transport-options.ts';
import type { Diagnosis } from '../../src/errors.ts';
import { AuthcliError } from '../../src/errors.ts';
import { type Identity, makeCertificate } from '../support/certificates.ts';
import {
  assertFailure,
  bodyOf,
  post,
  sendOnce,
  type TestOptions,
  withTransport,
} from '../support/client.ts';
import { okAnswer, startFaultServer, type TestServer } from '../support/fault-server.ts';

const authority = makeCertificate({ commonName: 'Test Root', isAuthority: true });
const good = makeCertificate({ commonName: 'app.test', issuer: authority });

function serving(tls: TlsOptions): Promise<TestServer> {
  return startFaultServer(async (line) => {
    for (;;) {
      await line.request();
      line.send(okAnswer('{"tls":true}'));
    }
  }, tls);
}

interface Case {
  readonly name: string;
  readonly tls: TlsOptions;
  readonly options?: TestOptions;
  readonly host?: string;
  readonly code: Diagnosis['code'];
  readonly message: RegExp;
  readonly hint?: RegExp;
}

const trusting = { ca: authority.cert };

const cases: readonly Case[] = [
  {
    name: 'signed by itself',
    tls: makeCertificate(),
    code: 'tls-untrusted',
    message: /certificate of localhost is not trusted: it is self-signed/,
    hint: /Trust this certificate/,
  },
  {
    name: 'an authority that is not known, and not sent',
    tls: good,
    code: 'tls-untrusted',
    message: /its issuer, Test Root, is neither known here nor sent along/,
    hint: /intermediate/,
  },
  {
    name: 'an authority that is not known, sent along',
    tls: { key: good.key, cert: good.cert + authority.cert },
    code: 'tls-untrusted',
    message: /ends in a root certificate that isn.t trusted here/,
  },
  {
    name: 'expired',
    tls: makeCertificate({ issuer: authority, validFrom: -9, validTo: -3 }),
    options: trusting,
    code: 'tls-expired',
    message: /The certificate of localhost expired on \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
    hint: /Renew/,
  },
  {
    name: 'not valid yet',
    tls: makeCertificate({ issuer: authority, validFrom: 1, validTo: 3 }),
    options: trusting,
    code: 'tls-expired',
    message: /is not valid before \d{4}-/,
    hint: /clocks/,
  },
  {
    name: 'for other names',
    tls: makeCertificate({ issuer: authority, names: ['a.test', '*.b.test'], addresses: [] }),
    options: trusting,
    code: 'tls-hostname',
    message: /certificate of localhost is for other host names: a\.test, \*\.b\.test\./,
    hint: /localhost in its subjectAltName/,
  },
  {
    name: 'for no name at all',
    tls: makeCertificate({ issuer: authority, commonName: 'old.test', names: [], addresses: [] }),
    options: trusting,
    code: 'tls-hostname',
    message: /no name but its subject, old\.test\./,
  },
  {
    name: 'for names, reached by address',
    tls: makeCertificate({ issuer: authority, addresses: ['192.0.2.1'] }),
    options: trusting,
    host: '127.0.0.1',
    code: 'tls-hostname',
    message: /certificate of 127\.0\.0\.1 is for other host names: localhost, 192\.0\.2\.1\./,
  },
];

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

/** Which settings trust `identity` in a process that starts with NODE_EXTRA_CA_CERTS. */
function contextOutcomes(folder: string, identity: Identity): readonly string[] {
  const script = `
    import { readFileSync } from 'node:fs';
    import { startFaultServer, okAnswer } from './test/support/fault-server.ts';
    import { sendOnce } from './test/support/client.ts';
    const server = await startFaultServer(async (line) => {
      await line.request();
      line.send(okAnswer('{}'));
    }, ${JSON.stringify(identity)});
    const ca = readFileSync(${JSON.stringify(join(folder, 'other.pem'))}, 'utf8');
    const trusted = [];
    if ((await sendOnce(server.url)).answer) trusted.push('extra');
    const extraCa = readFileSync(${JSON.stringify(join(folder, 'extra.pem'))});
    if ((await sendOnce(server.url, { ca, extraCa })).answer) trusted.push('extra and other');
    await server.close();
    console.log(JSON.stringify(trusted));`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', script],
    {
      encoding: 'utf8',
      env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'extra.pem') },
      timeout: 30_000,
    },
  );
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout);
}

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
      assertFailure(await sendOnce(server.url), 'protocol-error', /refused TLS|no HTTP|failed/);
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

describe('a kept TLS connection', () => {
  it('is replaced, uncounted, where the peer closes it as it is used', async () => {
    const server = await startFaultServer(async (line) => {
      await line.request();
      line.send(okAnswer('{}'));
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
