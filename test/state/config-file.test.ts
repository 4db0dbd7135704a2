import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { configFolder } from '../../src/state/config-folder.ts';
import { openState } from '../../src/state/state.ts';
import { fc } from '../support/fast-check.ts';
import {
  coded,
  configFile,
  modeOf,
  ownFiles,
  stateOf,
  temporaryFolder,
  userNamed,
} from './temporary-state.ts';

const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const url = 'http://127.0.0.1:8080/callback';

describe('the folder of settings', () => {
  const cases: readonly (readonly [NodeJS.ProcessEnv, string, string, string?])[] = [
    [{ HOME: '/h', XDG_CONFIG_HOME: '/x' }, 'linux', '/x/authcli'],
    [{ HOME: '/h', XDG_CONFIG_HOME: 'x' }, 'linux', '/h/.config/authcli'],
    [{ HOME: '/h', XDG_CONFIG_HOME: '' }, 'linux', '/h/.config/authcli'],
    [{}, 'linux', '/account/.config/authcli'],
    [{ HOME: '.' }, 'linux', '/account/.config/authcli'],
    [{ HOME: 'home' }, 'darwin', '/account/Library/Preferences/authcli'],
    // Never below the current folder: a folder that was checked out would decide what is run.
    [{ HOME: '' }, 'linux', '/.config/authcli', ''],
  ];
  for (const [env, os, expected, home = '/account'] of cases) {
    it(`is ${expected} with ${JSON.stringify(env)}`, () => {
      assert.equal(configFolder({ env, os, home: () => home }), expected);
    });
  }
});

describe('the config file', () => {
  it('is not made by reading', () => {
    const file = join(temporaryFolder(), 'missing', 'config.json');
    const state = stateOf(file);
    assert.equal(state.profile, 'default');
    assert.deepEqual(state.settings.list(), {});
    assert.deepEqual(state.users.list(), []);
    assert.equal(state.serviceKeyPairs.get(), undefined);
    assert.deepEqual(state.profiles.list(), ['default']);
    assert.equal(existsSync(dirname(file)), false);
  });

  for (const umask of [0o000, 0o077]) {
    it(`is made with all that belongs to it for their owner alone, umask ${umask}`, async () => {
      const before = process.umask(umask);
      try {
        const top = temporaryFolder();
        const file = join(top, 'a', 'b', 'config.json');
        const state = stateOf(file);
        await state.settings.set('url', url);
        await state.users.put(userNamed('u1'));
        await state.serviceKeyPairs.put('pem');
        const profiles = { default: { url } };
        assert.deepEqual(json(file), { version: 1, activeProfile: 'default', profiles });
        const entries = readdirSync(top, { recursive: true, encoding: 'utf8' });
        assert.equal(entries.length, 8);
        for (const path of entries.map((entry) => join(top, entry))) {
          assert.equal(modeOf(path), lstatSync(path).isDirectory() ? '700' : '600', path);
        }
      } finally {
        process.umask(before);
      }
    });
  }

  for (const name of ['config', 'a.b.json', '.authclirc', 'ü 🦜.json']) {
    it(`may be called ${name}`, async () => {
      const file = join(temporaryFolder(), name);
      await stateOf(file).settings.set('url', url);
      assert.deepEqual(readdirSync(dirname(file)), [name]);
      assert.equal(stateOf(file).settings.get('url'), url);
    });
  }

  for (const content of ['', '\ufeff', '{}', '\ufeff{"version": 1}']) {
    it(`counts as new when it contains ${JSON.stringify(content)}`, async () => {
      const file = configFile(content);
      assert.deepEqual(stateOf(file).settings.list(), {});
      await stateOf(file).settings.set('url', url);
      assert.deepEqual(stateOf(file).settings.list(), { url });
    });
  }

  it('retains properties that this version does not have', async () => {
    const profiles = { default: { url, colour: { red: 1 } }, other: {} };
    const content = { version: 1, activeProfile: 'default', profiles, note: ['kept'] };
    const file = configFile(JSON.stringify(content));
    await stateOf(file).settings.set('timeout', '5s');
    const changed = { ...profiles, default: { ...profiles.default, timeout: '5s' } };
    assert.deepEqual(json(file), { ...content, profiles: changed });
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
    assert.equal(readFileSync(file, 'utf8'), older);
    await stateOf(file).settings.set('timeout', '5s');
    const profiles = { default: { url, 'expire-time-zone': 'Asia/Seoul', timeout: '5s' } };
    assert.deepEqual(json(file), { version: 1, activeProfile: 'default', profiles, note: 1 });
    const withProfiles = configFile(`{"activeProfile": "a", "profiles": {"a": {"url": "${url}"}}}`);
    assert.equal(stateOf(withProfiles).settings.get('url'), url);
  });

  it('of a newer version is refused and left as it is', async () => {
    const file = configFile('{"version": 2, "profiles": []}');
    const refused = coded(
      'config',
      `The config file ${file} has version 2; this authcli reads versions up to 1.`,
      'Use a newer authcli, or another config file; it was left as it is.',
    );
    const state = stateOf(file);
    assert.throws(() => state.settings.list(), refused);
    await assert.rejects(state.settings.set('url', url), refused);
    await assert.rejects(state.users.put(userNamed('u')), refused);
    await assert.rejects(state.profiles.create('x'), refused);
    await assert.rejects(state.setDamagedAside(), refused);
    assert.equal(readFileSync(file, 'utf8'), '{"version": 2, "profiles": []}');
    assert.deepEqual(readdirSync(dirname(file)), ['config.json']);
  });
});

describe('a damaged config file', () => {
  const secret = 'hunter2hunter2';
  const cases: readonly (readonly [content: string | Uint8Array, problem: string])[] = [
    [`{"secret-key": "${secret}`, 'it is not JSON from line 1, column 31 on'],
    [`{\n  "secret-key": "${secret}",\n}`, 'it is not JSON from line 3, column 1 on'],
    ['\0\0\0\0', 'it is not JSON from line 1, column 1 on'],
    [Uint8Array.of(0x7b, 0xff, 0x7d), 'it is not UTF-8 text'],
    [`"${secret}"`, 'it is not a JSON object'],
    ['{"version": "1"}', 'its "version" is not a version number'],
    ['{"version": 1.5}', 'its "version" is not a version number'],
    ['{"version": -1}', 'its "version" is not a version number'],
    ['{"version": 1, "profiles": []}', '"profiles" must be an object'],
    ['{"version": 1, "activeProfile": 3}', '"activeProfile" must be text'],
    [`{"profiles": {"a": "${secret}"}}`, 'the profile "a" must be an object'],
    ['{"profiles": {"a": {"timeout": 10}}}', '"timeout" of the profile "a" must be text'],
    [`{"headers": "${secret}"}`, '"headers" of the profile "default" must be a list of texts'],
  ];
  for (const [content, problem] of cases) {
    it(`is named and left as it is: ${problem} (${Buffer.from(content)})`, async () => {
      const file = configFile(content);
      chmodSync(file, 0o644); // a file that was named by mistake keeps its mode
      const refused = coded('config', `The config file ${file} is damaged: ${problem}.`, /by hand/);
      assert.throws(() => stateOf(file).profile, refused);
      await assert.rejects(stateOf(file).settings.set('url', url), refused);
      assert.deepEqual(readFileSync(file), Buffer.from(content));
      assert.deepEqual(readdirSync(dirname(file)), ['config.json']);
      assert.equal(modeOf(file), '644');
    });
  }

  it('is not read if it is larger than any that authcli writes', () => {
    const file = configFile('{}');
    truncateSync(file, 50_000_000);
    const refused = coded('config', /has 47\.6 MiB; authcli reads at most 16 MiB/, /right file/);
    assert.throws(() => stateOf(file).profile, refused);
  });

  it('never shows its text, whatever cuts it', () => {
    const whole = JSON.stringify({ version: 1, profiles: { default: { 'secret-key': secret } } });
    fc.assert(
      fc.property(fc.nat({ max: whole.length - 1 }), fc.string(), (cut, rubbish) => {
        const file = configFile(`${whole.slice(0, cut)}${rubbish}`);
        try {
          stateOf(file).settings.list();
        } catch (error) {
          coded('config', /config\.json/)(error);
          const shown = JSON.stringify([error, `${error}`, (error as Error).stack]);
          assert.ok(!shown.includes(secret) && (error as Error).cause === undefined);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('is moved aside on request, as often as it is damaged', async () => {
    const file = configFile('{');
    const aside = `${file}.damaged-2025-01-31T12-30-15-250Z`;
    const problem = `The config file ${file} is damaged: it is not JSON from line 1, column 2 on.`;
    assert.deepEqual(await stateOf(file).setDamagedAside(), [{ file, aside, problem }]);
    assert.deepEqual(await stateOf(file).setDamagedAside(), []);
    writeFileSync(file, '[');
    const [again] = await stateOf(file).setDamagedAside();
    assert.equal(again?.aside, `${aside}-2`);
    assert.equal(readFileSync(aside, 'utf8'), '{');
    assert.equal(readFileSync(`${aside}-2`, 'utf8'), '[');
  });

  it('is moved aside with every other damaged file, and none that is whole', async () => {
    const file = configFile(`{"version":1,"profiles":{"default":{"url":"${url}"},"two":{}}}`);
    await stateOf(file).users.put(userNamed('whole'));
    await stateOf(file, 'two').users.put(userNamed('cut'));
    await stateOf(file, 'two').serviceKeyPairs.put('pem');
    await stateOf(file, 'two').failedChecks.put('url', ['a'], ['a']);
    const identity = { certificate: 'pem', privateKey: userNamed('').key };
    await stateOf(file, 'two').localTls.change(async () => ({ authority: identity }));
    const damaged = ownFiles(file, '.json').filter((path) => /profiles.two/.test(path));
    assert.equal(damaged.length, 4);
    for (const path of damaged) writeFileSync(path, '{"version":1,"ke');
    const moved = await stateOf(file).setDamagedAside();
    assert.deepEqual(moved.map((one) => one.file).sort(), damaged.sort());
    assert.equal(stateOf(file).users.get('whole')?.key.reveal(), 'k'.repeat(32));
    assert.deepEqual(stateOf(file, 'two').users.list(), []);
    assert.equal(stateOf(file).settings.get('url'), url);
  });
});

describe('a linked config file', () => {
  it('has its target replaced, and stays a link; users are beside the target', async () => {
    const target = configFile('{}', 'target.json');
    const link = join(temporaryFolder(), 'config.json');
    symlinkSync(target, link);
    await stateOf(link).settings.set('url', url);
    await stateOf(link).users.put(userNamed('u1'));
    assert.equal(readlinkSync(link), target);
    assert.equal(stateOf(link).configFile, target);
    assert.equal(stateOf(target).settings.get('url'), url);
    assert.equal(stateOf(target).users.count(), 1);
    assert.deepEqual(readdirSync(dirname(link)), ['config.json']);
  });

  it('may lead, through a relative link, to a file that does not exist yet', async () => {
    const folder = temporaryFolder();
    symlinkSync(join('new', 'target.json'), join(folder, 'second'));
    symlinkSync('second', join(folder, 'first'));
    await stateOf(join(folder, 'first')).settings.set('url', url);
    assert.ok(lstatSync(join(folder, 'second')).isSymbolicLink());
    assert.equal(stateOf(join(folder, 'new', 'target.json')).settings.get('url'), url);
  });
});

describe('a config file that can not be used', () => {
  const unusable: readonly (readonly [string, () => string | Promise<string>, RegExp])[] = [
    ['a folder', () => temporaryFolder(), /^Can't use .*: it is a folder, not a file\.$/],
    [
      'a name below a file',
      () => join(configFile('{}'), 'config.json'),
      /^Can't .*: a file is where a folder is needed\.$/,
    ],
    [
      'a link to itself',
      () => {
        const file = join(temporaryFolder(), 'config.json');
        symlinkSync(file, file);
        return file;
      },
      /^Can't read .*: its links form a circle\.$/,
    ],
    [
      'a socket',
      async () => {
        const path = join(temporaryFolder(), 'socket');
        await once(createServer().unref().listen(path), 'listening');
        return path;
      },
      /^Can't use .*: it is a device or a pipe, not a file\.$/,
    ],
  ];
  for (const [what, make, message] of unusable) {
    it(`is refused: ${what}`, async () => {
      const file = await make();
      assert.throws(() => stateOf(file).settings.list(), coded('config', message));
      const written = /^Can't (?:read|write|use|make) /;
      await assert.rejects(stateOf(file).settings.set('url', url), coded('config', written));
      await assert.rejects(stateOf(file).users.put(userNamed('u')), coded('config', message));
    });
  }

  it('reads as empty, and is not written, when it is the null device', async () => {
    const state = stateOf(devNull);
    assert.deepEqual(state.settings.list(), {});
    const refused = coded('config', /a device or a pipe/);
    await assert.rejects(state.settings.set('url', url), refused);
    await assert.rejects(state.users.put(userNamed('u')), refused);
  });

  it('is reported where its lock, a folder or the users can not be stored', async () => {
    // A long name is too long for ".lock": this is true for root too, unlike a mode.
    const long = join(temporaryFolder(), 'x'.repeat(253));
    const tooLong = coded('config', `Can't lock ${long}: the name is too long.`, /shorter name/);
    await assert.rejects(stateOf(long).settings.set('url', url), tooLong);
    const dangling = join(temporaryFolder(), 'dangling');
    symlinkSync(`${dangling}-nowhere`, dangling);
    await assert.rejects(
      stateOf(join(dangling, 'config.json')).settings.set('url', url),
      coded('config', /^Can't make the folder .*dangling: /),
    );
    const blocked = configFile('{}');
    writeFileSync(`${blocked}.profiles`, 'in the way');
    await assert.rejects(
      stateOf(blocked).users.put(userNamed('u1')),
      coded('config', /a file is where a folder is needed/),
    );
    assert.equal(existsSync(`${blocked}.lock`), false);
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
    const later = stateOf(file);
    later.settings.list();
    assert.deepEqual(later.warnings, []);
  });

  it('of folders and users are fixed too', async () => {
    const file = configFile();
    await stateOf(file).users.put(userNamed('u1'));
    const [path = ''] = ownFiles(file, '.json');
    chmodSync(`${file}.profiles`, 0o755);
    chmodSync(dirname(path), 0o777);
    chmodSync(path, 0o666);
    const state = stateOf(file);
    state.users.get('u1');
    await state.users.put(userNamed('u1'));
    assert.deepEqual([`${file}.profiles`, dirname(path), path].map(modeOf), ['700', '700', '600']);
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

describe('a config file with references', () => {
  const profiles = { default: { 'secret-key': 'cmd:touch pwned' } };
  const withCommand = JSON.stringify({ version: 1, activeProfile: 'default', profiles });

  for (const mode of [0o620, 0o602]) {
    it(`is refused with mode ${mode.toString(8)}, and keeps it`, () => {
      const file = configFile(withCommand);
      chmodSync(file, mode);
      const hint = `Check its content, then run: chmod 600 ${file}`;
      const refused = coded('config', /Others can write the config file/, hint);
      assert.throws(() => stateOf(file).profile, refused);
      assert.throws(() => stateOf(file).profile, refused);
    });
  }

  it('is refused if another user owns it', () => {
    const options = { now: Date.now, randomBytes: () => new Uint8Array(), os: 'linux' };
    const file = configFile(withCommand);
    if (process.getuid?.() === 0) chownSync(file, 1, 1); // the files of root are everybody's
    const userId = statSync(file).uid + 1;
    assert.throws(
      () => openState({ ...options, configFile: file, userId }).profile,
      coded('config', /belongs to another user/, /chown/),
    );
  });

  it('is read if others can only read it', () => {
    const file = configFile(withCommand);
    chmodSync(file, 0o644);
    assert.equal(stateOf(file).settings.get('secret-key'), 'cmd:touch pwned');
  });
});
