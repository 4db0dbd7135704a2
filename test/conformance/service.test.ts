import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { outsideNames } from '../../src/conformance/malformed-sign-in.ts';
import type { RunResult } from '../../src/conformance/result.ts';
import { serviceChecks } from '../../src/conformance/service-catalogue.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { issuePtnToken } from '../../src/emulator/tokens.ts';
import { alice, usualSecret, verifyService } from './service-support.ts';
import { clientId, troubles } from './support.ts';

const resultOf = ({ checks }: RunResult, id: string) => checks.find(({ check }) => check.id === id);

describe('verify-service against the emulated service', () => {
  it('passes every check, without a note that nothing was looked at', async () => {
    const result = await verifyService();
    assert.deepEqual(troubles(result), []);
    assert.equal(result.checks.length, serviceChecks.length);
    const notes = result.checks.flatMap(({ check, notes: said }) => said.map(() => check.id));
    assert.deepEqual(notes, ['service/tls']);
  });

  it('sends the secret to no endpoint outside a body but in the check that is about that', async () => {
    const { exchanges } = await verifyService();
    const outside = exchanges.filter(({ exchange: { request } }) => {
      const head = [request.url.href, ...request.headers.flat()].join('\n');
      const basic = Buffer.from(`authcli-client:${usualSecret}`).toString('base64');
      return head.includes(usualSecret) || head.includes(basic);
    });
    const spoilt = outside.map(({ malformed }) => malformed);
    assert.deepEqual(spoilt, outsideNames);
  });

  it('passes also with a secret that no header can carry', async () => {
    const result = await verifyService([], { secretKey: Secret.text('geheim: schlüssel') });
    assert.deepEqual(troubles(result), []);
    const sent = result.exchanges.map(({ malformed }) => malformed);
    assert.ok(sent.includes('secret-in-basic') && !sent.includes('secret-in-header'));
  });

  it('names its check in every request', async () => {
    const { exchanges } = await verifyService();
    for (const { check, exchange } of exchanges) {
      const named = exchange.request.headers.find(([name]) => name === 'X-Authcli-Check');
      assert.equal(named?.[1], check);
    }
  });
});

describe('verify-service against a service that closes the connection instead of refusing', () => {
  it('says so in each check that expects a refusal, and sends it nothing but its two requests', async () => {
    const result = await verifyService(['refusals-closed']);
    const blamed = result.checks.filter(({ fault }) => fault !== undefined);
    assert.ok(blamed.length >= 9);
    for (const { fault } of blamed) {
      assert.equal(fault?.observed, 'the service closed the connection without a response');
      const message = fault.diagnosis?.message ?? '';
      assert.match(message, /^An? \w+ request with/);
      assert.match(message, /; section 7: every response carries code and message\. /);
      assert.match(fault.fix, /^Read the log of the service at this request/);
    }
    assert.match(
      resultOf(result, 'service/error-shape')?.reason ?? '',
      /^No malformed request was refused with a response/,
    );
    const operations = new Set(result.exchanges.map(({ operation }) => operation));
    assert.deepEqual([...operations].sort(), ['authenticate', 'token']);
  });
});

describe('verify-service blames neither side for what it can not know', () => {
  it('skips the name of the user where no user is known, and notes what was not decrypted', async () => {
    const result = await verifyService([], { ptnCd: undefined, lookUpUser: async () => ({}) });
    assert.equal(resultOf(result, 'service/names-user')?.status, 'skipped');
    const passcode = resultOf(result, 'service/returns-passcode');
    assert.equal(passcode?.status, 'passed');
    assert.match(passcode?.notes.join(' ') ?? '', /No key is known for this user/);
  });

  it('skips the expiry where its time zone is not known, or it is too far away', async () => {
    for (const [changes, reason] of [
      [{ timeZone: undefined }, /^The time zone of expire_dt is not known\.$/],
      [{ timeZone: '+09:00' }, /^In the given time zone, expire_dt had passed before/],
      [
        { longestWaitMs: 10_000 },
        /^The acs_token expires in \d+ s, and this run waits 10 s at most\.$/,
      ],
    ] as const) {
      const result = await verifyService([], changes);
      const expired = resultOf(result, 'service/rejects-expired-acs-token');
      assert.equal(expired?.status, 'skipped');
      assert.match(expired?.reason ?? '', reason);
    }
  });

  it('sends no other case of a secret without letters, which would be the right one', async () => {
    const result = await verifyService([], { secretKey: Secret.text('4711-0815-2026') });
    assert.deepEqual(troubles(result), []);
    const sent = result.exchanges.map(({ malformed }) => malformed);
    assert.ok(sent.includes('token-secret-shorter') && !sent.includes('token-secret-other-case'));
  });

  it('searches responses for no passcode that they may contain by chance', async () => {
    const superPasscode = Secret.text('0000');
    const result = await verifyService([], {
      lookUpUser: async () => ({ ...alice, superPasscode }),
    });
    const shown = resultOf(result, 'service/secrets-not-shown');
    assert.equal(shown?.status, 'passed');
    assert.match(shown.notes.join(' '), /^Not searched for, .* by chance: the passcode\.$/);
  });

  it('fails nothing where a ptn_token is good once and only one is given', async () => {
    const used = new Set<string>();
    const only = issuePtnToken(
      alice.ptnCd,
      { clientId, secretKey: Secret.text(usualSecret) },
      { now: Date.now(), randomBytes },
    );
    const result = await verifyService([], {
      nextPtnToken: async () => only,
      wrap: async (request, right) => {
        const { ptn_token: token } = JSON.parse(Buffer.from(request.body).toString());
        const response = await right(request);
        const { code } = JSON.parse(Buffer.from(response.body).toString());
        if (code !== '0000' || token === undefined) return response;
        if (used.has(token)) return { ...response, body: Buffer.from(usedUp) };
        used.add(token);
        return response;
      },
    });
    assert.deepEqual(
      result.checks.filter(({ fault }) => fault !== undefined),
      [],
    );
    const wrongSecret = resultOf(result, 'service/rejects-wrong-secret');
    assert.match(wrongSecret?.reason ?? '', /positive control, .*, was not accepted/);
  });
});

const usedUp = '{"code":"X1","message":"used before"}';
