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

function fault(name: string, apply: Hooks<ServicePoints>): Fault<ServicePoints> {
  return { name, side: 'service', title: name, check: 'x/y', diagnosis: 'other-user', apply };
}

const catalogue = [
  fault('adds-a', { ptnCd: (right) => `${right}a` }),
  fault('adds-b', { ptnCd: (right) => `${right}b` }),
  fault('does-nothing', { ptnCd: (right) => right }),
  fault('elsewhere', { ptnSp: () => '' }),
];

function seen(ptnCd = 'user-1'): SigninSituation {
  return {
    request: post(''),
    ptnCd,
    key: 'k',
    clientId: 'c',
    cipher: defaultCipher,
    now: 0,
    randomBytes: (size) => new Uint8Array(size),
    memory: new Map(),
  };
}

const newBoard = () => new Switchboard(catalogue);
const oneCall = (board: Switchboard<ServicePoints>, ptnCd?: string) => {
  const call = board.beginCall();
  return { passed: call.pass('ptnCd', 'u', seen(ptnCd)), acted: call.acted };
};

describe('the switchboard of faults', () => {
  it('leaves everything right while no fault is on', () => {
    assert.deepEqual(oneCall(newBoard()), { passed: 'u', acted: [] });
  });

  it('lets the faults act one after another, in the order in which they were switched on', () => {
    const board = newBoard();
    board.switchOn({ name: 'adds-b' });
    board.switchOn({ name: 'adds-a' });
    assert.deepEqual(oneCall(board), { passed: 'uba', acted: ['adds-b', 'adds-a'] });
  });

  it('switches a fault off after a number of calls', () => {
    const board = newBoard();
    board.switchOn({ name: 'adds-a', times: 2 });
    assert.deepEqual(board.active(), [{ name: 'adds-a', times: 2 }]);
    const passed = [oneCall(board), oneCall(board), oneCall(board)].map((call) => call.passed);
    assert.deepEqual(passed, ['ua', 'ua', 'u']);
    assert.deepEqual(board.active(), []);
  });

  it('counts only calls in which the fault changed something, each once', () => {
    const board = newBoard();
    board.switchOn({ name: 'does-nothing', times: 1 });
    board.switchOn({ name: 'elsewhere', times: 1 });
    board.switchOn({ name: 'adds-a', times: 1 });
    const call = board.beginCall();
    assert.equal(call.pass('ptnCd', 'u', seen()), 'ua');
    assert.equal(call.pass('ptnCd', 'v', seen()), 'va');
    assert.deepEqual(call.acted, ['adds-a']);
    assert.deepEqual(
      board.active().map(({ name }) => name),
      ['does-nothing', 'elsewhere'],
    );
  });

  it('counts calls that run side by side', () => {
    const board = newBoard();
    board.switchOn({ name: 'adds-a', times: 1 });
    const [first, second] = [board.beginCall(), board.beginCall()];
    assert.equal(first.pass('ptnCd', 'u', seen()), 'ua');
    assert.equal(second.pass('ptnCd', 'u', seen()), 'u');
  });

  it('lets a fault act for one user alone', () => {
    const board = newBoard();
    board.switchOn({ name: 'adds-a', ptnCd: 'user-2', times: 1 });
    assert.deepEqual(board.active(), [{ name: 'adds-a', times: 1, ptnCd: 'user-2' }]);
    assert.equal(oneCall(board, 'user-1').passed, 'u');
    assert.equal(oneCall(board, 'user-2').passed, 'ua');
    assert.equal(oneCall(board, 'user-2').passed, 'u');
  });

  it('switches one fault off, or all', () => {
    const board = newBoard();
    for (const name of ['adds-a', 'adds-b', 'adds-b']) board.switchOn({ name });
    assert.equal(board.switchOff('adds-b'), 2);
    assert.equal(oneCall(board).passed, 'ua');
    assert.equal(board.switchOff(), 1);
    assert.equal(oneCall(board).passed, 'u');
  });

  it('knows at which points a fault that is on acts', () => {
    const board = newBoard();
    board.switchOn({ name: 'elsewhere' });
    const call = board.beginCall();
    assert.deepEqual([call.has('ptnSp'), call.has('ptnCd')], [true, false]);
  });

  for (const [name, hint] of [
    ['adds', 'Did you mean adds-a, adds-b?'],
    ['do-nothing', 'Did you mean does-nothing?'],
    ['xyz', 'Look it up in the list of faults.'],
  ] as const) {
    it(`refuses a fault that there is not, and names those that are near: ${name}`, () => {
      const message = `Unknown fault "${name}".`;
      assert.throws(() => newBoard().switchOn({ name }), { code: 'usage', message, hint });
    });
  }

  it('gives the names that there are with the refusal', () => {
    const data = { known: catalogue.map(({ name }) => name) };
    assert.throws(() => newBoard().switchOn({ name: 'xyz' }), { data });
  });

  for (const times of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`refuses a fault for ${times} calls`, () => {
      const message = `A fault can't be on for ${times} calls.`;
      assert.throws(() => newBoard().switchOn({ name: 'adds-a', times }), {
        code: 'usage',
        message,
      });
    });
  }
});

describe('the fault code=CODE:MESSAGE', () => {
  for (const [name, code, message] of [
    ['code=E104:unknown client', 'E104', 'unknown client'],
    ['code=9999:at 10:30, try again', '9999', 'at 10:30, try again'],
    ['code=E500', 'E500', ''],
  ] as const) {
    it(`responds so, stores nothing, and can be switched off: ${name}`, async () => {
      const { application, call } = newApplication();
      application.faults.switchOn({ name });
      const { response, facts } = await call(keyExchange('alice'));
      assert.equal(response.status, 200);
      assert.deepEqual(json(response), { code, message });
      assert.deepEqual(facts.faults, [name]);
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
