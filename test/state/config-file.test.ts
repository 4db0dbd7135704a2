import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import { fc } from '../support/fast-check.ts';
import { coded, configFile, modeOf, stateOf, temporaryFolder } from './temporary-state.ts';

const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const url = 'http://127.0.0.1:8080/callback';

describe('the config file', () => {
  it('is not made by reading', () => {
    const file = join(temporaryFolder(), 'missing', 'config.json');
    const state = stateOf(file);
    assert.equal(state.profile, 'default');
    assert.deepEqual(state.settings.list(), {});
    assert.deepEqual(state.users.list(), []);
    assert.equal(state.users.get('u1'), undefined);
    assert.equal(state.serviceKeyPairs.get(), undefined);
    assert.deepEqual(state.profiles.list(), ['default']);
    assert.equal(existsSync(dirname(file)), false);
  });

  it('is made with its folders, for their owner alone', async () => {
    const top = temporaryFolder();
    const file = join(top, 'a', 'b', 'config.json');
    await stateOf(file).settings.set('url', url);
    assert.deepEqual(json(file), {
      version: 1,
      activeProfile: 'default',
      profiles: { default: { url } },
    });
    assert.equal(modeOf(file), '600');
    assert.equal(modeOf(join(top, 'a')), '700');
    assert.equal(modeOf(join(top, 'a', 'b')), '700');
    assert.deepEqual(readdirSync(dirname(file)), ['config.json']);
  });

  for (const umask of [0o000, 0o022, 0o077]) {
    it(`is private under umask ${umask.toString(8).padStart(3, '0')}`, async () => {
      const before = process.umask(umask);
      try {
        const file = join(temporaryFolder(), 'config.json');
        const state = stateOf(file);
        await state.settings.set('url', url);
        await state.users.put({ ptnCd: 'u1', key: Secret.key('k'.repeat(32)), state: 'known' });
        await state.serviceKeyPairs.put('pem');
        const entries = readdirSync(`${file}.profiles`, { recursive: true, encoding: 'utf8' });
        const paths = entries.map((entry) => join(`${file}.profiles`, entry));
        assert.equal(paths.length, 4);
        for (const path of [file, `${file}.profiles`, ...paths]) {
          assert.equal(modeOf(path), lstatSync(path).isDirectory() ? '700' : '600', path);
        }
      } finally {
        process.umask(before);
      }
    });
  }

  for (const name of ['config', 'authcli.conf', 'a.b.json', '.authclirc', 'ü 🦜.json']) {
    it(`may be called ${name}`, async () => {
      const file = join(temporaryFolder(), name);
      await stateOf(file).settings.set('url', url);
      assert.deepEqual(readdirSync(dirname(file)), [name]);
      assert.equal(stateOf(file).settings.get('url'), url);
    });
  }

  for (const content of ['', ' \n', '\ufeff', '{}', '\ufeff{"version": 1}']) {
    it(`counts as new when it contains ${JSON.stringify(content)}`, async () => {
      const file = configFile(content);
      assert.deepEqual(stateOf(file).settings.list(), {});
      await stateOf(file).settings.set('url', url);
      assert.deepEqual(stateOf(file).settings.list(), { url });
    });
  }

  it('keeps what it does not know', async () => {
    const content = {
      version: 1,
      activeProfile: 'default',
      profiles: { default: { url, colour: { red: 1 } }, other: {} },
      note: ['kept'],
    };
    const file = configFile(JSON.stringify(content));
    await stateOf(file).settings.set('timeout', '5s');
    const profile = { ...content.profiles.default, timeout: '5s' };
    assert.deepEqual(json(file), { ...content, profiles: { default: profile, other: {} } });
    assert.deepEqual(stateOf(file).settings.list(), { url, timeout: '5s' });
  });

  it('says so when the profile in use is not there', () => {
    const state = stateOf(configFile('{"version":1,"activeProfile":"gone"}'));
    assert.equal(state.profile, 'default');
    assert.match(state.warnings.join(), /"gone", isn't in .*; "default" is used/);
  });

  it('names places that do not depend on the letters around them', () => {
    fc.assert(
      fc.property(fc.nat({ max: 20 }), fc.nat({ max: 20 }), (lines, columns) => {
        const text = `{"a":${'\n'.repeat(lines)}${' '.repeat(columns)}x}`;
        const column = lines === 0 ? columns + 6 : columns + 1;
        assert.throws(
          () => stateOf(configFile(text)).settings.list(),
          coded('config', new RegExp(`line ${lines + 1}, column ${column} on`)),
        );
      }),
      { numRuns: 20 },
    );
  });
});

describe('a config file of another version', () => {
  it('is brought up from version 0, in memory by reading, on the disk by writing', async () => {
    const older = `{"url": "${url}", "expire-time-zone": "Asia/Seoul", "note": 1}`;
    const file = configFile(older);
    assert.deepEqual(stateOf(file).settings.list(), { url, 'expire-time-zone': 'Asia/Seoul' });
    assert.equal(readFileSync(file, 'utf8'), older);
    await stateOf(file).settings.set('timeout', '5s');
    assert.deepEqual(json(file), {
      version: 1,
      activeProfile: 'default',
      profiles: { default: { url, 'expire-time-zone': 'Asia/Seoul', timeout: '5s' } },
      note: 1,
    });
  });

  it('keeps profiles that are in a file without a version', () => {
    const file = configFile(`{"activeProfile": "a", "profiles": {"a": {"url": "${url}"}}}`);
    assert.equal(stateOf(file).profile, 'a');
    assert.equal(stateOf(file).settings.get('url'), url);
  });

  it('is refused and left as it is when it is newer', async () => {
    const file = configFile('{"version": 2, "profiles": []}');
    const refused = coded(
      'config',
      `The config file ${file} has version 2; this authcli reads versions up to 1.`,
      'Use a newer authcli, or another config file; it was left as it is.',
    );
    const state = stateOf(file);
    assert.throws(() => state.settings.list(), refused);
    await assert.rejects(state.settings.set('url', url), refused);
    await assert.rejects(
      state.users.put({ ptnCd: 'u', key: Secret.key('k'), state: 'known' }),
      refused,
    );
    await assert.rejects(state.profiles.create('x'), refused);
    assert.equal(readFileSync(file, 'utf8'), '{"version": 2, "profiles": []}');
    assert.deepEqual(readdirSync(dirname(file)), ['config.json']);
  });
});

describe('a damaged config file', () => {
  const secret = 'hunter2hunter2';
  const cases: readonly (readonly [content: string | Uint8Array, problem: string])[] = [
    [`{"secret-key": "${secret}`, 'it is not JSON from line 1, column 31 on'],
    [`{\n  "secret-key": "${secret}",\n}`, 'it is not JSON from line 3, column 1 on'],
    [`{"version": 1}\n${secret}`, 'it is not JSON from line 2, column 1 on'],
    [`{"url": ${secret}}`, 'it is not JSON from line 1, column 9 on'],
    ['\0\0\0\0', 'it is not JSON from line 1, column 1 on'],
    [Uint8Array.of(0x7b, 0xff, 0x7d), 'it is not UTF-8 text'],
    [`"${secret}"`, 'it is not a JSON object'],
    ['[]', 'it is not a JSON object'],
    ['null', 'it is not a JSON object'],
    ['{"version": "1"}', 'its "version" is not a version number'],
    ['{"version": 1.5}', 'its "version" is not a version number'],
    ['{"version": -1}', 'its "version" is not a version number'],
    ['{"version": 1, "profiles": []}', '"profiles" must be an object'],
    ['{"version": 1, "activeProfile": 3}', '"activeProfile" must be text'],
    [`{"profiles": {"a": "${secret}"}}`, 'the profile "a" must be an object'],
    ['{"profiles": {"a": {"timeout": 10}}}', '"timeout" of the profile "a" must be text'],
    [`{"headers": "${secret}"}`, '"headers" of the profile "default" must be a list of texts'],
  ];

  it('is not read if it is larger than any that authcli writes', () => {
    const file = configFile('{}');
    truncateSync(file, 50_000_000);
    const refused = coded('config', /has 47\.6 MiB; authcli reads at most 16 MiB/, /right file/);
    assert.throws(() => stateOf(file).profile, refused);
  });

  for (const [content, problem] of cases) {
    it(`is left keep: ${problem} (${Buffer.from(content).toString('latin1')})`, async () => {
      const file = configFile(content);
      const refused = coded('config', `The config file ${file} is damaged: ${problem}.`, /by hand/);
      assert.throws(() => stateOf(file).profile, refused);
      await assert.rejects(stateOf(file).settings.set('url', url), refused);
      await assert.rejects(stateOf(file).profiles.use('default'), refused);
      assert.deepEqual(readFileSync(file), Buffer.from(content));
      assert.deepEqual(readdirSync(dirname(file)), ['config.json']);
    });
  }

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
    assert.equal(readFileSync(aside, 'utf8'), '{');
    assert.deepEqual(stateOf(file).settings.list(), {});
    assert.deepEqual(await stateOf(file).setDamagedAside(), []);
    writeFileSync(file, '[');
    const [again] = await stateOf(file).setDamagedAside();
    assert.equal(again?.aside, `${aside}-2`);
    assert.deepEqual(
      [aside, `${aside}-2`].map((kept) => readFileSync(kept, 'utf8')),
      ['{', '['],
    );
  });

  it('takes nothing along that is whole', async () => {
    const file = configFile(`{"version":1,"profiles":{"default":{"url":"${url}"},"two":{}}}`);
    const user = (ptnCd: string) => ({
      ptnCd,
      key: Secret.key('k'.repeat(32)),
      state: 'known' as const,
    });
    await stateOf(file).users.put(user('whole'));
    await stateOf(file, 'two').users.put(user('cut'));
    await stateOf(file, 'two').serviceKeyPairs.put('pem');
    const folder = `${file}.profiles`;
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name));
    const damaged = files.filter((path) => /profiles.two/.test(path));
    assert.equal(damaged.length, 2);
    for (const path of damaged) writeFileSync(path, '{"version":1,"ke');
    const moved = await stateOf(file).setDamagedAside();
    assert.deepEqual(moved.map((one) => one.file).sort(), damaged.sort());
    assert.equal(stateOf(file).users.get('whole')?.key.reveal(), 'k'.repeat(32));
    assert.deepEqual(stateOf(file, 'two').users.list(), []);
    assert.equal(stateOf(file, 'two').serviceKeyPairs.get(), undefined);
    assert.equal(stateOf(file).settings.get('url'), url);
  });

  it('of a newer version is not moved', async () => {
    const file = configFile('{"version":9}');
    await assert.rejects(stateOf(file).setDamagedAside(), coded('config', /has version 9/));
    assert.deepEqual(readdirSync(dirname(file)), ['config.json']);
  });
});
