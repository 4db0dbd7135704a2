import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connectionCatalogue } from '../../src/diagnosis/catalogue/connection.ts';
import { diagnoseConnection } from '../../src/diagnosis/connection.ts';
import {
  type CertificateFacts,
  type ConnectionFacts,
  phases,
} from '../../src/diagnosis/connection-facts.ts';
import { saysTlsIsWanted } from '../../src/diagnosis/connection-protocol.ts';
import { connectionCodes, type DiagnosisCode } from '../../src/errors.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';

const target = new URL('https://app.test:8443/callback?token=hunter2');
const proxy = new URL('http://proxy.test:3128');
const day = 24 * 3600 * 1000;
const now = Date.UTC(2026, 0, 2);

const leaf: CertificateFacts = {
  subject: 'app.test',
  issuer: 'Some Authority',
  names: ['a.test', 'b.test'],
  validFrom: now - 10 * day,
  validTo: now + 10 * day,
};

type Facts = Partial<ConnectionFacts>;
type Case = readonly [facts: Facts, code: DiagnosisCode, message: string, hint: RegExp];

const cases: readonly Case[] = [
  // the time limit, by phase
  [
    { phase: 'lookup', timeoutMs: 10_000 },
    'timeout',
    'No response from app.test:8443 within 10 s: its name was still being looked up.',
    /resolver/,
  ],
  [
    { phase: 'connect', timeoutMs: 1500 },
    'timeout',
    'No response from app.test:8443 within 1500 ms: no connection had been made.',
    /firewall/,
  ],
  [
    { phase: 'proxy', timeoutMs: 1000, proxy, atProxy: true },
    'timeout',
    'No response from the proxy proxy.test:3128 within 1 s: the proxy had not opened a tunnel.',
    /proxy/,
  ],
  [
    { phase: 'tls', timeoutMs: 1000 },
    'timeout',
    'No response from app.test:8443 within 1 s: TLS had not been agreed.',
    /plain HTTP/,
  ],
  [
    { phase: 'request', timeoutMs: 1000 },
    'timeout',
    'No response from app.test:8443 within 1 s: the request had not been sent completely.',
    /isn't being read/,
  ],
  [
    { phase: 'first-byte', timeoutMs: 1000 },
    'timeout',
    'No response from app.test:8443 within 1 s: the response headers had not arrived.',
    /handler/,
  ],
  [
    { phase: 'body', timeoutMs: 1000, bodyBytes: 3 },
    'timeout',
    'No response from app.test:8443 within 1 s: the body of the response was not complete (3 bytes of it had arrived).',
    /close the body/,
  ],
  [
    { phase: 'body', timeoutMs: 1000, bodyBytes: 3, announcedBytes: 9 },
    'timeout',
    'No response from app.test:8443 within 1 s: the body of the response was not complete (3 of the 9 bytes that Content-Length announces had arrived).',
    /finish/,
  ],
  [
    { phase: 'connect', errorCode: 'ETIMEDOUT' },
    'timeout',
    'The network gave up on app.test:8443: no connection had been made.',
    /firewall/,
  ],
  // names and addresses
  [
    { phase: 'lookup', errorCode: 'ENOTFOUND' },
    'dns',
    'The name app.test has no address.',
    /spelling/,
  ],
  [
    { phase: 'lookup', errorCode: 'EAI_AGAIN' },
    'dns',
    'The name app.test could not be looked up: no name server answered.',
    /network/,
  ],
  [
    { phase: 'lookup', errorCode: 'ENOTFOUND', proxy, atProxy: true },
    'dns',
    'The proxy proxy.test has no address.',
    /spelling/,
  ],
  [
    { phase: 'connect', errorCode: 'ECONNREFUSED' },
    'refused',
    'No connection to app.test:8443: nothing listens there, or a firewall refuses (ECONNREFUSED).',
    /server is running/,
  ],
  [
    { phase: 'connect', errorCode: 'ENETUNREACH', proxy, atProxy: true },
    'refused',
    'No connection to the proxy proxy.test:3128: no route to its network (ENETUNREACH).',
    /server is running/,
  ],
  // certificates
  [
    { phase: 'tls', verifyCode: 'DEPTH_ZERO_SELF_SIGNED_CERT', certificates: [leaf] },
    'tls-untrusted',
    'The certificate of app.test is not trusted: it is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT).',
    /Trust/,
  ],
  [
    { phase: 'tls', verifyCode: 'SELF_SIGNED_CERT_IN_CHAIN' },
    'tls-untrusted',
    "The certificate of app.test is not trusted: its chain ends in a root certificate that isn't trusted here (SELF_SIGNED_CERT_IN_CHAIN).",
    /private CA/,
  ],
  [
    { phase: 'tls', verifyCode: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', certificates: [leaf] },
    'tls-untrusted',
    'The certificate of app.test is not trusted: its issuer, Some Authority, is neither known here nor sent along (UNABLE_TO_VERIFY_LEAF_SIGNATURE).',
    /full chain/,
  ],
  [
    { phase: 'tls', verifyCode: 'CERT_REVOKED' },
    'tls-untrusted',
    'The certificate of app.test is not trusted: it was revoked (CERT_REVOKED).',
    /new certificate/,
  ],
  [
    { phase: 'tls', verifyCode: 'CERT_CHAIN_TOO_LONG' },
    'tls-untrusted',
    'The certificate of app.test is not trusted: its chain does not verify (CERT_CHAIN_TOO_LONG).',
    /chain/,
  ],
  [
    {
      phase: 'tls',
      verifyCode: 'CERT_HAS_EXPIRED',
      now,
      certificates: [{ ...leaf, validTo: now - day }],
    },
    'tls-expired',
    'The certificate of app.test expired on 2026-01-01 00:00 UTC.',
    /Renew/,
  ],
  [
    {
      phase: 'tls',
      verifyCode: 'CERT_HAS_EXPIRED',
      now,
      certificates: [leaf, { ...leaf, subject: 'Some Authority', validTo: now - day }],
    },
    'tls-expired',
    'The certificate of app.test (Some Authority, above it in the chain) expired on 2026-01-01 00:00 UTC.',
    /Renew/,
  ],
  [
    {
      phase: 'tls',
      verifyCode: 'CERT_NOT_YET_VALID',
      now,
      certificates: [{ ...leaf, validFrom: now + day }],
    },
    'tls-expired',
    'The certificate of app.test is not valid before 2026-01-03 00:00 UTC.',
    /clocks/,
  ],
  [
    { phase: 'tls', verifyCode: 'ERR_TLS_CERT_ALTNAME_INVALID', certificates: [leaf] },
    'tls-hostname',
    'The certificate of app.test is for other host names: a.test, b.test.',
    /app\.test in its subjectAltName/,
  ],
  [
    {
      phase: 'tls',
      verifyCode: 'ERR_TLS_CERT_ALTNAME_INVALID',
      certificates: [{ ...leaf, names: 'abcdefghij'.split('') }],
    },
    'tls-hostname',
    'The certificate of app.test is for other host names: a, b, c, d, e, f, g, h and 2 more.',
    /subjectAltName/,
  ],
  // another protocol
  [
    { phase: 'tls', tlsAlert: 40 },
    'protocol-error',
    'app.test:8443 refused TLS: no common cipher or parameters (handshake_failure).',
    /client certificate/,
  ],
  [
    { phase: 'tls', tlsAlert: 70 },
    'tls-version',
    'app.test:8443 supports neither TLS 1.2 nor TLS 1.3 (protocol_version).',
    /TLS 1\.2/,
  ],
  [
    { phase: 'tls', errorCode: 'ERR_SSL_UNSUPPORTED_PROTOCOL' },
    'tls-version',
    'app.test:8443 supports neither TLS 1.2 nor TLS 1.3 (ERR_SSL_UNSUPPORTED_PROTOCOL).',
    /TLS 1\.2/,
  ],
  [
    { phase: 'first-byte', tlsAlert: 116 },
    'protocol-error',
    'app.test:8443 refused TLS: it requires a client certificate, but none was sent (certificate_required).',
    /client certificate/,
  ],
  [
    { phase: 'tls', tlsAlert: 99 },
    'protocol-error',
    'app.test:8443 refused TLS: it sent the TLS alert 99.',
    /log/,
  ],
  [
    { phase: 'tls', speaks: 'http', errorCode: 'EPROTO' },
    'protocol-error',
    'app.test:8443 speaks plain HTTP, but the URL starts with https.',
    /http:\/\//,
  ],
  [
    { phase: 'first-byte', speaks: 'tls', errorCode: 'ECONNRESET' },
    'protocol-error',
    'app.test:8443 speaks TLS, but the URL starts with http.',
    /https:\/\//,
  ],
  [
    {
      phase: 'first-byte',
      unreadable: 'Expected HTTP/',
      firstBytes: Buffer.from('1503030002', 'hex'),
    },
    'protocol-error',
    'app.test:8443 speaks TLS, but the URL starts with http.',
    /https:\/\//,
  ],
  [
    { phase: 'first-byte', unreadable: 'Expected HTTP/', firstBytes: Buffer.from('\u001b[2J"hi"') },
    'protocol-error',
    'What app.test:8443 sent is not HTTP/1.1 (Expected HTTP/; it stopped at "\\u001b[2J"hi"").',
    /port/,
  ],
  [
    { phase: 'body', unreadable: 'Invalid character in chunk size' },
    'protocol-error',
    'What app.test:8443 sent is not HTTP/1.1 (Invalid character in chunk size).',
    /library/,
  ],
  [
    { phase: 'first-byte', errorCode: 'UND_ERR_HEADERS_OVERFLOW' },
    'protocol-error',
    'The response headers of app.test:8443 are larger than 16 KiB.',
    /cookie/,
  ],
  [
    { phase: 'first-byte', errorCode: 'UND_ERR_SOCKET', unreadable: 'bad upgrade' },
    'protocol-error',
    'What app.test:8443 sent is not HTTP/1.1 (bad upgrade).',
    /port/,
  ],
  [
    { phase: 'first-byte', errorCode: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' },
    'protocol-error',
    'What app.test:8443 sent is not HTTP/1.1 (Content-Length contradicts what follows).',
    /port/,
  ],
  // proxies
  [
    { phase: 'proxy', proxy, atProxy: true, proxyStatus: 407 },
    'protocol-error',
    'The proxy proxy.test:3128 asks for credentials (status 407); a connection to app.test:8443 was not made.',
    /user:password/,
  ],
  [
    { phase: 'proxy', proxy, atProxy: true, proxyStatus: 403 },
    'protocol-error',
    'The proxy proxy.test:3128 refused a connection to app.test:8443 (status 403).',
    /Allow/,
  ],
  [
    { phase: 'proxy', proxy, atProxy: true, proxyStatus: 503 },
    'protocol-error',
    'The proxy proxy.test:3128 refused a connection to app.test:8443 (status 503).',
    /reach the host/,
  ],
  // cuts, by phase
  [
    { phase: 'connect', errorCode: 'ECONNRESET' },
    'reset',
    'The connection to app.test:8443 was closed by the other side as soon as it was made (ECONNRESET).',
    /firewall/,
  ],
  [
    { phase: 'tls', errorCode: 'ECONNRESET' },
    'reset',
    'The connection to app.test:8443 was closed by the other side while TLS was being agreed (ECONNRESET).',
    /speaks TLS/,
  ],
  [
    { phase: 'request', errorCode: 'EPIPE' },
    'reset',
    'The connection to app.test:8443 was closed by the other side before the request was sent completely.',
    /limit/,
  ],
  [
    { phase: 'first-byte', errorCode: 'UND_ERR_SOCKET', errorText: 'other side closed' },
    'reset',
    'The connection to app.test:8443 was closed by the other side without a response.',
    /crash/,
  ],
  [
    {
      phase: 'body',
      errorCode: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
      bodyBytes: 2,
      announcedBytes: 9,
    },
    'reset',
    'The connection to app.test:8443 was closed by the other side in the middle of the response: 2 of the 9 bytes that Content-Length announces had arrived.',
    /bytes, not characters/,
  ],
  [
    { phase: 'body', isCut: true, bodyBytes: 2 },
    'reset',
    'The connection to app.test:8443 was closed by the other side in the middle of the response: 2 bytes of it had arrived.',
    /handler/,
  ],
  // anything else
  [
    { phase: 'connect', errorCode: 'EWEIRD', errorText: 'something new' },
    'protocol-error',
    'The connection to app.test:8443 failed while the connection was made: EWEIRD, something new.',
    /log/,
  ],
];

describe('diagnoseConnection', () => {
  for (const [facts, code, message, hint] of cases) {
    it(message, () => {
      const found = diagnoseConnection({ phase: 'connect', target, ...facts });
      assert.deepEqual({ code: found.code, message: found.message }, { code, message });
      assert.match(found.hint, hint);
    });
  }

  it('has a code of the connection, one line, and nothing of the URL but its host, whatever is seen', () => {
    const text = fc.option(fc.string({ unit: anyCharacter }), { nil: undefined });
    const number = fc.option(fc.nat(), { nil: undefined });
    const facts: fc.Arbitrary<Facts> = fc.record({
      phase: fc.constantFrom(...phases),
      errorCode: text,
      errorText: text,
      verifyCode: fc.option(fc.constantFrom('CERT_HAS_EXPIRED', 'X'), { nil: undefined }),
      timeoutMs: number,
      tlsAlert: number,
      proxyStatus: number,
      unreadable: text,
      firstBytes: fc.option(fc.uint8Array(), { nil: undefined }),
      speaks: fc.constantFrom('http' as const, 'tls' as const, undefined),
      proxy: fc.constantFrom(proxy, undefined),
      atProxy: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, (seen) => {
        const { code, message } = diagnoseConnection({ phase: 'connect', target, ...seen });
        assert.ok((connectionCodes as readonly string[]).includes(code));
        assert.match(message, /^\P{Cc}+$/u);
        assert.doesNotMatch(message, /hunter2|callback/);
      }),
    );
  });
});

describe('saysTlsIsWanted', () => {
  const yes = [
    '<center>The plain HTTP request was sent to HTTPS port</center>',
    "Reason: You're speaking plain HTTP to an SSL-enabled server port.",
    'Client sent an HTTP request to an HTTPS server.\n',
    'Bad Request\nThis combination of host and port requires TLS.',
  ];
  for (const text of yes) {
    it(`knows ${JSON.stringify(text)}`, () => {
      assert.ok(saysTlsIsWanted({ status: 400, body: Buffer.from(text) }));
      assert.ok(!saysTlsIsWanted({ status: 200, body: Buffer.from(text) }));
    });
  }

  it('takes no other refusal for it', () => {
    assert.ok(!saysTlsIsWanted({ status: 400, body: Buffer.from('{"code":"4000"}') }));
  });
});

describe('connectionCatalogue', () => {
  it('has an entry for every code, in whole sentences', () => {
    assert.deepEqual(Object.keys(connectionCatalogue).sort(), [...connectionCodes].sort());
    for (const entry of Object.values(connectionCatalogue)) {
      assert.doesNotMatch(entry.title, /\.$/);
      for (const text of [entry.meaning, entry.recognised, entry.fix, entry.example]) {
        assert.match(text, /\.$/);
      }
    }
  });
});
