import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { leakFaults } from '../../../src/emulator/faults/leaks.ts';
import { refusingFaults } from '../../../src/emulator/faults/refusing.ts';
import type { EmulatorRequest } from '../../../src/emulator/http.ts';
import { authenticateCall, newService, registeredUser, secretKey, tokenCall } from '../support.ts';

const key = registeredUser.key.reveal();
const superPasscode = registeredUser.superPasscode?.reveal() ?? '';

const basic = Buffer.from(`client:${secretKey}`).toString('base64');
const places: Readonly<Record<string, Partial<EmulatorRequest>>> = {
  'accepts-secret-in-header': { headers: { 'secret-key': secretKey } },
  'accepts-secret-in-x-header': { headers: { 'x-secret-key': secretKey } },
  'accepts-secret-as-api-key': { headers: { 'x-api-key': secretKey } },
  'accepts-secret-in-cookie': { headers: { cookie: `secret_key=${secretKey}` } },
  'accepts-secret-as-bearer': { headers: { authorization: `Bearer ${secretKey}` } },
  'accepts-secret-in-basic': { headers: { authorization: `Basic ${basic}` } },
  'accepts-secret-in-query': { query: `secret_key=${secretKey}` },
};

const deliveries: Readonly<Record<string, string>> = {
  'refusals-reset': 'reset',
  'refusals-closed': 'close',
  'refusals-truncated': 'truncate',
  'refusals-silent': 'silence',
};

function withFault(name: string) {
  const emulator = newService();
  emulator.service.faults.switchOn({ name });
  return emulator;
}

describe('faults in what the service refuses', () => {
  for (const [name, breakOff] of Object.entries(deliveries)) {
    it(`${name} does so at refusals alone`, async () => {
      const { call, ptnToken } = withFault(name);
      const { response: refusal } = await call(tokenCall('unknown'));
      const { response: right } = await call(tokenCall(ptnToken()));
      assert.deepEqual(refusal.delivery, { breakOff });
      assert.equal(right.delivery, undefined);
    });
  }

  for (const [name, place] of Object.entries(places)) {
    it(`${name} accepts it there alone`, async () => {
      const { send, ptnToken } = withFault(name);
      const codeAt = async ({ headers = {}, query }: Partial<EmulatorRequest>) => {
        const request = tokenCall(ptnToken(), { secret_key: undefined });
        const { code } = await send({
          ...request,
          headers: { ...request.headers, ...headers },
          ...(query !== undefined && { query }),
        });
        return code;
      };
      assert.equal(await codeAt(place), '0000');
      for (const [other, elsewhere] of Object.entries(places)) {
        if (other !== name) assert.notEqual(await codeAt(elsewhere), '0000', other);
      }
    });
  }

  it('marks-acs-token-late accepts a token again until its first response is sent', async () => {
    const { call, send, acsToken, pass } = withFault('marks-acs-token-late');
    const request = authenticateCall(await acsToken());
    const { response } = await call(request);
    const delay = response.delivery?.delayMs ?? 0;
    assert.equal((await send(request)).code, '0000');
    pass(delay);
    assert.equal((await send(request)).code, 'E303');
  });

  it('are all tested here', () => {
    const tested = [...Object.keys(deliveries), ...Object.keys(places), 'marks-acs-token-late'];
    assert.deepEqual(tested.sort(), refusingFaults.map(({ name }) => name).sort());
  });
});

describe('faults that show secrets', () => {
  const shown: Readonly<Record<string, string>> = {
    'repeats-request': JSON.stringify(secretKey).slice(1, -1),
    'secret-in-response-header': Buffer.from(secretKey).toString('base64'),
    'shows-user-key': key,
    'shows-user-key-hex': Buffer.from(key).toString('hex'),
    'shows-passcode': superPasscode,
  };

  for (const { name } of leakFaults) {
    it(`${name} does what it says`, async () => {
      const { call, acsToken, ptnToken } = withFault(name);
      const calls = [
        await call(tokenCall('unknown')),
        await call(tokenCall(ptnToken())),
        await call(authenticateCall(await acsToken())),
      ];
      const texts = calls.map(({ response: { headers, body } }) =>
        [...Object.values(headers), Buffer.from(body).toString()].join('\n'),
      );
      const secret = shown[name] ?? assert.fail(name);
      assert.equal(texts.filter((text) => text.includes(secret)).length, 1);
    });
  }
});
