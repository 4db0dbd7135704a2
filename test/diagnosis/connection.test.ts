import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  type CertificateFacts,
  type ConnectionFacts,
  diagnoseConnection,
  saysTlsIsWanted,
} from '../../src/diagnosis/connection.ts';
import type { connectionCodes } from '../../src/errors.ts';

const target = new URL('https://app.test:8443/callback?token=hunter2');
const proxy = { url: new URL('http://proxy.test:3128') };
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

const named = { proxy: { ...proxy, source: 'X' }, atProxy: true };
const [cut, atProxy] = [{ errorCode: 'ECONNRESET' }, { proxy, atProxy: true }];
const chain = (verifyCode: string, ...certificates: CertificateFacts[]): Facts => ({
  phase: 'tls',
  now,
  verifyCode,
  certificates,
});
const short = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
const garbage = Buffer.from('\u001b[2J"hi"');
const alert = Buffer.from('1503030002', 'hex');
const outdated = { ...leaf, validTo: now - day };
/** Names of control characters, which no CA gives. */
const forging = { ...leaf, issuer: '\u001b[2J\nx' };
const authority = { ...outdated, subject: 'Some Authority' };
const manyNames = { ...leaf, names: [...'abcdefghij'] };

/** By code, what was seen, and what message and fix say. */
type Rows = readonly (readonly [Facts, message: RegExp, hint: RegExp])[];
const cases: Readonly<Record<(typeof connectionCodes)[number], Rows>> = {
  timeout: [
    [{ phase: 'lookup', timeoutMs: 10_000 }, /^No .* app\.test:8443 within 10 s: its/, /resolver/],
    [{ phase: 'connect', timeoutMs: 1500 }, /1500 ms: no connection/, /firewall/],
    [{ phase: 'body', timeoutMs: 1 }, /\(0 bytes of it had/, /close the body/],
    [{ phase: 'body', timeoutMs: 1, bodyBytes: 3, announcedBytes: 9 }, /3 of the 9 b/, /finish/],
    [{ phase: 'connect', errorCode: 'ETIMEDOUT' }, /^The network gave up on app/, /firewall/],
  ],
  dns: [
    [{ phase: 'lookup', errorCode: 'ENOTFOUND' }, /^The name app\.test has no address/, /spelling/],
    [{ phase: 'connect', errorCode: 'EAI_AGAIN' }, /looked up: no name server answered/, /network/],
  ],
  refused: [
    [{ errorCode: 'ENETUNREACH', ...atProxy }, /the proxy proxy.test:3128: no/, /of the proxy/],
    [{ errorCode: 'ECONNREFUSED', ...named }, /proxy\.test:3128 \(from X\): n/, /NO_PROXY/],
  ],
  'tls-untrusted': [
    [chain('UNABLE_TO_GET_ISSUER_CERT'), /an unknown issuer, is neither/, /full chain/],
    [{ ...chain('SELF_SIGNED_CERT_IN_CHAIN'), proxy }, /went through the proxy pr/, /--ca F/],
    [
      chain('UNABLE_TO_VERIFY_LEAF_SIGNATURE', forging),
      /issuer, \\u001b\[2J\\nx, is/,
      /full chain/,
    ],
    [chain('CERT_REVOKED'), /it was revoked/, /new certificate/],
    [chain('CERT_CHAIN_TOO_LONG'), /its chain does not verify/, /chain/],
  ],
  'tls-expired': [
    [chain('CERT_HAS_EXPIRED', leaf, authority), /\(Some Authority, above it/, /Renew/],
    [chain('CERT_NOT_YET_VALID', leaf), /is not valid before 2025-12-23/, /clocks/],
  ],
  'tls-hostname': [
    [chain('ERR_TLS_CERT_ALTNAME_INVALID', manyNames), /g, h and 2 more\.$/, /subjectAlt/],
  ],
  'tls-version': [[{ errorCode: 'ERR_SSL_UNSUPPORTED_PROTOCOL' }, /\(ERR_SSL_UN/, /TLS 1\.2/]],
  'protocol-error': [
    [{ phase: 'tls', tlsAlert: 40 }, /refused TLS: no common/, /client certificate/],
    [{ phase: 'tls', tlsAlert: 99 }, /it sent the TLS alert 99\.$/, /log/],
    [{ unreadable: 'x', firstBytes: alert }, /speaks TLS, but/, /https:\/\//],
    [{ unreadable: 'No', firstBytes: garbage }, /\(No; .* "\\u001b\[2J"hi""\)\.$/, /port/],
    [{ phase: 'body', isEndless: true }, /around its response has no end/, /loop/],
    [{ phase: 'first-byte', errorCode: short }, /\(Content-Length contradicts/, /port/],
    [{ ...atProxy, proxyStatus: 407 }, /^The proxy proxy.* asks for cred.*407/, /user:pass/],
    [{ ...atProxy, proxyStatus: 403 }, /refused a .* app.*8443 \(status 403/, /Allow/],
    [{ ...atProxy, proxyStatus: 500 }, /\(status 500/, /reach the host/],
    [{ errorText: 'a\u001b[31m\u202eb\r' }, /failed \(a\\u001b\[31m\\u202eb\\r\): no c/, /log/],
  ],
  reset: [
    [cut, /closed by the other side as soon as it was made \(ECONNRESET\)\.$/, /firewall/],
    [{ phase: 'request', errorCode: 'EPIPE' }, /request was sent completely\.$/, /limit/],
    [{ phase: 'body', errorCode: short, announcedBytes: 9 }, /: 0 of the 9 b/, /characters/],
    [{ phase: 'body', isCut: true, bodyBytes: 2 }, /2 bytes of it had arrived/, /handler/],
  ],
};

for (const [code, rows] of Object.entries(cases)) {
  it(`says ${code} in one line, with nothing of the URL but its host`, () => {
    for (const [facts, message, hint] of rows) {
      const found = diagnoseConnection({ phase: 'connect', target, ...facts });
      assert.equal(found.code, code, message.source);
      assert.match(found.message, message);
      assert.match(found.hint, hint);
      assert.match(found.message, /^\P{Cc}+$/u);
      assert.doesNotMatch(found.message, /hunter2|callback/);
    }
  });
}

it('knows how servers refuse a plain request on a TLS port', () => {
  for (const text of [
    "Reason: You're speaking plain HTTP to an SSL-enabled server port.",
    'Client sent an HTTP request to an HTTPS server.\n',
  ]) {
    assert.ok(saysTlsIsWanted({ status: 400, body: Buffer.from(text) }));
    assert.ok(!saysTlsIsWanted({ status: 200, body: Buffer.from(text) }));
  }
  assert.ok(!saysTlsIsWanted({ status: 400, body: Buffer.from('{"code":"4000"}') }));
});
