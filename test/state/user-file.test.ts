import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
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
  it('keeps users from one run to the next', async () => {
    const path = newPath();
    const user: User = {
      ...userNamed('user-1'),
      superPasscode: Secret.text('päss'),
      userInfo: Secret.text('{"name":"x"}'),
      state: 'registered',
    };
    await openUserFile(path).put(user);
    await openUserFile(path).put(userNamed('user-2'));
    const again = openUserFile(path);
    assert.deepEqual(revealed(again.list()), revealed([user, userNamed('user-2')]));
    assert.deepEqual(revealed(again.get('user-1')), revealed(user));
  });

  it('is JSON with a version, mode 0600, in a folder of mode 0700, once there is a user', async () => {
    const path = newPath();
    const store = openUserFile(path);
    assert.ok(!existsSync(path));
    await store.put(userNamed('u'));
    const users = [{ ptn_cd: 'u', key: 'k'.repeat(32), state: 'known' }];
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { version: 1, users });
    assert.deepEqual([path, dirname(path)].map(modeOf), ['600', '700']);
    assert.deepEqual(readdirSync(dirname(path)), ['users.json']);
  });

  it('loses no user of emulators that use it at the same time, and has the newest of each', async () => {
    const path = newPath();
    const stores = [openUserFile(path), openUserFile(path), openUserFile(path)];
    await stores[0]?.put(userNamed('both', 'old'));
    await stores[1]?.put(userNamed('both', 'new'));
    const puts = stores.flatMap((store, which) =>
      Array.from({ length: 60 }, (_, index) => store.put(userNamed(`${which}-${index}`))),
    );
    await Promise.all(puts);
    await stores[0]?.put(userNamed('last'));
    const kept = openUserFile(path);
    assert.equal(kept.list().length, 182);
    assert.equal(kept.get('both')?.key.reveal(), 'new');
    assert.equal(stores[0]?.get('2-59')?.ptnCd, '2-59');
    assert.deepEqual(readdirSync(dirname(path)), ['users.json']);
  });

  it('has a user on disk when put is done, whatever else is under way', async () => {
    const path = newPath();
    const store = openUserFile(path);
    const put = async (ptnCd: string) => {
      await store.put(userNamed(ptnCd));
      assert.ok(readFileSync(path, 'utf8').includes(`"${ptnCd}"`));
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(put));
  });

  it('is taken over from an emulator that died while it wrote', async () => {
    const path = configFile('');
    mkdirSync(`${path}.lock`);
    utimesSync(`${path}.lock`, 1, 1);
    await openUserFile(path).put(userNamed('u'));
    assert.deepEqual(readdirSync(dirname(path)), ['config.json']);
  });

  it('follows a link, and leaves it in place', async () => {
    const target = configFile('');
    const link = join(temporaryFolder(), 'link.json');
    symlinkSync(target, link);
    await openUserFile(link).put(userNamed('u'));
    assert.equal(openUserFile(target).list().length, 1);
  });

  for (const [text, message] of [
    ['{"version":1,"users":[{"key":"top-secret', /is not JSON from line 1, column 41 on/],
    ['{"users":[]}', /has no "version" 1 with a list of "users"/],
    ['{"version":2,"users":{}}', /has version 2; this authcli reads versions up to 1/],
    ['{"version":1,"users":["top-secret"]}', /row 1 .* is not a JSON object/],
    ['{"version":1,"users":[{"ptn_cd":"a"}]}', /row 1 .* "key" is missing/],
  ] as const) {
    it(`is refused and left as it is: ${text}`, () => {
      const path = configFile(text);
      assert.throws(
        () => openUserFile(path),
        (error: Error) => {
          assert.ok(error.message.includes(path) && !error.message.includes('top-secret'));
          return coded('config', message)(error);
        },
      );
      assert.equal(readFileSync(path, 'utf8'), text);
    });
  }

  it('that can no longer be written is an error, and is written once it can be', async () => {
    const path = newPath();
    const store = openUserFile(path);
    writeFileSync(dirname(path), '');
    const refused = /^Can't make the folder .*: a file is where a folder is needed\.$/;
    await assert.rejects(async () => store.put(userNamed('a')), coded('config', refused));
    rmSync(dirname(path));
    await store.put(userNamed('b'));
    assert.equal(openUserFile(path).list().length, 2);
  });
});
