import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rememberPasscodes, type ServiceUser } from '../../src/emulator/service-users.ts';
import { registeredUser } from './support.ts';

function listOf(user: ServiceUser | undefined) {
  const list = { user };
  return { list, find: () => list.user };
}

describe('passcodes that the service remembers', () => {
  it('knows users as they come', async () => {
    const { list, find } = listOf(undefined);
    const remembering = rememberPasscodes(find);
    assert.equal(await remembering('user-1'), undefined);
    list.user = registeredUser;
    assert.deepEqual(await remembering('user-1'), registeredUser);
  });

  it('keeps the passcode that it saw first under a key', async () => {
    const { list, find } = listOf(registeredUser);
    const remembering = rememberPasscodes(find);
    await remembering('user-1');
    list.user = { ...registeredUser, superPasscode: 'changed' };
    assert.deepEqual(await remembering('user-1'), registeredUser);
  });

  it('keeps the passcode that it was given at the beginning', async () => {
    const { find } = listOf({ ...registeredUser, superPasscode: 'changed' });
    assert.deepEqual(await rememberPasscodes(find, [registeredUser])('user-1'), registeredUser);
  });

  it('takes a new key for a new sign-up', async () => {
    const { list, find } = listOf(registeredUser);
    const remembering = rememberPasscodes(find);
    await remembering('user-1');
    const key = 'v'.repeat(32);
    list.user = { ptnCd: 'user-1', key };
    assert.deepEqual(await remembering('user-1'), { ptnCd: 'user-1', key });
    list.user = { ptnCd: 'user-1', key, superPasscode: 'new' };
    assert.equal((await remembering('user-1'))?.superPasscode, 'new');
  });

  it('forgets nobody into existence: a removed user is unknown', async () => {
    const { list, find } = listOf(registeredUser);
    const remembering = rememberPasscodes(find);
    await remembering('user-1');
    list.user = undefined;
    assert.equal(await remembering('user-1'), undefined);
  });
});
