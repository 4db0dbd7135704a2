import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { findSetting, type SettingName, type SettingValue } from '../../src/state/settings.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';
import { coded, configFile, stateOf, userNamed } from './temporary-state.ts';

describe('the name of a setting', () => {
  it('may be an alias', () => {
    assert.equal(findSetting('expireTimeZone').name, 'expire-time-zone');
  });

  for (const [name, hint] of [
    ['ulr', 'Did you mean "url"?'],
    ['clientId', 'Did you mean "client-id"?'],
    ['password', /^The settings are url, auth-url, .*, stack\.$/],
    ['__proto__', /^The settings are/],
  ] as const) {
    it(`is not "${name}"`, () => {
      assert.throws(() => findSetting(name), coded('usage', `Unknown setting "${name}".`, hint));
    });
  }
});

describe('settings', () => {
  it('are set, read, listed in order and unset', async () => {
    const file = configFile();
    const { settings } = stateOf(file);
    await settings.set('timeout', '5s');
    await settings.set('headers', ['A: 1', 'B: 2']);
    await settings.set('url', 'http://127.0.0.1/');
    assert.equal(settings.get('timeout'), '5s');
    assert.deepEqual(settings.get('headers'), ['A: 1', 'B: 2']);
    assert.equal(settings.get('proxy'), undefined);
    assert.deepEqual(Object.keys(stateOf(file).settings.list()), ['url', 'timeout', 'headers']);
    assert.equal(await settings.unset('timeout'), true);
    assert.equal(await settings.unset('timeout'), false);
    assert.deepEqual(Object.keys(stateOf(file).settings.list()), ['url', 'headers']);
  });

  it('are updated from their value at that moment', async () => {
    const file = configFile();
    const add = (header: string) =>
      stateOf(file).settings.update('headers', (headers = []) => [...headers, header]);
    await Promise.all(['A: 1', 'B: 2', 'C: 3'].map(add));
    const headers = [...(stateOf(file).settings.get('headers') ?? [])];
    assert.deepEqual(headers.sort(), ['A: 1', 'B: 2', 'C: 3']);
  });

  it('store any text unchanged', async () => {
    const { settings } = stateOf(configFile());
    const anyText = fc.string({ unit: anyCharacter });
    await fc.assert(
      fc.asyncProperty(anyText, fc.array(anyText), async (text, list) => {
        await settings.set('secret-key', text);
        await settings.set('headers', list);
        assert.equal(settings.get('secret-key'), text);
        assert.deepEqual(settings.get('headers'), list);
      }),
      { numRuns: 20 },
    );
  });

  for (const [name, value] of [
    ['timeout', 5],
    ['headers', 'A: 1'],
    ['headers', [1]],
  ] as const) {
    it(`refuse a programmer's ${JSON.stringify(value)} for ${name}`, async () => {
      const { settings } = stateOf(configFile());
      const set = settings.set(name as SettingName, value as unknown as SettingValue);
      await assert.rejects(set, TypeError);
    });
  }
});

describe('profiles', () => {
  it('are created, used, chosen for one state, and removed', async () => {
    const file = configFile();
    const { profiles } = stateOf(file);
    await profiles.create('staging');
    assert.deepEqual(profiles.list(), ['default', 'staging']);
    assert.equal(profiles.active(), 'default');
    assert.equal(stateOf(file, 'staging').profile, 'staging');
    await profiles.use('staging');
    assert.equal(stateOf(file).profile, 'staging');
    assert.equal(stateOf(file, 'default').profile, 'default');
    await profiles.remove('staging');
    assert.deepEqual(profiles.list(), ['default']);
    assert.equal(stateOf(file).profile, 'default');
  });

  it('take their users and key pairs with them', async () => {
    const file = configFile();
    const { profiles } = stateOf(file);
    await profiles.create('staging');
    await stateOf(file, 'staging').users.put(userNamed('u'));
    await stateOf(file, 'staging').serviceKeyPairs.put('pem');
    await profiles.remove('staging');
    assert.deepEqual(readdirSync(`${file}.profiles`), []);
    await profiles.create('staging');
    assert.equal(stateOf(file, 'staging').users.count(), 0);
  });

  for (const name of ['__proto__', 'constructor', '__internal__', 'a.b', '..', 'x y', 'é']) {
    it(`may be called ${name}, with settings and users of their own`, async () => {
      const file = configFile();
      for (const each of [name, 'A', 'a', 'e\u0301', 'x'.repeat(1000)]) {
        await stateOf(file).profiles.create(each);
        await stateOf(file, each).settings.set('url', each);
        await stateOf(file, each).users.put(userNamed('u', each));
      }
      await stateOf(file).profiles.use(name);
      assert.equal(stateOf(file).settings.get('url'), name);
      assert.equal(stateOf(file).users.get('u')?.key.reveal(), name);
      assert.equal(stateOf(file, 'default').settings.get('url'), undefined);
      assert.equal(stateOf(file, 'default').users.get('u'), undefined);
    });
  }

  it('that do not exist are refused, and nothing is written', async () => {
    const file = configFile('{"profiles": {"staging": {}}}');
    const before = readFileSync(file, 'utf8');
    const refused = coded('usage', 'Unknown profile "stagign".', 'Did you mean "staging"?');
    const state = stateOf(file, 'stagign');
    assert.throws(() => state.settings.list(), refused);
    assert.throws(() => state.users.list(), refused);
    await assert.rejects(state.settings.set('url', 'x'), refused);
    await assert.rejects(state.users.put(userNamed('u')), refused);
    await assert.rejects(state.users.importUsers([]), refused);
    await assert.rejects(state.serviceKeyPairs.put('pem'), refused);
    await assert.rejects(state.profiles.use('stagign'), refused);
    await assert.rejects(state.profiles.remove('stagign'), refused);
    assert.equal(readFileSync(file, 'utf8'), before);
    assert.equal(existsSync(`${file}.profiles`), false);
    const hint = 'Existing profiles: default, staging.';
    const unknown = coded('usage', 'Unknown profile "production".', hint);
    assert.throws(() => stateOf(file, 'production').profile, unknown);
  });

  it('have a name of their own that is not an option, and default stays', async () => {
    const { profiles } = stateOf(configFile());
    await profiles.create('a');
    for (const [name, message] of [
      ['-x', "A profile's name can't begin with a dash."],
      [' ', "A profile's name can't be empty."],
      ['a', 'The profile "a" already exists.'],
      ['default', 'The profile "default" already exists.'],
    ] as const) {
      await assert.rejects(profiles.create(name), coded('usage', message));
    }
    const refused = coded(
      'usage',
      'The profile "default" can\'t be removed.',
      /Unset its settings/,
    );
    await assert.rejects(profiles.remove('default'), refused);
  });
});
