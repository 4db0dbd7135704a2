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
const failure = (message: string, hint: string): Diagnosis => ({
  code: 'refused',
  confidence: 'certain',
  message,
  hint,
  calls: {},
});
const refused = failure('Nothing listens.', 'Start it.');
const redirect: Diagnosis = { ...failure('It redirects.', 'Use that URL.'), code: 'redirect' };
const expired = failure('It expired.', 'Renew it.');

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

const plain = { url: new URL('http://app.test/callback'), tls: undefined };
const away = { url: new URL('http://app.localhost/callback'), tls: undefined };
const local = { ...v4, address: '127.0.0.1' };
const deadV6 = { addresses: [v4, { ...v6, failure: refused }] };
const unknown = { addresses: [], lookupFailure: failure('No such name.', 'Check it.') };
const clock = (aheadMs: number): Partial<WayFacts> => ({
  request: { ...response, date: new Date(now + aheadMs).toUTCString() },
});
const answering = (status: number): Partial<WayFacts> => ({
  request: { ...response, allow: undefined, status },
});

type Row = readonly [Partial<WayFacts>, DoctorCheck['status'], message: RegExp, hint?: RegExp];

/** By check, what was seen, and what is said of it. */
const cases: Readonly<Record<string, readonly Row[]>> = {
  proxy: [[{ proxy: 'the proxy p.test:3128', addresses: [] }, 'ok', /the proxy p\.test:3128/]],
  dns: [
    [{}, 'ok', /^app\.test is 192\.0\.2\.1\.$/],
    [{ url: new URL('https://192.0.2.1/') }, 'ok', /^192\.0\.2\.1 needs no lookup\.$/],
    [unknown, 'failure', /No such name/, /Check it/],
  ],
  ipv4: [
    [{}, 'ok', /^192\.0\.2\.1 takes connections \(12 ms\)\.$/],
    [{ addresses: [{ ...v4, failure: refused }] }, 'failure', /Nothing listens/, /Start it/],
  ],
  ipv6: [
    [{}, 'ok', /No IPv6 address/],
    [deadV6, 'warning', /2001:db8::1 is announced and takes no con.* Nothing/, /that address from/],
  ],
  tls: [
    [{}, 'ok', /^TLSv1\.3, a chain of 1, issued by Test Root, valid .* 2026-04-01 \(89 days\)\.$/],
    [{ tls: tls(1) }, 'warning', /\(1 day\)/, /Renew the certificate now/],
    [{ tls: tls(-1, { failure: expired }) }, 'failure', /It expired/, /Renew it/],
    [{ tls: tls(-1, { failure: expired, insecure: true }) }, 'warning', /accepted anyway/],
    [plain, 'warning', /Plain HTTP: anyone on the way/, /Use https/],
    [{ ...plain, addresses: [local] }, 'ok', /only on this machine/],
    [away, 'warning', /Plain HTTP: anyone on the way/],
  ],
  redirect: [
    [{ request: { ...response, failure: redirect } }, 'failure', /It redirects/, /that U/],
  ],
  request: [
    [{ request: { ...response, failure: refused } }, 'failure', /Nothing listens/],
    [{}, 'ok', /^OPTIONS \/callback was answered with 405 in 40 ms; it takes POST\.$/],
    [{ request: { ...response, allow: 'GET, head' } }, 'warning', /GET, HEAD, and not/, /the path/],
    [answering(404), 'ok', /answered with 404 in \d+ ms: nothing about POST/],
    [answering(501), 'ok', /nothing about POST/],
    [answering(401), 'warning', /asks for a login first/],
    [answering(403), 'warning', /asks for a login first/],
    [answering(500), 'warning', /answered with 500/],
    [answering(400), 'ok', /answered with 400/],
  ],
  clock: [
    [{}, 'ok', /differ by 0 s at most/],
    [{ request: { ...response, date: 'yesterday' } }, 'ok', /no Date/],
    [clock(120_000), 'warning', /^This clock is 120 s behind that of the other side\.$/, /NTP/],
    [clock(-31_000), 'warning', /^This clock is 31 s ahead of/],
  ],
};

describe('judgeWay', () => {
  for (const [id, rows] of Object.entries(cases)) {
    it(`judges ${id}`, () => {
      for (const [facts, status, message, hint = /^/] of rows) {
        const check = judge(facts).get(id);
        assert.equal(check?.status, status, message.source);
        assert.match(check.message, message);
        assert.match(check.hint, hint);
        assert.equal(check.hint === '', status === 'ok');
        assert.equal(check.code === undefined, status !== 'failure');
      }
    });
  }

  it('has each id once, in the order of the way, and none of what was not reached', () => {
    const ids = [...judge({ addresses: [v4, v6] }).keys()];
    assert.deepEqual(ids, ['proxy', 'dns', 'ipv4', 'ipv6', 'tls', 'redirect', 'request', 'clock']);
    const reached = judge({ addresses: [], tls: undefined, request: undefined });
    assert.deepEqual([...reached.keys()], ['proxy', 'dns']);
  });
});
