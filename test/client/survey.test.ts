import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import dns from 'node:dns/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { after, before, describe, it, mock } from 'node:test';
import { surveyWay } from '../../src/client/survey.ts';
import { createTransport } from '../../src/client/transport.ts';
import type { TransportOptions } from '../../src/client/transport-options.ts';
import type { WayFacts } from '../../src/diagnosis/doctor.ts';
import { AuthcliError } from '../../src/errors.ts';
import { makeCertificate } from '../support/certificates.ts';
import { listen, type TestServer } from '../support/fault-server.ts';
import { startProxy } from '../support/proxy.ts';

const authority = makeCertificate({ commonName: 'Test Root', isAuthority: true });
const good = makeCertificate({ commonName: 'app.test', issuer: authority, validTo: 90 });
const expired = makeCertificate({ issuer: authority, validFrom: -9, validTo: -1 });

const seen: string[] = [];
const endpoint: RequestListener = (request, response) => {
  seen.push(`${request.method} ${request.url}`);
  if (request.url === '/moved') {
    response.writeHead(301, { location: '/callback' }).end();
    return;
  }
  response.writeHead(405, { allow: 'POST' }).end('method not allowed');
};

type LookUp = (host: string) => Promise<LookupAddress[]>;

const loopback: LookUp = async () => [{ address: '127.0.0.1', family: 4 }];

async function survey(
  url: URL,
  options: Partial<TransportOptions> = {},
  lookUp: LookUp = loopback,
): Promise<WayFacts> {
  const whole = { timeoutMs: 60_000, now: Date.now, ...options };
  const transport = createTransport(whole);
  const mocked = mock.method(dns, 'lookup', lookUp);
  syncBuiltinESMExports();
  return surveyWay(url, whole, transport).finally(() => {
    mocked.mock.restore();
    syncBuiltinESMExports();
    return transport.close();
  });
}

const ca = authority.cert;
const notNeeded: LookUp = () => assert.fail('looked up');

const servers: TestServer[] = [];
let plain: TestServer;
let secure: TestServer;
let outdated: TestServer;
before(async () => {
  plain = await listen(createServer(endpoint), 'http');
  secure = await listen(createTlsServer(good, endpoint), 'https');
  outdated = await listen(createTlsServer(expired, endpoint), 'https');
  servers.push(plain, secure, outdated);
});
after(() => Promise.all(servers.map((server) => server.close())));

describe('surveyWay', () => {
  it('sees the whole way to a plain endpoint, and sends OPTIONS alone', async () => {
    seen.length = 0;
    const { addresses, request, ...others } = await survey(plain.url);
    const way = { lookupFailure: undefined, proxy: undefined, tls: undefined, url: plain.url };
    assert.deepEqual({ ...way, ...others }, way);
    assert.deepEqual(
      addresses.map(({ address, family, failure }) => [address, family, failure]),
      [['127.0.0.1', 4, undefined]],
    );
    assert.deepEqual([request?.status, request?.allow], [405, 'POST']);
    assert.ok(Math.abs(Date.parse(request?.date ?? '') - Date.now()) < 3_600_000);
    assert.deepEqual(seen, ['OPTIONS /callback']);
  });

  it('tries one address of each family, and goes on if one works', async () => {
    const lookUp: LookUp = async () => [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
      { address: '192.0.2.1', family: 4 },
    ];
    const { addresses, request } = await survey(plain.url, {}, lookUp);
    const found = addresses.map(({ address, failure }) => `${address} ${failure === undefined}`);
    assert.deepEqual(found, ['127.0.0.1 true', '::1 false']);
    assert.equal(request?.status, 405);
  });

  it('ends where the name has no address', async () => {
    const lookUp: LookUp = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    const { lookupFailure, addresses, request } = await survey(plain.url, {}, lookUp);
    assert.equal(lookupFailure?.code, 'dns');
    assert.deepEqual([addresses, request], [[], undefined]);
  });

  it('bounds a look-up that never ends', async () => {
    const lookUp: LookUp = () => new Promise(() => {});
    const { lookupFailure } = await survey(plain.url, { timeoutMs: 5 }, lookUp);
    assert.equal(lookupFailure?.code, 'timeout');
    assert.match(lookupFailure.message, /within 5 ms: its name was still being looked up/);
  });

  it('sees a redirect', async () => {
    const { request } = await survey(new URL('/moved', plain.url));
    assert.deepEqual([request?.failure?.code, request?.status], ['redirect', 301]);
  });

  it('reads a certificate, and sends nothing where it is not trusted', async () => {
    const { tls, request } = await survey(secure.url, { ca });
    const [certificate] = tls?.certificates ?? [];
    const found = [tls?.failure, certificate?.subject, certificate?.issuer, request?.status];
    assert.deepEqual(found, [undefined, 'app.test', 'Test Root', 405]);
    assert.match(tls?.protocol ?? '', /^TLSv1\.[23]$/);
    seen.length = 0;
    assert.equal((await survey(secure.url)).tls?.failure?.code, 'tls-untrusted');
    const old = await survey(outdated.url, { ca });
    assert.equal(old.tls?.failure?.code, 'tls-expired');
    assert.notEqual(old.tls.certificates.length, 0);
    assert.deepEqual(seen, []);
    const insecure = await survey(outdated.url, { ca, insecure: true });
    assert.deepEqual([insecure.tls?.insecure, insecure.request?.status], [true, 405]);
  });

  it('leaves addresses to a proxy', async () => {
    const proxy = await startProxy();
    servers.push(proxy);
    const options = { proxy: { https: proxy.url.origin }, ca };
    const facts = await survey(secure.url, options, notNeeded);
    const found = [facts.proxy, facts.tls?.certificates[0]?.subject, facts.request?.status];
    assert.deepEqual(found, [`the proxy ${proxy.url.host}`, 'app.test', 405]);
  });

  it('rejects with the reason of the signal, and with nothing else', async () => {
    const controller = new AbortController();
    const reason = new AuthcliError('interrupted', 'Interrupted.');
    const lookUp: LookUp = () => {
      controller.abort(reason);
      return new Promise(() => {});
    };
    await assert.rejects(survey(plain.url, { signal: controller.signal }, lookUp), reason);
  });
});
