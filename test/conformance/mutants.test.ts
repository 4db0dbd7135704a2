import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applicationFaults } from '../../src/emulator/faults.ts';
import { application, troubles, verify } from './support.ts';

/*
 * Every fault of the emulated application against the whole catalogue: the check that the fault
 * names must fail with the diagnosis that it names, and no other check may, unless it is written
 * here why it does not hold either.
 */

/** What one fault breaks beside the check that it names. */
const knockOn: Readonly<Record<string, readonly string[]>> = {
  // The wrapped key is the plain key, which must not stand in any answer.
  'plain-key': ['key-exchange/plain-key-absent'],
  'base64-of-plain-key': ['key-exchange/plain-key-absent'],
  // One key throughout is also the same for all users, and again for the same user.
  'key-constant': ['key-exchange/key-per-user', 'key-exchange/new-key-each-time'],
  'one-key-for-all': ['key-exchange/new-key-each-time'],
  'key-from-user-code': ['key-exchange/new-key-each-time'],
  'key-padded-user-code': ['key-exchange/new-key-each-time'],
  // A registration is refused with and without ubifill.
  'registration-code-1': ['registration/without-user-info'],
  'forgets-users': ['registration/without-user-info'],
  // client_id is one of the fields whose absence is accepted.
  'accepts-missing-field': ['key-exchange/rejects-foreign-client'],
};

/** What a run against the fault is changed in, to be short. */
const changes: Readonly<Record<string, Parameters<typeof verify>[1]>> = {
  slow: { check: ['protocol/response-time'], timeoutMs: 6000 },
  silent: { timeoutMs: 300 },
};

describe('verify against each fault of the emulated application', { concurrency: 2 }, () => {
  for (const fault of applicationFaults) {
    it(`${fault.name} fails ${fault.check} with ${fault.diagnosis}`, async () => {
      const result = await verify(application(fault.name), changes[fault.name]);
      const failed = result.checks.filter(({ fault: found }) => found !== undefined);
      const named = failed.find(({ check }) => check.id === fault.check);
      assert.equal(named?.fault?.diagnosis?.code, fault.diagnosis, troubles(result).join('\n'));
      const others = failed.map(({ check }) => check.id).filter((id) => id !== fault.check);
      assert.deepEqual(others, knockOn[fault.name] ?? [], troubles(result).join('\n'));
    });
  }

  it('says of each failure what was expected, what came, and what to change', async () => {
    const result = await verify(application('code-number', 'accepts-missing-passcode', 'html'));
    for (const { fault } of result.checks) {
      if (fault === undefined) continue;
      assert.notEqual(fault.expected, '');
      assert.notEqual(fault.observed, '');
      assert.notEqual(fault.mend, '');
      assert.ok(fault.evidence);
    }
  });
});
