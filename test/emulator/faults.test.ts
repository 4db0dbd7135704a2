import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { responseFaults } from '../../src/emulator/faults/responses.ts';
import {
  type ApplicationFault,
  applicationFaults,
  serviceFaults,
} from '../../src/emulator/faults.ts';
import {
  connectionCodes,
  payloadCodes,
  perUserKeyCodes,
  responseCodes,
  wrappedKeyCodes,
} from '../../src/errors.ts';
import { readKeyExchangeResponse, readRegistrationResponse } from '../../src/protocol/callbacks.ts';
import { encrypt, keyExchange, newApplication, post, registration } from './support.ts';

const codes: readonly string[] = [
  ...wrappedKeyCodes,
  ...perUserKeyCodes,
  ...responseCodes,
  ...payloadCodes,
  ...connectionCodes,
];

for (const [side, faults] of [
  ['application', applicationFaults],
  ['service', serviceFaults],
] as const) {
  describe(`the faults of the ${side}`, () => {
    it('have names of their own, and titles', () => {
      for (const field of ['name', 'title'] as const) {
        assert.equal(new Set(faults.map((fault) => fault[field])).size, faults.length);
      }
    });

    for (const fault of faults) {
      it(`${fault.name} is described as the catalogue wants it`, () => {
        assert.equal(fault.side, side);
        assert.match(fault.name, /^[a-z0-9]+(-[a-z0-9]+)*$/);
        assert.match(fault.title, /^[A-Z][^\n]{10,90}[^.]$/);
        assert.match(
          fault.check,
          fault.steps !== undefined
            ? /^explore$/
            : side === 'service'
              ? /^service\/[a-z-]+$/
              : /^(key-exchange|registration|protocol)\/[a-z0-9-]+$/,
        );
        assert.ok(codes.includes(fault.diagnosis));
        assert.ok(Object.keys(fault.apply).length > 0);
      });
    }
  });
}

/** How the protocol reads the response that a fault changes. */
async function readUnder({ name, check }: Pick<ApplicationFault, 'name' | 'check'>) {
  const { application, call, exchange } = newApplication();
  const key = await exchange();
  application.faults.switchOn({ name });
  if (check === 'protocol/error-shape')
    return readRegistrationResponse((await call(post('x'))).response.body);
  if (!check.startsWith('registration/')) {
    return readKeyExchangeResponse((await call(keyExchange())).response.body);
  }
  const { response } = await call(registration(encrypt('secret', key)));
  return readRegistrationResponse(response.body);
}

describe('the faults of the response', () => {
  for (const fault of responseFaults) {
    it(`${fault.name} is read as ${fault.diagnosis}`, async () => {
      const { problem, messageProblem } = await readUnder(fault);
      const kinds: readonly unknown[] = [problem?.kind, messageProblem?.kind];
      assert.ok(kinds.includes(fault.diagnosis), kinds.join());
    });
  }
});

describe('the faults of the application', () => {
  it('cause every diagnosis of a wrapped key and of a per-user key', () => {
    const caused = new Set<string>(applicationFaults.map(({ diagnosis }) => diagnosis));
    const missing = [...wrappedKeyCodes, ...perUserKeyCodes].filter((code) => !caused.has(code));
    assert.deepEqual(missing, []);
  });
});
