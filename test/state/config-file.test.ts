import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { configFolder } from '../../src/state/config-folder.ts';
import { openState } from '../../src/state/state.ts';
import {
  coded,
  configFile,
  modeOf,
  ownFiles,
  stateOf,
  temporaryFolder,
  userNamed,
} from './temporary-state.ts';

const url = 'http://127.0.0.1:8080/callback';
const textOf = (file: string) => fs.readFileSync(file, 'utf8');
const refused = (message: string | RegExp, hint?: string | RegExp) =>
  coded('config', message, hint);
const setUrl = (file: string) => stateOf(file).settings.assign(() => ({ url }));
const putUser = (file: string) => stateOf(file).users.put(userNamed('u'));

describe('the folder of settings', () => {
  const cases: readonly (readonly [string, string, NodeJS.ProcessEnv, string?])[] = [
    ['/x/authcli', 'linux', { HOME: '/h', XDG_CONFIG_HOME: '/x' }],
    ['/h/.config/authcli', 'linux', { HOME: '/h', XDG_CONFIG_HOME: 'x' }],
    ['/account/.config/authcli', 'linux', { HOME: '.' }],
    ['/account/.config/authcli', 'linux', { HOME: '/root' }],
    ['/account/Library/Preferences/authcli', 'darwin', {}],
    ['/a/authcli/Config', 'win32', { APPDATA: '/a' }],
    ['/u/AppData/Roaming/authcli/Config', 'win32', { USERPROFILE: '/u' }],
    // Never below the current folder: a folder that was checked out would decide what is run.
    ['/.config/authcli', 'linux', { HOME: '' }, ''],
  ];
  const mayEnter = (folder: string) => folder !== '/root';
  for (const [expected, os, env, home = '/account'] of cases) {
    it(`is ${expected} with ${JSON.stringify(env)}`, () => {
      assert.equal(configFolder({ env, os, home: () => home, mayEnter }), expected);
    });
  }
});

describe('the config file', () => {
  it('is not made by reading', () => {
    const file = join(temporaryFolder(), 'missing', 'config.json');
    const { profile, settings, users, serviceKeyPairs, profiles } = stateOf(file);
    const read = [profile, settings.list(), users.list(), serviceKeyPairs.list(), profiles.list()];
    assert.deepEqual(read, ['default', {}, [], [], ['default']]);
    assert.equal(fs.existsSync(dirname(file)), false);
  });

  for (const umask of [0o000, 0o077]) {
    it(`is made with all that belongs to it for their owner alone, umask ${umask}`, async () => {
      const before = process.umask(umask);
      try {
        const top = temporaryFolder();
        const file = join(top, 'a', 'b', 'config.json');
        await setUrl(file);
        await putUser(file);
        await stateOf(file).serviceKeyPairs.putFirst('pem');
        const content = { version: 1, activeProfile: 'default', profiles: { default: { url } } };
        assert.deepEqual(JSON.parse(textOf(file)), content);
        const entries = fs.readdirSync(top, { recursive: true, encoding: 'utf8' });
        assert.equal(entries.length, 8);
        for (const path of entries.map((entry) => join(top, entry)))
          assert.equal(modeOf(path), fs.lstatSync(path).isDirectory() ? '700' : '600', path);
      } finally {
        process.umask(before);
      }
    });
  }

  for (const content of ['', '\ufeff', '{}', '\ufeff{"version": 1}']) {
    it(`counts as new when it contains ${JSON.stringify(content)}`, async () => {
      const file = configFile(content, 'ü 🦜');
      assert.deepEqual(stateOf(file).settings.list(), {});
      await setUrl(file);
      assert.deepEqual(stateOf(file).settings.list(), { url });
      assert.deepEqual(fs.readdirSync(dirname(file)), ['ü 🦜']);
    });
  }

  it('retains properties that this version does not have', async () => {
    const profiles = { default: { url, colour: { red: 1 } }, other: {} };
    const content = { version: 1, activeProfile: 'default', profiles, note: ['kept'] };
    const file = configFile(JSON.stringify(content));
    await stateOf(file).settings.assign(() => ({ timeout: '5s' }));
    const changed = { ...profiles, default: { ...profiles.default, timeout: '5s' } };
    assert.deepEqual(JSON.parse(textOf(file)), { ...content, profiles: changed });
    assert.deepEqual(stateOf(file).settings.list(), { url, timeout: '5s' });
  });

  it('warns of an active profile that is missing', () => {
    const state = stateOf(configFile('{"version":1,"activeProfile":"gone"}'));
    assert.equal(state.profile, 'default');
    assert.match(state.warnings.join(), /"gone", isn't in .*; "default" is used/);
  });

  it('of version 0 is migrated, in memory by reading, on the disk by writing', async () => {
    const older = `{"url": "${url}", "expire-time-zone": "Asia/Seoul", "note": 1}`;
    const file = configFile(older);
    assert.deepEqual(stateOf(file).settings.list(), { url, 'expire-time-zone': 'Asia/Seoul' });
    assert.equal(textOf(file), older);
    await stateOf(file).settings.assign(() => ({ timeout: '5s' }));
    const profiles = { default: { url, 'expire-time-zone': 'Asia/Seoul', timeout: '5s' } };
    const migrated = { version: 1, activeProfile: 'default', profiles, note: 1 };
    assert.deepEqual(JSON.parse(textOf(file)), migrated);
    const withProfiles = configFile(`{"activeProfile": "a", "profiles": {"a": {"url": "${url}"}}}`);
    assert.equal(stateOf(withProfiles).settings.list().url, url);
  });

  it('of a newer version is refused and left as it is', async () => {
    const file = configFile('{"version": 2, "profiles": []}');
    const newer = refused(
      `The config file ${file} has version 2; this authcli reads versions up to 1.`,
      'Use a newer authcli, or another config file; it was left as it is.',
    );
    assert.throws(() => stateOf(file).settings.list(), newer);
    await assert.rejects(setUrl(file), newer);
    await assert.rejects(putUser(file), newer);
    await assert.rejects(stateOf(file).profiles.create('x'), newer);
    assert.equal(textOf(file), '{"version": 2, "profiles": []}');
    assert.deepEqual(fs.readdirSync(dirname(file)), ['config.json']);
  });
});

describe('a damaged config file', () => {
  const secret = 'hunter2hunter2';
  const cases: readonly (readonly [content: string | Uint8Array, problem: string])[] = [
    [`{"secret-key": "${secret}`, 'it is not JSON from line 1, column 31 on'],
    [`{\n  "secret-key": "${secret}",\n}`, 'it is not JSON from line 3, column 1 on'],
    [Uint8Array.of(0x7b, 0xff, 0x7d), 'it is not UTF-8 text'],
    [`"${secret}"`, 'it is not a JSON object'],
    ['{"version": 1.5}', 'its "version" is not a version number'],
    ['{"version": 1, "profiles": []}', '"profiles" must be an object'],
    ['{"version": 1, "activeProfile": 3}', '"activeProfile" must be text'],
    [`{"profiles": {"a": "${secret}"}}`, 'the profile "a" must be an object'],
    ['{"profiles": {"a": {"timeout": 10}}}', '"timeout" of the profile "a" must be text'],
    [`{"headers": "${secret}"}`, '"headers" of the profile "default" must be a list of texts'],
  ];
  for (const [content, problem] of cases) {
    it(`is named and left as it is: ${problem} (${Buffer.from(content)})`, async () => {
      const file = configFile(content);
      fs.chmodSync(file, 0o644); // a file that was named by mistake keeps its mode
      const damaged = refused(`The config file ${file} is damaged: ${problem}.`, /by hand/);
      // Its text is neither in the message, which is exact, nor behind it.
      const whole = (error: Error) => damaged(error) && error.cause === undefined;
      assert.throws(() => stateOf(file).profile, whole);
      await assert.rejects(setUrl(file), damaged);
      assert.deepEqual(fs.readFileSync(file), Buffer.from(content));
      assert.deepEqual(fs.readdirSync(dirname(file)), ['config.json']);
      assert.equal(modeOf(file), '644');
    });
  }

  it('is not read if it is larger than any that authcli writes', () => {
    const file = configFile('{}');
    fs.truncateSync(file, 50_000_000);
    const tooLarge = refused(/has 47\.6 MiB; authcli reads at most 16 MiB/, /right file/);
    assert.throws(() => stateOf(file).profile, tooLarge);
  });
});

it('a linked config file has its target replaced, and stays a link', async () => {
  const target = configFile('');
  const link = join(temporaryFolder(), 'link');
  fs.symlinkSync(target, link);
  await setUrl(link);
  await putUser(link);
  assert.ok(fs.lstatSync(link).isSymbolicLink());
  assert.equal(stateOf(target).settings.list().url, url);
  assert.equal(stateOf(target).users.count(), 1);
  assert.deepEqual(fs.readdirSync(dirname(link)), ['link']);
});

describe('a config file that can not be used', () => {
  const inFolder = (name: string) => join(temporaryFolder(), name);
  const circle = inFolder('circle');
  fs.symlinkSync(circle, circle);
  const socket = inFolder('socket');
  for (const [file, message] of [
    [temporaryFolder(), /^Can't use .*: it is a folder, not a file\.$/],
    [join(configFile('{}'), 'x'), /^Can't .*: a file is where a folder is needed\.$/],
    [circle, /^Can't read .*: its links form a circle\.$/],
    [socket, /^Can't use .*: it is a device or a pipe, not a file\.$/],
  ] as const) {
    it(`is refused: ${message}`, async () => {
      if (file === socket) await once(createServer().unref().listen(socket), 'listening');
      assert.throws(() => stateOf(file).settings.list(), refused(message));
      await assert.rejects(setUrl(file), refused(/^Can't (?:read|write|use|make) /));
      await assert.rejects(putUser(file), refused(message));
    });
  }

  it('reads as empty when it is the null device', () => {
    assert.deepEqual(stateOf(devNull).settings.list(), {});
  });

  it('is reported where its lock, a folder or the users can not be stored', async () => {
    // A long name is too long for ".lock": this is true for root too, unlike a mode.
    const long = inFolder('x'.repeat(253));
    const tooLong = refused(`Can't lock ${long}: the name is too long.`, /shorter name/);
    await assert.rejects(setUrl(long), tooLong);
    const dangling = inFolder('dangling');
    fs.symlinkSync(`${dangling}-nowhere`, dangling);
    const notMade = refused(/^Can't make the folder .*dangling: /);
    await assert.rejects(setUrl(join(dangling, 'config.json')), notMade);
    // Below /proc nothing can be made, where Node's own recursion never ends; elsewhere it isn't there.
    const nowhere = fs.existsSync('/proc') ? '/proc/none/a/config.json' : join(dangling, 'a', 'b');
    await assert.rejects(setUrl(nowhere), refused(/^Can't make the folder/));
    const blocked = configFile('{}');
    fs.writeFileSync(`${blocked}.profiles`, 'in the way');
    await assert.rejects(putUser(blocked), refused(/a file is where a folder is needed/));
    assert.equal(fs.existsSync(`${blocked}.lock`), false);
  });
});

it('loosened permissions are reported and fixed by reading, but not of a folder of others', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'config.json');
  fs.chmodSync(folder, 0o755);
  await setUrl(file);
  await putUser(file);
  const [path = ''] = ownFiles(file, '.json');
  const loosened = [file, `${file}.profiles`, dirname(path), path];
  for (const [index, mode] of [0o644, 0o755, 0o777, 0o666].entries())
    fs.chmodSync(loosened[index] ?? '', mode);
  const state = stateOf(file);
  for (let reading = 0; reading < 2; reading += 1) state.users.get('u');
  await state.users.put(userNamed('u'));
  assert.deepEqual(loosened.map(modeOf), ['600', '700', '700', '600']);
  assert.equal(state.warnings.length, 4);
  const warning = `Others could read ${file} (mode 0644); it is private again.`;
  assert.ok(state.warnings.includes(warning), `${state.warnings}`);
  assert.equal(modeOf(folder), '755');
  const later = stateOf(file);
  later.users.get('u');
  assert.deepEqual(later.warnings, []);
});

describe('a config file with references', () => {
  const withCommand = '{"profiles":{"default":{"secret-key":"cmd:touch pwned"}}}';
  const withMode = (mode: number) => {
    const file = configFile(withCommand);
    fs.chmodSync(file, mode);
    return file;
  };

  it('is read if others can only read it, and refused if they can write it', () => {
    assert.equal(stateOf(withMode(0o644)).settings.list()['secret-key'], 'cmd:touch pwned');
    for (const file of [0o620, 0o602].map(withMode)) {
      const hint = `Check its content, then run: chmod 600 ${file}`;
      for (let reading = 0; reading < 2; reading += 1)
        assert.throws(() => stateOf(file).profile, refused(/Others can write the config/, hint));
    }
  });

  it('is refused if another user owns it', () => {
    const options = { randomBytes: () => new Uint8Array(), os: 'linux' };
    const file = withMode(0o600);
    if (process.getuid?.() === 0) fs.chownSync(file, 1, 1); // the files of root are everybody's
    const state = openState({ ...options, configFile: file, userId: fs.statSync(file).uid + 1 });
    assert.throws(() => state.profile, refused(/belongs to another user/, /chown/));
  });
});
