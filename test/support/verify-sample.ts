import type {
  CheckDocument,
  ExchangeDocument,
  VerifyDocument,
} from '../../src/reports/verify-document.ts';

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
      message: 'The key was wrapped with OAEP.',
      hint: 'Ask for PKCS #1.',
      calls: {},
    },
    fix: 'Ask for PKCS #1.',
    repeat: {
      curl: "curl --request POST --header 'X-Authcli-Check: key-exchange/wraps-key' http://localhost/callback",
      command: 'authcli verify --check key-exchange/wraps-key',
    },
    evidence: 'POST /callback HTTP/1.1\nHost: localhost\n\n{"ptn_cd":"authcli-a"}',
    ...changes,
  });
}

/** A run of these checks. */
export function run(
  checks: readonly CheckDocument[],
  changes: Partial<VerifyDocument> = {},
): VerifyDocument {
  const count = (status: CheckDocument['status']): number =>
    checks.filter((each) => each.status === status).length;
  return {
    schema: 'authcli/verify/1',
    version: '0.1.0',
    command: 'verify',
    target: 'http://localhost:8080/callback',
    url: 'http://localhost:8080/callback',
    client_id: 'authcli-client',
    cipher: 'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64',
    seed: 'a1b2c3d4',
    strict: false,
    interrupted: false,
    started_at: '2026-01-02T03:04:05.000Z',
    duration_ms: 1234,
    requests: checks.flatMap(({ exchanges }) => exchanges).length,
    summary: {
      passed: count('passed'),
      failed: count('failed'),
      warned: count('warned'),
      skipped: count('skipped'),
    },
    checks,
    controls: [],
    users: ['authcli-a', 'authcli-b'],
    stale: [],
    expired: [],
    repeat: 'authcli verify --url http://localhost:8080/callback --seed a1b2c3d4',
    ...changes,
  };
}

/** Text that breaks out of HTML, of attributes and of lines, where it isn't escaped. */
export const hostile =
  '</style></title><script>alert(1)</script><img src=x onerror=alert(1)>"\' autofocus onfocus=alert(1) &amp; \u202etxt.exe\u2066 \u001b[31m\u0000\r\n\u2028 <!-- ]]>';

/** A run whose every text is hostile. */
export function hostileRun(): VerifyDocument {
  const known = { check: hostile, reason: hostile, until: hostile };
  const hostileExchange = exchange({
    intent: 'wrong',
    malformed: hostile,
    code: hostile,
    failure: hostile,
    is_evidence: true,
  });
  const trouble = failedCheck({
    id: `${hostile}/${hostile}`,
    title: hostile,
    section: hostile,
    sentence: hostile,
    exchanges: [hostileExchange, exchange({ http_status: null, code: null, failure: hostile })],
    notes: [hostile],
    reason: hostile,
    expected: hostile,
    observed: hostile,
    diagnosis: { code: 'oaep-sha1', message: hostile, hint: hostile, calls: {} },
    fix: hostile,
    repeat: { curl: hostile, command: hostile },
    evidence: hostile,
    known,
  });
  const skipped = check({
    id: 'protocol/skipped',
    status: 'skipped',
    reason: hostile,
    notes: [hostile],
  });
  return run([trouble, { ...trouble, id: `${hostile}2/x`, status: 'warned' }, skipped], {
    url: hostile,
    client_id: hostile,
    cipher: hostile,
    seed: hostile,
    version: hostile,
    started_at: hostile,
    users: [hostile],
    controls: [check({ id: `${hostile}/control`, title: hostile })],
    unreachable: { code: 'dns', message: hostile, hint: hostile, calls: {} },
    stale: [known],
    expired: [known],
    repeat: hostile,
  });
}
