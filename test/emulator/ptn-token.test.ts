import assert from 'node:assert/strict';
import { createHmac, hkdfSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import { issuePtnToken, verifyPtnToken } from '../../src/emulator/tokens.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { clientId, startOfTime as now, secretKey } from './support.ts';

const randomBytes = seededBytes('ptn-token');
const issuer = { clientId, secretKey: Secret.text(secretKey) };
const ttlMs = 600_000;
const issue = (ptnCd = 'user-1') => issuePtnToken(ptnCd, issuer, { now: () => now, randomBytes });
const verify = (token: string, at = now) => verifyPtnToken(token, issuer, { now: at, ttlMs });

/** The MAC as the head of the source describes it, made here once more. */
function sign(claims: unknown, secret = secretKey): string {
  const signed = `authcli-ptn-1.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'authcli-ptn-1', 32));
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

describe('ptn_token of the emulated service', () => {
  it('is made as described, another one each time, and names any user', () => {
    const described = verify(sign([clientId, 'u', now, 'n']));
    assert.deepEqual(described, { ok: true, ptnCd: 'u', issuedAt: now });
    assert.notEqual(issue(), issue());
    for (const ptnCd of ['user-1', '大谷 "\n', '__proto__']) {
      assert.match(issue(ptnCd), /^authcli-ptn-1\.[\w-]+\.[\w-]{43}$/);
      assert.deepEqual(verify(issue(ptnCd)), { ok: true, ptnCd, issuedAt: now });
    }
  });

  it('is good from its issue until its time is over, with a minute for clocks', () => {
    const token = issue();
    assert.equal(verify(token, now + ttlMs - 1).ok, true);
    assert.equal(verify(token, now - 60_000).ok, true);
    const user = { ok: false, ptnCd: 'user-1' };
    assert.deepEqual(verify(token, now + ttlMs), { ...user, failure: 'expired' });
    assert.deepEqual(verify(token, now - 60_001), { ...user, failure: 'not-yet' });
  });

  it('is refused with any change, and where another secret or client made it', () => {
    const token = issue();
    for (let at = 0; at < token.length - 1; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A';
      const changed = `${token.slice(0, at)}${other}${token.slice(at + 1)}`;
      assert.equal(verify(changed).ok, false, `at ${at}`);
    }
    for (const [wrong, failure] of [
      [`${token}\n`, 'malformed'],
      [sign([clientId, 'u', now, 'n'], 'other'), 'mac'],
      [sign(['client-2', 'u', now, 'n']), 'client'],
    ] as const)
      assert.deepEqual(verify(wrong), { ok: false, failure });
  });
});
