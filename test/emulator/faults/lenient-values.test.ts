import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../../../src/crypto/secret.ts';
import { lenientValueFaults } from '../../../src/emulator/faults/lenient-values.ts';
import type { EmulatorRequest } from '../../../src/emulator/http.ts';
import { issuePtnToken } from '../../../src/emulator/tokens.ts';
import { seededBytes } from '../../support/seeded-bytes.ts';
import {
  authenticateCall,
  clientId,
  newService,
  secretKey,
  startOfTime,
  tokenCall,
} from '../support.ts';

const randomBytes = seededBytes('lenient-values');

type Emulator = ReturnType<typeof newService>;

/** What each kind of fault accepts in place of the right value, by the end of its name. */
const wrongValues: Readonly<Record<string, (right: string) => unknown>> = {
  shorter: (right) => right.slice(0, -1),
  longer: (right) => `${right}0`,
  'other-case': (right) =>
    [...right]
      .map((letter) => (/[a-z]/.test(letter) ? letter.toUpperCase() : letter.toLowerCase()))
      .join(''),
  empty: () => '',
  null: () => null,
  zero: () => 0,
  true: () => true,
  object: () => ({ $ne: '' }),
};
const form: Readonly<Record<string, (right: string) => unknown>> = {
  'trims-values': (right) => `\t${right} `,
  'accepts-arrays': (right) => [right],
};

/** The requests that have the wrong value in each field of the fault. */
async function wrongRequests(
  { ptnToken, acsToken }: Emulator,
  name: string,
): Promise<readonly EmulatorRequest[]> {
  const [, field = '', kind = ''] = /^accepts-(secret-key|client-id|token)-(.*)$/.exec(name) ?? [];
  const ptn = ptnToken();
  const acs = await acsToken();
  const wrong = wrongValues[kind] ?? form[name] ?? String;
  const atBoth = (changes: object) => [
    tokenCall(ptn, { ...changes }),
    authenticateCall(acs, { ...changes }),
  ];
  if (name === 'accepts-foreign-ptn-token') {
    const another = { clientId: 'another', secretKey: Secret.text(secretKey) };
    return [tokenCall(issuePtnToken('user-1', another, { now: startOfTime, randomBytes }))];
  }
  if (name === 'accepts-acs-token-as-ptn-token') return [tokenCall(acs)];
  if (name === 'accepts-ptn-token-as-acs-token') return [authenticateCall(ptn)];
  const ofSecret = atBoth({ secret_key: wrong(secretKey) });
  const ofClient = atBoth({ client_id: wrong(clientId) });
  const ofToken = [
    tokenCall('', { ptn_token: wrong(ptn) }),
    authenticateCall('', { acs_token: wrong(acs) }),
  ];
  if (name in form) return [...ofSecret, ...ofClient, ...ofToken];
  return field === 'secret-key' ? ofSecret : field === 'client-id' ? ofClient : ofToken;
}

/** The emulated service, which has seen a right sign-in under the fault. */
async function serviceWith(name?: string): Promise<Emulator> {
  const emulator = newService();
  if (name !== undefined) emulator.service.faults.switchOn({ name });
  const { code } = await emulator.send(authenticateCall(await emulator.acsToken()));
  assert.equal(code, '0000');
  return emulator;
}

describe('a fault that accepts wrong values', () => {
  for (const { name } of lenientValueFaults) {
    it(`${name} accepts what is refused without it, and no other value`, async () => {
      const [faulty, right] = [await serviceWith(name), await serviceWith()];
      const wrong = await wrongRequests(faulty, name);
      assert.ok(wrong.length > 0);
      // A new token each: what is accepted uses it up.
      for (const [index] of wrong.entries()) {
        const lenient = (await wrongRequests(faulty, name))[index] ?? assert.fail();
        const strict = (await wrongRequests(right, name))[index] ?? assert.fail();
        assert.equal((await faulty.send(lenient)).code, '0000', String(lenient.body));
        assert.notEqual((await right.send(strict)).code, '0000', String(strict.body));
      }
      const foreign = [
        tokenCall(faulty.ptnToken(), { secret_key: 'another' }),
        tokenCall(faulty.ptnToken(), { client_id: 'another' }),
        tokenCall('another'),
        authenticateCall('another'),
      ];
      for (const request of foreign)
        assert.notEqual((await faulty.send(request)).code, '0000', String(request.body));
    });
  }
});
