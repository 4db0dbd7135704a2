import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import type { User } from '../../src/protocol/user.ts';
import { openUserFile as openWith } from '../../src/state/user-file.ts';
import { revealed } from '../support/secrets.ts';
import { coded, configFile, modeOf, temporaryFolder, userNamed } from './temporary-state.ts';

const openUserFile = (path: string) => openWith(path, randomBytes);
const newPath = () => join(temporaryFolder(), 'users', 'users.json');

describe('the users file of the emulated application', () => {
  it('is made once there is a user, private, and keeps users from one run to the next', async () => {
    const path = newPath();
    const store = openUserFile(path);
    assert.ok(!fs.existsSync(path));
    await store.put(userNamed('u'));
    const users = [{ ptn_cd: 'u', key: 'k'.repeat(32), state: 'known' }];
    assert.deepEqual(JSON.parse(fs.readFileSync(path, 'utf8')), { version: 1, users });
    assert.deepEqual([path, dirname(path)].map(modeOf), ['600', '700']);
    const user: User = {
      ...userNamed('user-1'),
      superPasscode: Secret.text('päss'),
      userInfo: Secret.text('{"name":"x"}'),
      state: 'registered',
    };
    await openUserFile(path).put(user);
    const again = openUserFile(path);
    assert.deepEqual(revealed(again.list()), revealed([userNamed('u'), user]));
    assert.deepEqual(revealed(again.get('user-1')), revealed(user));
  });

  it('loses no user of emulators that use it at the same time, and has the newest of each', async () => {
    const path = newPath();
    const stores = [openUserFile(path), openUserFile(path), openUserFile(path)];
    await stores[0]?.put(userNamed('both', 'old'));
    await stores[1]?.put(userNamed('both', 'new'));
    const put = async (ptnCd: string, store = stores[0]) => {
      await store?.put(userNamed(ptnCd));
      assert.ok(fs.readFileSync(path, 'utf8').includes(`"${ptnCd}"`));
    };
    const puts = stores.flatMap((store, which) =>
      Array.from({ length: 20 }, (_, index) => put(`${which}-${index}`, store)),
    );
    await Promise.all(puts);
    await stores[0]?.put(userNamed('last'));
    const kept = openUserFile(path);
    assert.equal(kept.list().length, 62);
    assert.equal(kept.get('both')?.key.reveal(), 'new');
    assert.equal(stores[0]?.get('2-19')?.ptnCd, '2-19');
    assert.deepEqual(fs.readdirSync(dirname(path)), ['users.json']);
  });

  it('follows a link, leaves it in place, and takes over the lock of an emulator that died', async () => {
    const target = configFile('');
    const link = join(temporaryFolder(), 'link.json');
    fs.symlinkSync(target, link);
    fs.mkdirSync(`${target}.lock`);
    fs.utimesSync(`${target}.lock`, 1, 1);
    await openUserFile(link).put(userNamed('u'));
    assert.ok(fs.lstatSync(link).isSymbolicLink());
    assert.equal(openUserFile(target).list().length, 1);
    assert.deepEqual(fs.readdirSync(dirname(target)), ['config.json']);
  });

  for (const [text, problem] of [
    ['{"version":1,"users":[{"key":"top-secret', /is not JSON from line 1, column 41 on/],
    ['{"users":[]}', /has no "version" 1 with a list of "users"/],
    ['{"version":2,"users":{}}', /has version 2; this authcli reads versions up to 1/],
    ['{"version":1,"users":["top-secret"]}', /row 1 .* is not a JSON object/],
    ['{"version":1,"users":[{"ptn_cd":"a"}]}', /row 1 .* "key" is missing/],
  ] as const) {
    it(`is refused and left as it is: ${text}`, () => {
      const path = configFile(text);
      const refused = (error: Error) => {
        assert.ok(error.message.includes(path) && !error.message.includes('top-secret'));
        return coded('config', problem)(error);
      };
      assert.throws(() => openUserFile(path), refused);
      assert.equal(fs.readFileSync(path, 'utf8'), text);
    });
  }

  it('that can no longer be written is an error, and is written once it can be', async () => {
    const path = newPath();
    const store = openUserFile(path);
    fs.writeFileSync(dirname(path), '');
    const refused = /^Can't make the folder .*: a file is where a folder is needed\.$/;
    await assert.rejects(async () => store.put(userNamed('a')), coded('config', refused));
    fs.rmSync(dirname(path));
    await store.put(userNamed('b'));
    assert.equal(openUserFile(path).list().length, 2);
  });
});
