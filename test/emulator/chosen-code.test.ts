import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chosenCodeFault } from '../../src/emulator/faults/chosen-code.ts';
import { AuthcliError } from '../../src/errors.ts';
import { json, keyExchange, newApplication } from './support.ts';

describe('the fault code=CODE:MESSAGE', () => {
  for (const [name, code, message] of [
    ['code=E104:unknown client', 'E104', 'unknown client'],
    ['code=9999:at 10:30, try again', '9999', 'at 10:30, try again'],
    ['code=E500', 'E500', ''],
  ] as const) {
    it(`responds so: ${name}`, async () => {
      const { application, call } = newApplication();
      application.faults.switchOn({ name, times: 1 });
      const { response, facts } = await call(keyExchange());
      assert.equal(response.status, 200);
      assert.deepEqual(json(response), { code, message });
      assert.deepEqual(facts.faults, [name]);
      assert.equal((await call(keyExchange())).facts.code, '0000', 'once alone');
    });
  }

  it('stores nothing, and can be switched off', async () => {
    const { application, call } = newApplication();
    application.faults.switchOn({ name: 'code=E1:x' });
    await call(keyExchange('alice'));
    assert.equal(application.users.get('alice'), undefined);
    assert.equal(application.faults.switchOff('code=E1:x'), 1);
    assert.equal((await call(keyExchange('alice'))).facts.code, '0000');
  });

  it('is refused without a code, and leaves other names alone', () => {
    assert.throws(
      () => chosenCodeFault('code=:message'),
      (error) => error instanceof AuthcliError && error.code === 'usage',
    );
    assert.equal(chosenCodeFault('code-200'), undefined);
  });
});
