import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultCipher } from '../../../src/crypto/cipher.ts';
import type {
  Fault,
  Hooks,
  ServicePoints,
  SigninSituation,
} from '../../../src/emulator/faults/points.ts';
import { Switchboard } from '../../../src/emulator/faults/switchboard.ts';
import { json, keyExchange, newApplication, post } from '../support.ts';

const fault = (name: string, apply: Hooks<ServicePoints>): Fault<ServicePoints> => {
  return { name, side: 'service', title: name, check: 'x/y', diagnosis: 'other-user', apply };
};

const catalogue = [
  fault('adds-a', { ptnCd: (right) => `${right}a` }),
  fault('adds-b', { ptnCd: (right) => `${right}b` }),
  fault('does-nothing', { ptnCd: (right) => right }),
  fault('elsewhere', { ptnSp: () => '' }),
];

const seen = (ptnCd = 'user-1'): SigninSituation => ({
  request: post(''),
  ptnCd,
  key: 'k',
  clientId: 'c',
  cipher: defaultCipher,
  now: 0,
  randomBytes: (size) => new Uint8Array(size),
  memory: new Map(),
});

const newBoard = () => new Switchboard(catalogue);
const oneCall = (board: Switchboard<ServicePoints>, ptnCd?: string) => {
  const call = board.beginCall();
  return { passed: call.pass('ptnCd', 'u', seen(ptnCd)), acted: call.acted };
};

describe('the switchboard of faults', () => {
  it('lets the faults act one after another, in the order in which they were switched on', () => {
    const board = newBoard();
    assert.deepEqual(oneCall(board), { passed: 'u', acted: [] });
    board.switchOn({ name: 'adds-b' });
    board.switchOn({ name: 'adds-a' });
    assert.deepEqual(oneCall(board), { passed: 'uba', acted: ['adds-b', 'adds-a'] });
  });

  it('counts only calls in which the fault changed something, each once', () => {
    const board = newBoard();
    for (const name of ['does-nothing', 'elsewhere', 'adds-a']) board.switchOn({ name, times: 1 });
    const [call, beside] = [board.beginCall(), board.beginCall()];
    assert.deepEqual([call.has('ptnSp'), call.has('acsToken')], [true, false]);
    assert.equal(call.pass('ptnCd', 'u', seen()), 'ua');
    assert.equal(call.pass('ptnCd', 'v', seen()), 'va');
    assert.equal(beside.pass('ptnCd', 'u', seen()), 'u');
    assert.deepEqual(call.acted, ['adds-a']);
    const active = board.active().map(({ name }) => name);
    assert.deepEqual(active, ['does-nothing', 'elsewhere']);
  });

  for (const [name, hint] of [
    ['adds', 'Did you mean adds-a, adds-b?'],
    ['xyz', 'Look it up in the list of faults.'],
  ] as const) {
    it(`refuses an unknown fault, and names those that are near, or all: ${name}`, () => {
      const message = `Unknown fault "${name}".`;
      const data = { known: catalogue.map((each) => each.name) };
      assert.throws(() => newBoard().switchOn({ name }), { code: 'usage', message, hint, data });
    });
  }

  it('refuses a fault for a number of calls that there is not', () => {
    for (const times of [0, 1.5, Number.POSITIVE_INFINITY]) {
      const refused = { code: 'usage', message: `A fault can't be on for ${times} calls.` };
      assert.throws(() => newBoard().switchOn({ name: 'adds-a', times }), refused);
    }
  });
});

describe('the fault code=CODE:MESSAGE', () => {
  for (const [name, code, message] of [
    ['code=E104:unknown client', 'E104', 'unknown client'],
    ['code=E500', 'E500', ''],
  ] as const) {
    it(`responds so, stores nothing, and can be switched off: ${name}`, async () => {
      const { application, call } = newApplication();
      application.faults.switchOn({ name });
      const { response, facts } = await call(keyExchange('alice'));
      const found = [response.status, json(response), facts.faults];
      assert.deepEqual(found, [200, { code, message }, [name]]);
      assert.equal(application.users.get('alice'), undefined);
      assert.equal(application.faults.switchOff(name), 1);
      assert.equal((await call(keyExchange('alice'))).facts.code, '0000');
    });
  }

  it('is refused without a code', () => {
    const { application } = newApplication();
    assert.throws(() => application.faults.switchOn({ name: 'code=:message' }), { code: 'usage' });
  });
});
