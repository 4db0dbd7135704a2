import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { createApplication, handleCallback } from '../../src/emulator/application.ts';
import type { Handler } from '../../src/emulator/handling.ts';
import { handleServiceCall } from '../../src/emulator/service.ts';
import { RecordedBehaviour } from '../../src/relay/behaviour.ts';
import {
  clientId,
  json,
  newService,
  post,
  registeredUser,
  secretKey,
  tokenCall,
} from '../emulator/support.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { exchange } from './traffic.ts';

/** What a service by other hands responded, in the order of a day. */
function recordedService(): readonly ReturnType<typeof exchange>[] {
  const token = (fields: object, response: object) =>
    exchange({
      request: { client_id: 'shop', secret_key: 'shop-secret', ...fields },
      response,
      headers: [
        ['Content-Type', 'application/json;charset=UTF-8'],
        ['X-Trace', 'abc'],
        ['Date', 'Mon, 23 Nov 2026 03:04:05 GMT'],
        ['Content-Length', '123'],
      ],
    });
  const issued = {
    code: '0000',
    message: 'SUCCESS',
    trace_id: 't-1',
    result: { acs_token: 'a-1', expire_dt: '20261123120905', ptn_cd: 'ada', grade: 'B' },
  };
  const authenticated = { code: '0000', message: 'SUCCESS', result: { ptn_sp: 'x' } };
  return [
    token({ ptn_token: 'p-1' }, issued),
    token({ acs_token: 'a-1' }, authenticated),
    token({ acs_token: 'a-1' }, { code: '4101', message: 'token already used' }),
    token({ ptn_token: 'forged' }, { code: '4001', message: 'bad ptn_token' }),
    token({ ptn_token: 'p-1', secret_key: 'wrong' }, { code: '1001', message: 'who are you' }),
    token({ ptn_token: '' }, { code: '0400', message: 'parameter' }),
  ];
}

function behaviourOf(
  exchanges: readonly ReturnType<typeof exchange>[],
  side: 'application' | 'service' = 'service',
): RecordedBehaviour {
  const behaviour = new RecordedBehaviour(side);
  for (const each of exchanges) behaviour.observe(each);
  return behaviour;
}

function emulated(behaviour: RecordedBehaviour, latency = false) {
  const { service, ptnToken } = newService();
  const handler = behaviour.replicate((request) => handleServiceCall(request, service), {
    latency,
  });
  return { handler, ptnToken };
}

const send = async (handler: Handler, request: Parameters<Handler>[0]) => {
  const { response, facts } = await handler(request);
  return { response, facts, body: json(response) };
};

describe('an emulated service with the behaviour of a recording', () => {
  it('accepts with the recorded message, extra fields and headers, and its own values', async () => {
    const { handler, ptnToken } = emulated(behaviourOf(recordedService()));
    const { response, body } = await send(handler, tokenCall(ptnToken()));
    assert.deepEqual(Object.keys(body), ['code', 'message', 'trace_id', 'result']);
    const { code, message, trace_id: traceId, result } = body;
    assert.deepEqual([code, message, traceId], ['0000', 'SUCCESS', 't-1']);
    const { acs_token: acsToken, ptn_cd: ptnCd, grade } = result as Record<string, string>;
    assert.notEqual(acsToken, 'a-1');
    assert.deepEqual([ptnCd, grade], [registeredUser.ptnCd, 'B']);
    assert.deepEqual(response.headers, {
      'Content-Type': 'application/json;charset=UTF-8',
      'X-Trace': 'abc',
    });
  });

  const refusals: readonly [string, object, string][] = [
    ['a token that it never issued', { ptn_token: 'forged' }, '4001'],
    ['a wrong secret', { ptn_token: 'x', secret_key: 'no' }, '1001'],
    ['a field that is missing', { ptn_token: '' }, '0400'],
  ];
  for (const [name, fields, code] of refusals) {
    it(`refuses ${name} as the recorded one did`, async () => {
      const { handler } = emulated(behaviourOf(recordedService()));
      const request = { client_id: clientId, secret_key: secretKey, ...fields };
      const { body } = await send(handler, post(request, { path: '/process/token' }));
      assert.equal(body.code, code);
      assert.equal(body.result, undefined);
    });
  }

  it('refuses an access token the second time as the recorded one did', async () => {
    const { handler, ptnToken } = emulated(behaviourOf(recordedService()));
    const { body } = await send(handler, tokenCall(ptnToken()));
    const { acs_token: acsToken } = body.result as Record<string, string>;
    const call = { client_id: clientId, secret_key: secretKey, acs_token: acsToken };
    const first = await send(handler, post(call, { path: '/process/authenticate' }));
    assert.equal(first.body.code, '0000');
    const second = await send(handler, post(call, { path: '/process/authenticate' }));
    assert.deepEqual(second.body, { code: '4101', message: 'token already used' });
    assert.equal(second.facts.code, '4101');
  });

  it('says so in the journal where the recording has no such request', async () => {
    const { handler } = emulated(behaviourOf(recordedService()));
    const call = { client_id: clientId, secret_key: secretKey, acs_token: 'never issued' };
    const { body, facts } = await send(handler, post(call, { path: '/process/authenticate' }));
    assert.equal(body.code, 'E301');
    assert.match(facts.remarks?.join() ?? '', /no response to this request \(acs-token\)/);
  });

  it('responds in the recorded time, unless it is left out', async () => {
    const slow = recordedService().map((each) => ({ ...each, durationMs: 250 }));
    for (const [latency, delayMs] of [
      [true, 250],
      [false, undefined],
    ] as const) {
      const { handler, ptnToken } = emulated(behaviourOf(slow), latency);
      const { response } = await send(handler, tokenCall(ptnToken()));
      assert.equal(response.delivery?.delayMs, delayMs);
    }
  });

  it('takes nothing over from the other side', () => {
    assert.equal(behaviourOf(recordedService(), 'application').size, 0);
    assert.equal(behaviourOf(recordedService()).size, 6);
  });

  it('responds as the recorded one did most often', async () => {
    const [, , , forged] = recordedService();
    assert.ok(forged);
    const other = exchange({
      request: { client_id: 'shop', secret_key: 'shop-secret', ptn_token: 'another' },
      response: { code: '4002', message: 'busy' },
    });
    const { handler } = emulated(behaviourOf([...recordedService(), other, other]));
    const request = { client_id: clientId, secret_key: secretKey, ptn_token: 'forged' };
    assert.equal(
      (await send(handler, post(request, { path: '/process/token' }))).body.code,
      '4002',
    );
  });
});

describe('an emulated application with the behaviour of a recording', () => {
  const callback = (fields: object, response: object) =>
    exchange({ request: { client_id: 'shop', ...fields }, response });
  const recorded = [
    callback(
      { used_type: '2', ptn_cd: 'ada', partner_sp: 'x' },
      { code: '77', message: 'user ada is unknown' },
    ),
    callback(
      { used_type: '1', ptn_cd: 'ada', public_key: 'no key' },
      { code: '66', message: 'invalid key' },
    ),
    callback({ used_type: '3', ptn_cd: 'ada' }, { code: '55', message: 'used_type' }),
  ];
  const application = createApplication({
    clientId,
    cipher: defaultCipher,
    environment: { now: () => 0, randomBytes: seededBytes('behaviour') },
  });
  const handler = behaviourOf(recorded, 'application').replicate(
    (request) => handleCallback(request, application),
    { latency: false },
  );

  it('speaks of the user who is asked for', async () => {
    const call = { client_id: clientId, used_type: '2', ptn_cd: 'grace', partner_sp: 'x' };
    const { body } = await send(handler, post(call));
    assert.deepEqual(body, { code: '77', message: 'user grace is unknown' });
  });

  it('refuses an invalid public key, and another used_type, with the recorded codes', async () => {
    const wrongKey = { client_id: clientId, used_type: '1', ptn_cd: 'grace', public_key: 'x' };
    assert.equal((await send(handler, post(wrongKey))).body.code, '66');
    const wrongType = { client_id: clientId, used_type: '9', ptn_cd: 'grace', public_key: 'x' };
    assert.equal((await send(handler, post(wrongType))).body.code, '55');
  });
});
