import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import { coded, configFile, modeOf, stateOf, temporaryFolder } from './temporary-state.ts';

const url = 'http://127.0.0.1:8080/callback';

describe('a linked config file', () => {
  it('has its target replaced, and stays a link', async () => {
    const folder = temporaryFolder();
    const target = configFile('{}', 'target.json');
    const link = join(folder, 'config.json');
    symlinkSync(target, link);
    await stateOf(link).settings.set('url', url);
    assert.equal(readlinkSync(link), target);
    assert.equal(stateOf(target).settings.get('url'), url);
    assert.equal(stateOf(link).configFile, target);
    assert.deepEqual(readdirSync(folder), ['config.json']);
  });

  it('may lead, through a relative link, to a file that is not there yet', async () => {
    const folder = temporaryFolder();
    symlinkSync(join('new', 'target.json'), join(folder, 'second'));
    symlinkSync('second', join(folder, 'first'));
    await stateOf(join(folder, 'first')).settings.set('url', url);
    assert.ok(lstatSync(join(folder, 'first')).isSymbolicLink());
    assert.ok(lstatSync(join(folder, 'second')).isSymbolicLink());
    assert.equal(stateOf(join(folder, 'new', 'target.json')).settings.get('url'), url);
  });

  it('is refused when it leads in a circle', () => {
    const file = join(temporaryFolder(), 'config.json');
    symlinkSync(file, file);
    assert.throws(
      () => stateOf(file).profile,
      coded('config', `Can't read ${file}: its links form a circle.`, /Fix the links/),
    );
  });

  it('keeps the users beside the target, whichever name is used', async () => {
    const target = configFile('{}');
    const link = join(temporaryFolder(), 'link');
    symlinkSync(target, link);
    await stateOf(link).users.put({ ptnCd: 'u1', key: Secret.key('k'), state: 'known' });
    assert.equal(stateOf(target).users.get('u1')?.key.reveal(), 'k');
  });
});

describe('a config file that can not be used', () => {
  const unusable: readonly (readonly [
    what: string,
    make: () => string | Promise<string>,
    message: RegExp,
  ])[] = [
    ['a folder', () => temporaryFolder(), /^Can't use .*: it is a folder, not a file\.$/],
    [
      'a name below a file',
      () => join(configFile('{}'), 'config.json'),
      /^Can't .*: a file is where a folder is needed\.$/,
    ],
    [
      'too long a name',
      () => join(temporaryFolder(), 'x'.repeat(300)),
      /^Can't (?:read|write) .*: the name is too long\.$/,
    ],
    [
      'a socket',
      async () => {
        const path = join(temporaryFolder(), 'socket');
        const server = createServer().unref();
        await new Promise<void>((resolve) => server.listen(path, resolve));
        return path;
      },
      /^Can't use .*: it is a device or a pipe, not a file\.$/,
    ],
  ];

  for (const [what, make, message] of unusable) {
    it(`is refused: ${what}`, async () => {
      const file = await make();
      const refused = coded('config', message);
      assert.throws(() => stateOf(file).settings.list(), refused);
      await assert.rejects(stateOf(file).settings.set('url', url), refused);
      await assert.rejects(
        stateOf(file).users.put({ ptnCd: 'u', key: Secret.key('k'), state: 'known' }),
        refused,
      );
    });
  }

  it('reads as empty, and is not written, when it is the null device', async () => {
    const state = stateOf(devNull);
    assert.deepEqual(state.settings.list(), {});
    assert.equal(state.users.get('u1'), undefined);
    const refused = coded('config', /a device or a pipe/);
    await assert.rejects(state.settings.set('url', url), refused);
    await assert.rejects(
      state.users.put({ ptnCd: 'u', key: Secret.key('k'), state: 'known' }),
      refused,
    );
  });

  it('is reported where its lock can not be made', async () => {
    // A long name is too long for ".lock": this is true for root too, unlike a mode.
    const file = join(temporaryFolder(), 'x'.repeat(253));
    assert.deepEqual(stateOf(file).settings.list(), {});
    await assert.rejects(
      stateOf(file).settings.set('url', url),
      coded('config', `Can't lock ${file}: the name is too long.`, /shorter name/),
    );
  });

  it('is reported where a folder can not be made', async () => {
    const folder = temporaryFolder();
    symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
    const file = join(folder, 'dangling', 'config.json');
    await assert.rejects(
      stateOf(file).settings.set('url', url),
      coded('config', /^Can't make the folder .*dangling: /),
    );
  });

  it('is reported where users can not be kept, and nothing is left behind', async () => {
    const file = configFile('{}');
    writeFileSync(`${file}.profiles`, 'in the way');
    await assert.rejects(
      stateOf(file).users.put({ ptnCd: 'u1', key: Secret.key('k'), state: 'known' }),
      coded('config', /a file is where a folder is needed/),
    );
    assert.equal(existsSync(`${file}.lock`), false);
  });
});

describe('loosened permissions', () => {
  it('are reported and fixed by reading', async () => {
    const file = configFile('{}');
    chmodSync(file, 0o644);
    const state = stateOf(file);
    state.settings.list();
    state.settings.list();
    const warning = `Others could read ${file} (mode 0644); it is private again.`;
    assert.deepEqual(state.warnings, [warning]);
    assert.equal(modeOf(file), '600');
    await state.settings.set('url', url);
    assert.equal(modeOf(file), '600');
    const later = stateOf(file);
    later.settings.list();
    assert.deepEqual(later.warnings, []);
  });

  for (const text of ['root:x:0:0:root:/root:/bin/sh\n', '[]', '{"version":"1.0.0"}']) {
    it(`of what is not a config file are left alone: ${text.trim()}`, () => {
      const file = configFile(text);
      chmodSync(file, 0o644);
      const state = stateOf(file);
      assert.throws(() => state.settings.list(), coded('config', /is damaged/));
      assert.deepEqual(state.warnings, []);
      assert.equal(modeOf(file), '644');
    });
  }

  it('of folders and users are fixed too', async () => {
    const file = configFile();
    const user = { ptnCd: 'u1', key: Secret.key('k'), state: 'known' } as const;
    await stateOf(file).users.put(user);
    const [profile = ''] = readdirSync(`${file}.profiles`);
    const users = join(`${file}.profiles`, profile, 'users');
    const [name = ''] = readdirSync(users);
    chmodSync(`${file}.profiles`, 0o755);
    chmodSync(users, 0o777);
    chmodSync(join(users, name), 0o666);
    const state = stateOf(file);
    state.users.get('u1');
    await state.users.put(user);
    assert.deepEqual([`${file}.profiles`, users, join(users, name)].map(modeOf), [
      '700',
      '700',
      '600',
    ]);
    assert.equal(state.warnings.length, 3);
  });

  it('of the folder that the config file was put in are left alone', async () => {
    const folder = join(temporaryFolder(), 'shared');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    await stateOf(join(folder, 'config.json')).settings.set('url', url);
    assert.equal(modeOf(folder), '755');
  });
});
