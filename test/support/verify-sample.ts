import type { CheckDocument, VerifyDocument } from '../../src/conformance/document.ts';
import { summarise } from '../../src/conformance/result.ts';

type ExchangeDocument = CheckDocument['exchanges'][number];

/*
 * Runs of `verify` made up by hand, for the reports.
 */

/** A key exchange that went well. */
export function exchange(changes: Partial<ExchangeDocument> = {}): ExchangeDocument {
  return {
    operation: 'key-exchange',
    intent: 'right',
    started_ms: 0,
    duration_ms: 12.34,
    http_status: 200,
    code: '0000',
    ...changes,
  };
}

/** A check that passed. */
export function check(changes: Partial<CheckDocument> = {}): CheckDocument {
  return {
    id: 'key-exchange/answers-success',
    title: 'must accept a valid key exchange',
    section: '4.1.1',
    sentence: 'The application returns it encrypted.',
    level: 'must',
    polarity: 'positive',
    status: 'passed',
    duration_ms: 13,
    exchanges: [exchange()],
    notes: [],
    ...changes,
  };
}

/** A check that failed, with everything that a failure can have. */
export function failedCheck(changes: Partial<CheckDocument> = {}): CheckDocument {
  const header = "--header 'X-Authcli-Check: key-exchange/wraps-key'";
  return check({
    id: 'key-exchange/wraps-key',
    title: 'enc_partner_key is wrapped with the public_key',
    section: '2.2',
    status: 'failed',
    exchanges: [exchange({ is_evidence: true })],
    expected: 'Base64 of the key under RSAES-PKCS1-v1_5',
    observed: '344 characters that are oaep-sha1',
    diagnosis: {
      code: 'oaep-sha1',
      confidence: 'certain',
      message: 'The key was wrapped with OAEP.',
      hint: 'Ask for PKCS #1.',
      calls: {},
    },
    fix: 'Ask for PKCS #1.',
    repeat: {
      curl: `curl --request POST ${header} http://localhost/callback`,
      command: 'authcli verify --check key-exchange/wraps-key',
    },
    evidence: 'POST /callback HTTP/1.1\nHost: localhost\n\n{"ptn_cd":"authcli-a"}',
    ...changes,
  });
}

/** A run of these checks. */
export function run(
  checks: CheckDocument[],
  changes: Partial<VerifyDocument> = {},
): VerifyDocument {
  const url = 'http://localhost:8080/callback';
  return {
    schema: 'authcli/verify/1',
    version: '0.1.0',
    requirements: 1,
    command: 'verify',
    target: url,
    url,
    client_id: 'authcli-client',
    seed: 'a1b2c3d4',
    strict: false,
    interrupted: false,
    cipher: 'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64',
    started_at: '2026-01-02T03:04:05.000Z',
    duration_ms: 1234,
    requests: checks.flatMap(({ exchanges }) => exchanges).length,
    summary: summarise(checks),
    checks,
    controls: [],
    users: ['authcli-a', 'authcli-b'],
    stale: [],
    expired: [],
    repeat: `authcli verify --url ${url} --seed a1b2c3d4`,
    ...changes,
  };
}

/** Text that breaks out of HTML, of attributes and of lines, where it isn't escaped. */
export const hostile =
  '</style></title><script>alert(1)</script><img src=x onerror=alert(1)>"\' autofocus onfocus=alert(1) &amp; \u202etxt.exe\u2066 \u001b[31m\u0000\r\n\u2028 <!-- ]]>';

/** What is one of a few words, of the program's own. */
const enumerated = new Set([
  ...['status', 'level', 'polarity', 'operation', 'intent', 'schema', 'confidence', 'stack'],
]);

/** The same with every text of the other side, or of a user, hostile. */
function made<Document extends object>(document: Document): Document {
  return JSON.parse(JSON.stringify(document), (name, value) =>
    typeof value === 'string' && !enumerated.has(name) ? hostile : value,
  );
}

/** A run whose every text is hostile. */
export function hostileRun(): VerifyDocument {
  const known = { check: '', reason: '', until: '' };
  const said = { message: hostile, hint: hostile, calls: {} };
  const diagnosis = { code: 'oaep-sha1', confidence: 'certain', ...said } as const;
  const [malformed, failure] = ['', 'timeout'] as const;
  const exchanges = [
    exchange({ intent: 'wrong', malformed, failure, is_evidence: true }),
    exchange({ http_status: null, code: null, failure }),
  ];
  const failed = failedCheck({ exchanges, notes: [''], reason: '', known });
  const trouble = { ...made(failed), id: `${hostile}/${hostile}`, diagnosis };
  const skipped = made(check({ status: 'skipped', reason: '', notes: [''] }));
  const control = { ...made(check()), id: `${hostile}/control` };
  const checks = [
    trouble,
    { ...trouble, id: `${hostile}2/x`, status: 'warned' } as const,
    { ...skipped, id: 'protocol/skipped' },
  ];
  const unreachable = { ...diagnosis, code: 'dns' } as const;
  const facts = made(run(checks, { users: [''], stale: [known], expired: [known] }));
  return { ...facts, command: 'verify', checks, controls: [control], unreachable };
}
