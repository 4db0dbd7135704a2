import assert from 'node:assert/strict';
import { createHmac, hkdfSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import { issuePtnToken, verifyPtnToken } from '../../src/emulator/tokens.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { clientId, startOfTime as now, secretKey } from './support.ts';

const randomBytes = seededBytes('ptn-token');
const issuer = { clientId, secretKey: Secret.text(secretKey) };
const ttlMs = 600_000;
const issue = (ptnCd = 'user-1') => issuePtnToken(ptnCd, issuer, { now, randomBytes });
const verify = (token: string, at = now) => verifyPtnToken(token, issuer, { now: at, ttlMs });

/** The MAC as the head of the source describes it, made here once more. */
function sign(claims: unknown, secret = secretKey): string {
  const signed = `authcli-ptn-1.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'authcli-ptn-1', 32));
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

describe('ptn_token of the emulated service', () => {
  it('identifies its user, whatever the user is called, and can be carried anywhere', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: anyCharacter }), (ptnCd) => {
        const token = issue(ptnCd);
        assert.match(token, /^authcli-ptn-1\.[\w-]+\.[\w-]{43}$/);
        assert.deepEqual(verify(token), { ok: true, ptnCd, issuedAt: now });
      }),
    );
  });

  it('is made as described, another one each time, and never contains the secret', () => {
    const described = verify(sign([clientId, 'u', now, 'n']));
    assert.deepEqual(described, { ok: true, ptnCd: 'u', issuedAt: now });
    const tokens = [issue(), issue()].map((token) =>
      Buffer.from(token.split('.')[1] ?? '', 'base64url'),
    );
    assert.notDeepEqual(tokens[0], tokens[1]);
    for (const token of tokens) assert.ok(!token.includes(secretKey));
  });

  it('is good from its issue until its time is over, with a minute for clocks', () => {
    const token = issue();
    assert.equal(verify(token, now + ttlMs - 1).ok, true);
    assert.equal(verify(token, now - 60_000).ok, true);
    const user = { ok: false, ptnCd: 'user-1' };
    assert.deepEqual(verify(token, now + ttlMs), { ...user, failure: 'expired' });
    assert.deepEqual(verify(token, now - 60_001), { ...user, failure: 'not-yet' });
  });

  for (const [what, token, failure] of [
    ['nothing', '', 'malformed'],
    ['another kind of token', 'eyJhbGciOiJIUzI1NiJ9.e30.abc', 'malformed'],
    ['another version', issue().replace('ptn-1', 'ptn-2'), 'malformed'],
    ['a line break after it', `${issue()}\n`, 'malformed'],
    ['another secret', sign([clientId, 'u', now, 'n'], 'other'), 'mac'],
    ['another client', sign(['client-2', 'u', now, 'n']), 'client'],
  ] as const) {
    it(`is refused for ${what}: ${failure}`, () => {
      assert.deepEqual(verify(token), { ok: false, failure });
    });
  }

  it('is refused with any character changed', () => {
    const token = issue();
    for (let at = 0; at < token.length - 1; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A';
      const changed = `${token.slice(0, at)}${other}${token.slice(at + 1)}`;
      assert.equal(verify(changed).ok, false, `at ${at}`);
    }
  });
});
