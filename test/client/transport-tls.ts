import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import type { Diagnosis } from '../../src/errors.ts';
import { type Identity, makeCertificate } from '../support/certificates.ts';
import type { TestOptions } from '../support/client.ts';
import { okResponse, startFaultServer, type TestServer } from '../support/fault-server.ts';

export const authority = makeCertificate({ commonName: 'Test Root', isAuthority: true });
export const good = makeCertificate({ commonName: 'app.test', issuer: authority });

/** An endpoint that responds to every request, with this certificate. */
export function serving(tls: TlsOptions): Promise<TestServer> {
  return startFaultServer(async (line) => {
    for (;;) {
      await line.request();
      line.send(okResponse('{"tls":true}'));
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

export const trusting = { ca: authority.cert };

/** Certificates that are refused, and what is said of them. */
export const cases: readonly Case[] = [
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

/** Which settings trust `identity` in a process that starts with NODE_EXTRA_CA_CERTS. */
export function contextOutcomes(folder: string, identity: Identity): readonly string[] {
  const script = `
    import { readFileSync } from 'node:fs';
    import { startFaultServer, okResponse } from './test/support/fault-server.ts';
    import { sendOnce } from './test/support/client.ts';
    const server = await startFaultServer(async (line) => {
      await line.request();
      line.send(okResponse('{}'));
    }, ${JSON.stringify(identity)});
    const ca = readFileSync(${JSON.stringify(join(folder, 'other.pem'))}, 'utf8');
    const trusted = [];
    if ((await sendOnce(server.url)).response) trusted.push('extra');
    const extraCa = readFileSync(${JSON.stringify(join(folder, 'extra.pem'))});
    if ((await sendOnce(server.url, { ca, extraCa })).response) trusted.push('extra and other');
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
