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
  return { name, title: name, check: 'x/y', diagnosis: 'other-user', apply };
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
    assert.equal(call.pass('ptnCd', 'u', seen()), 'ua');
    assert.equal(call.pass('ptnCd', 'v', seen()), 'va');
    assert.equal(beside.pass('ptnCd', 'u', seen()), 'u');
    assert.deepEqual(call.acted, ['adds-a']);
    const active = board.active().map(({ name }) => name);
    assert.deepEqual(active, ['does-nothing', 'elsewhere']);
  });
});

describe('the fault code=CODE:MESSAGE', () => {
  it('responds so, stores nothing, can be switched off, and is refused without a code', async () => {
    const { application, call } = newApplication();
    const { faults, users } = application;
    const name = 'code=E104:unknown client';
    faults.switchOn({ name });
    const { response, facts } = await call(keyExchange('alice'));
    assert.deepEqual([response.status, facts.faults], [200, [name]]);
    assert.deepEqual(json(response), { code: 'E104', message: 'unknown client' });
    assert.equal(users.get('alice'), undefined);
    assert.equal(faults.switchOff(name), 1);
    assert.equal((await call(keyExchange('alice'))).facts.code, '0000');
    assert.throws(() => faults.switchOn({ name: 'code=:message' }), { code: 'usage' });
  });
});
