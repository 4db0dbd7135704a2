import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import type { User } from '../../src/protocol/user.ts';
import { openUserFile as openWith } from '../../src/state/user-file.ts';
import { revealed } from '../support/secrets.ts';

const openUserFile = (path: string) => openWith(path, randomBytes);
const folder = mkdtempSync(join(tmpdir(), 'authcli-user-file-'));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
const newPath = () => {
  files += 1;
  return join(folder, `${files}`, 'users.json');
};

function pathWith(text: string): string {
  const path = newPath();
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const user: User = {
  ptnCd: 'user-1',
  key: Secret.key('k'.repeat(32)),
  superPasscode: Secret.text('päss'),
  userInfo: Secret.text('{"name":"x"}'),
  state: 'registered',
};
const known: User = { ptnCd: 'user-2', key: Secret.key('l'.repeat(32)), state: 'known' };

describe('the users file of the emulated application', () => {
  it('keeps users from one run to the next', async () => {
    const path = newPath();
    const store = openUserFile(path);
    assert.deepEqual(store.list(), []);
    await store.put(user);
    await store.put(known);
    const again = openUserFile(path);
    assert.deepEqual(revealed(again.get('user-1')), revealed(user));
    assert.equal(again.get('user-2')?.state, 'known');
    assert.equal(again.get('user-3'), undefined);
  });

  it('is JSON with a version, mode 0600, in a folder of mode 0700', async () => {
    const path = newPath();
    await openUserFile(path).put(known);
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), {
      version: 1,
      users: [{ ptn_cd: 'user-2', key: known.key.reveal(), state: 'known' }],
    });
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(join(path, '..')).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(join(path, '..')), ['users.json']);
  });

  it('is not made before there is a user', async () => {
    const path = newPath();
    openUserFile(path);
    assert.ok(!existsSync(path));
  });

  it('loses no user of many that come at the same time', async () => {
    const path = newPath();
    const store = openUserFile(path);
    const users = Array.from({ length: 200 }, (_, index) => ({ ...known, ptnCd: `u${index}` }));
    await Promise.all(users.map((each) => store.put(each)));
    assert.equal(openUserFile(path).list().length, 200);
  });

  it('loses no user of two emulators that use it at the same time, and has the newest of each', async () => {
    const path = newPath();
    const stores = [openUserFile(path), openUserFile(path), openUserFile(path)];
    await stores[0]?.put({ ...known, ptnCd: 'both', key: Secret.key('1'.repeat(32)) });
    await stores[1]?.put({ ...known, ptnCd: 'both', key: Secret.key('2'.repeat(32)) });
    const puts = stores.flatMap((store, which) =>
      Array.from({ length: 20 }, (_, index) => store.put({ ...known, ptnCd: `${which}-${index}` })),
    );
    await Promise.all(puts);
    await stores[0]?.put({ ...known, ptnCd: 'last' });
    const kept = openUserFile(path);
    assert.equal(kept.list().length, 62);
    assert.equal(kept.get('both')?.key.reveal(), '2'.repeat(32));
    assert.equal(stores[0]?.get('2-19')?.ptnCd, '2-19');
    assert.deepEqual(readdirSync(join(path, '..')), ['users.json']);
  });

  it('has a user on disk when put is done, whatever else is under way', async () => {
    const path = newPath();
    const store = openUserFile(path);
    const put = async (ptnCd: string) => {
      await store.put({ ...known, ptnCd });
      assert.ok(readFileSync(path, 'utf8').includes(`"${ptnCd}"`));
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(put));
  });

  it('is taken over from an emulator that died while it wrote, whose unfinished file is removed', async () => {
    const path = pathWith('');
    mkdirSync(`${path}.lock`);
    utimesSync(`${path}.lock`, 1, 1);
    writeFileSync(`${path}.tmp-00ff`, 'half a file');
    await openUserFile(path).put(known);
    assert.deepEqual(readdirSync(join(path, '..')), ['users.json']);
  });

  it('lends nothing from a temporary file that was left behind', async () => {
    const path = pathWith('');
    writeFileSync(`${path}.tmp-00`, 'old', { mode: 0o644 });
    await openUserFile(path).put(known);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('follows a link, and leaves it in place', async () => {
    const target = pathWith('');
    const link = join(folder, 'link.json');
    symlinkSync(target, link);
    await openUserFile(link).put(known);
    assert.equal(openUserFile(target).list().length, 1);
  });

  it('may be empty', async () => {
    assert.deepEqual(openUserFile(pathWith('')).list(), []);
  });

  const bad: readonly [string, string, RegExp][] = [
    [
      'damaged',
      '{"version":1,"users":[{"key":"top-secret',
      /is not JSON from line 1, column 41 on/,
    ],
    ['an array', '[]', /is not a JSON object/],
    ['another file', '{"users":[]}', /has no "version" 1 with a list of "users"/],
    ['newer', '{"version":2,"users":{}}', /has version 2; this authcli reads versions up to 1/],
    ['not of users', '{"version":1,"users":["top-secret"]}', /row 1 .* is not a JSON object/],
    ['without a key', '{"version":1,"users":[{"ptn_cd":"a"}]}', /row 1 .* "key" is missing/],
    [
      'of an unknown state',
      '{"version":1,"users":[{"ptn_cd":"a","key":"b","state":"c"}]}',
      /row 1 .* "state" must be/,
    ],
  ];
  for (const [what, text, message] of bad) {
    it(`that is ${what} is refused and left as it is`, async () => {
      const path = pathWith(text);
      assert.throws(
        () => openUserFile(path),
        (error: Error & { code: string }) => {
          assert.equal(error.code, 'config');
          assert.match(error.message, message);
          assert.ok(error.message.includes(path));
          assert.ok(!error.message.includes('top-secret'));
          return true;
        },
      );
      assert.equal(readFileSync(path, 'utf8'), text);
    });
  }

  it('that is a folder is refused', async () => {
    assert.throws(() => openUserFile(folder), { code: 'config', message: /it is a folder/ });
  });

  it('that can no longer be written says so, and goes on once it can', async () => {
    const path = newPath();
    const store = openUserFile(path);
    writeFileSync(join(path, '..'), '');
    await assert.rejects(async () => store.put(user), {
      code: 'config',
      message: /^Can't make the folder .*: a file is where a folder is needed\.$/,
    });
    rmSync(join(path, '..'));
    await store.put(known);
    assert.equal(openUserFile(path).list().length, 2);
  });
});
