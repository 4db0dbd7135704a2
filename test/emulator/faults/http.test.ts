import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applicationHttpFaults, serviceHttpFaults } from '../../../src/emulator/faults/http.ts';
import type { EmulatorResponse } from '../../../src/emulator/http.ts';
import { keyExchange, newApplication, newService, tokenCall } from '../support.ts';

const text = ({ body }: EmulatorResponse) => Buffer.from(body).toString();

const proofs: Readonly<Record<string, (response: EmulatorResponse) => void>> = {
  'empty-body': ({ body }) => assert.equal(body.length, 0),
  'byte-order-mark': (response) => assert.equal(JSON.parse(text(response).slice(1)).code, '0000'),
  'utf16-body': ({ body }) => {
    const decoded = Buffer.from(body).toString('utf16le');
    assert.match(decoded, /^\ufeff\{"code":"0000"/);
  },
  'body-cut': (response) => {
    assert.match(text(response), /^\{"code":"0000"/);
    assert.throws(() => JSON.parse(text(response)));
  },
  html: (response) => {
    assert.equal(response.headers['content-type'], 'text/html;charset=utf-8');
    assert.match(text(response), /^<!DOCTYPE html>/);
  },
  redirect: ({ status, headers }) => assert.deepEqual([status, headers.location], [302, '/login']),
  'text-content-type': (response) => {
    assert.equal(response.headers['content-type'], 'text/html;charset=utf-8');
    assert.equal(JSON.parse(text(response)).code, '0000');
  },
  'body-too-large': (response) => {
    assert.ok(response.body.length > 2_097_152);
    assert.equal(JSON.parse(text(response)).code, '0000');
  },
  slow: ({ delivery }) => assert.deepEqual(delivery, { delayMs: 4000 }),
  silent: ({ delivery }) => assert.deepEqual(delivery, { breakOff: 'silence' }),
  reset: ({ delivery }) => assert.deepEqual(delivery, { breakOff: 'reset' }),
  truncated: ({ delivery }) => assert.deepEqual(delivery, { breakOff: 'truncate' }),
};

describe('faults around the response', () => {
  for (const [name, prove] of Object.entries(proofs)) {
    it(`${name} does what it says on the application's side`, async () => {
      const { application, call } = newApplication();
      application.faults.switchOn({ name });
      const { response, facts } = await call(keyExchange());
      assert.deepEqual(facts.faults, [name]);
      prove(response);
    });

    it(`${name} does what it says on the service's side`, async () => {
      const { service, call, ptnToken } = newService();
      service.faults.switchOn({ name });
      const { response, facts } = await call(tokenCall(ptnToken()));
      assert.deepEqual(facts.faults, [name]);
      prove(response);
    });
  }

  it('are all tested here', () => {
    for (const faults of [applicationHttpFaults, serviceHttpFaults]) {
      assert.deepEqual(Object.keys(proofs).sort(), faults.map(({ name }) => name).sort());
    }
  });
});
