import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type DoctorCheck,
  judgeWay,
  type RequestFacts,
  type TlsFacts,
  type WayFacts,
} from '../../src/diagnosis/doctor.ts';
import type { Diagnosis } from '../../src/errors.ts';

const now = Date.UTC(2026, 0, 2, 3, 4, 5);
const dayMs = 86_400_000;
const v4 = { address: '192.0.2.1', family: 4, durationMs: 12.4 } as const;
const v6 = { address: '2001:db8::1', family: 6, durationMs: 3 } as const;
const refused: Diagnosis = {
  code: 'refused',
  message: 'Nothing listens.',
  hint: 'Start it.',
  calls: {},
};

const response: RequestFacts = {
  status: 405,
  allow: 'POST',
  date: new Date(now).toUTCString(),
  startedAt: now,
  durationMs: 40,
};

function tls(days: number, changes: Partial<TlsFacts> = {}): TlsFacts {
  const certificate = {
    subject: 'app.test',
    issuer: 'Test Root',
    names: ['app.test'],
    validFrom: now - dayMs,
    validTo: now + days * dayMs + 1000,
  };
  return { protocol: 'TLSv1.3', certificates: [certificate], insecure: false, ...changes };
}

function judge(changes: Partial<WayFacts>): ReadonlyMap<string, DoctorCheck> {
  const url = new URL('https://app.test/callback');
  const facts = { url, addresses: [v4], tls: tls(89), request: response, ...changes };
  return new Map(judgeWay(facts, now).map((check) => [check.id, check]));
}

interface Case {
  readonly title: string;
  readonly facts: Partial<WayFacts>;
  readonly id: string;
  readonly status: DoctorCheck['status'];
  readonly message: RegExp;
  readonly hint?: RegExp;
}

const plain = new URL('http://app.test/callback');
const expired: Diagnosis = {
  code: 'tls-expired',
  message: 'It expired.',
  hint: 'Renew it.',
  calls: {},
};
const redirect: Diagnosis = {
  code: 'redirect',
  message: 'It redirects.',
  hint: 'Use that URL.',
  calls: {},
};

const cases: readonly Case[] = [
  { title: 'a name', facts: {}, id: 'dns', status: 'ok', message: /^app\.test is 192\.0\.2\.1\.$/ },
  {
    title: 'an address',
    facts: { url: new URL('https://192.0.2.1/') },
    id: 'dns',
    status: 'ok',
    message: /^192\.0\.2\.1 needs no lookup\.$/,
  },
  {
    title: 'a name without an address',
    facts: {
      addresses: [],
      lookupFailure: { code: 'dns', message: 'No such name.', hint: 'Check it.', calls: {} },
    },
    id: 'dns',
    status: 'failure',
    message: /No such name/,
    hint: /Check it/,
  },
  { title: 'IPv4 alone', facts: {}, id: 'ipv6', status: 'ok', message: /No IPv6 address/ },
  {
    title: 'IPv4 that works',
    facts: {},
    id: 'ipv4',
    status: 'ok',
    message: /^192\.0\.2\.1 takes connections \(12 ms\)\.$/,
  },
  {
    title: 'IPv6 that is announced and does not work',
    facts: { addresses: [v4, { ...v6, failure: refused }] },
    id: 'ipv6',
    status: 'warning',
    message: /2001:db8::1 is announced and takes no connections\. Nothing listens/,
    hint: /remove that address from DNS/,
  },
  {
    title: 'no address that works',
    facts: { addresses: [{ ...v4, failure: refused }], tls: undefined, request: undefined },
    id: 'ipv4',
    status: 'failure',
    message: /Nothing listens/,
    hint: /Start it/,
  },
  {
    title: 'a certificate',
    facts: {},
    id: 'tls',
    status: 'ok',
    message: /^TLSv1\.3, a chain of 1, issued by Test Root, valid until 2026-04-01 \(89 days\)\.$/,
  },
  {
    title: 'a certificate that ends soon',
    facts: { tls: tls(1) },
    id: 'tls',
    status: 'warning',
    message: /\(1 day\)/,
    hint: /Renew the certificate now/,
  },
  {
    title: 'a certificate that ended',
    facts: { tls: tls(-1, { failure: expired }) },
    id: 'tls',
    status: 'failure',
    message: /It expired/,
    hint: /Renew it/,
  },
  {
    title: 'one that is accepted all the same',
    facts: { tls: tls(-1, { failure: expired, insecure: true }) },
    id: 'tls',
    status: 'warning',
    message: /It expired\. It is accepted anyway/,
  },
  {
    title: 'plain HTTP',
    facts: { url: plain, tls: undefined },
    id: 'tls',
    status: 'warning',
    message: /Plain HTTP: anyone on the way/,
    hint: /Use https/,
  },
  {
    title: 'plain HTTP on loopback',
    facts: { url: plain, tls: undefined, addresses: [{ ...v4, address: '127.0.0.1' }] },
    id: 'tls',
    status: 'ok',
    message: /only on this machine/,
  },
  {
    title: 'plain HTTP to a name of this machine that leads to another',
    facts: { url: new URL('http://app.localhost/callback'), tls: undefined },
    id: 'tls',
    status: 'warning',
    message: /Plain HTTP: anyone on the way/,
  },
  {
    title: 'a proxy',
    facts: { proxy: 'proxy.test:3128', addresses: [] },
    id: 'proxy',
    status: 'ok',
    message: /through the proxy proxy\.test:3128/,
  },
  {
    title: 'a redirect',
    facts: { request: { ...response, status: 301, failure: redirect } },
    id: 'redirect',
    status: 'failure',
    message: /It redirects/,
    hint: /Use that URL/,
  },
  {
    title: 'a request that failed',
    facts: { request: { startedAt: now, durationMs: 1, failure: refused } },
    id: 'request',
    status: 'failure',
    message: /Nothing listens/,
  },
  {
    title: 'an endpoint that takes POST',
    facts: {},
    id: 'request',
    status: 'ok',
    message: /^OPTIONS \/callback was answered with 405 in 40 ms; it takes POST\.$/,
  },
  {
    title: 'an endpoint that takes GET alone',
    facts: { request: { ...response, allow: 'GET, head' } },
    id: 'request',
    status: 'warning',
    message: /it takes GET, HEAD, and not POST/,
    hint: /Check the path/,
  },
  ...(
    [
      [404, 'ok', /answered with 404 in \d+ ms: nothing about POST/],
      [410, 'ok', /answered with 410/],
      [501, 'ok', /answered with 501/],
      [405, 'ok', /answered with 405/],
      [401, 'warning', /asks for a login first/],
      [403, 'warning', /asks for a login first/],
      [500, 'warning', /answered with 500/],
      [502, 'warning', /answered with 502/],
      [200, 'ok', /answered with 200/],
      [400, 'ok', /answered with 400/],
    ] as const
  ).map(([status, expected, message]) => ({
    title: `status ${status}`,
    facts: { request: { ...response, allow: undefined, status } },
    id: 'request',
    status: expected,
    message,
  })),
  {
    title: 'clocks that agree',
    facts: {},
    id: 'clock',
    status: 'ok',
    message: /differ by 0 s at most/,
  },
  {
    title: 'no Date',
    facts: { request: { ...response, date: 'yesterday' } },
    id: 'clock',
    status: 'ok',
    message: /no Date/,
  },
  {
    title: 'a clock that is slow',
    facts: { request: { ...response, date: new Date(now + 120_000).toUTCString() } },
    id: 'clock',
    status: 'warning',
    message: /^This clock is 120 s behind that of the other side\.$/,
    hint: /NTP/,
  },
  {
    title: 'a clock that is fast',
    facts: { request: { ...response, date: new Date(now - 31_000).toUTCString() } },
    id: 'clock',
    status: 'warning',
    message: /^This clock is 31 s ahead of/,
  },
];

describe('judgeWay', () => {
  for (const { title, facts, id, status, message, hint = /^/ } of cases) {
    it(`${id} of ${title}: ${status}`, () => {
      const check = judge(facts).get(id);
      assert.equal(check?.status, status);
      assert.match(check.message, message);
      assert.match(check.hint, hint);
      assert.equal(check.hint === '', status === 'ok');
      assert.equal(check.code === undefined, status !== 'failure');
    });
  }

  it('has each id once, in the order of the way', () => {
    const ids = [...judge({ addresses: [v4, v6] }).keys()];
    assert.deepEqual(ids, ['proxy', 'dns', 'ipv4', 'ipv6', 'tls', 'redirect', 'request', 'clock']);
  });

  it('says nothing of what was not reached', () => {
    const ids = [...judge({ addresses: [], tls: undefined, request: undefined }).keys()];
    assert.deepEqual(ids, ['proxy', 'dns']);
  });
});
