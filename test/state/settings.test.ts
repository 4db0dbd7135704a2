import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { findSetting } from '../../src/state/settings.ts';
import { coded, configFile, stateOf, userNamed } from './temporary-state.ts';

it('the name of a setting may be an alias, and of an unknown one the nearest is named', () => {
  assert.equal(findSetting('expireTimeZone'), 'expire-time-zone');
  for (const [name, hint] of [
    ['clientId', 'Did you mean "client-id"?'],
    ['__proto__', /^The settings are url, auth-url, .*, stack\.$/],
  ] as const)
    assert.throws(() => findSetting(name), coded('usage', `Unknown setting "${name}".`, hint));
});

describe('settings', () => {
  it('are updated from their value at that moment', async () => {
    const file = configFile();
    const add = (header: string) =>
      stateOf(file).settings.assign(({ headers = [] }) => ({ headers: [...headers, header] }));
    await Promise.all(['A: 1', 'B: 2', 'C: 3'].map(add));
    const headers = [...(stateOf(file).settings.list().headers ?? [])];
    assert.deepEqual(headers.sort(), ['A: 1', 'B: 2', 'C: 3']);
  });
});

describe('profiles', () => {
  it('are created, used, chosen for one state, and removed with their users and key pairs', async () => {
    const file = configFile();
    const { profiles } = stateOf(file);
    await profiles.create('staging');
    assert.deepEqual([profiles.list(), profiles.active()], [['default', 'staging'], 'default']);
    await stateOf(file, 'staging').users.put(userNamed('u'));
    await stateOf(file, 'staging').serviceKeyPairs.putFirst('pem');
    await profiles.use('staging');
    assert.equal(stateOf(file).profile, 'staging');
    assert.equal(stateOf(file, 'default').profile, 'default');
    await profiles.remove('staging');
    assert.deepEqual([profiles.list(), stateOf(file).profile], [['default'], 'default']);
    assert.deepEqual(readdirSync(`${file}.profiles`), []);
    await profiles.create('staging');
    assert.equal(stateOf(file, 'staging').users.count(), 0);
    assert.equal(stateOf(file).profile, 'default');
  });

  it('may have any name, with settings and users of their own', async () => {
    const file = configFile();
    const names = ['__proto__', 'constructor', 'a.b', '..', 'x y', 'A', 'a', 'é', 'e\u0301'];
    for (const name of [...names, 'x'.repeat(1000)]) {
      await stateOf(file).profiles.create(name);
      await stateOf(file, name).settings.assign(() => ({ url: name }));
      await stateOf(file, name).users.put(userNamed('u', name));
    }
    for (const name of names) {
      await stateOf(file).profiles.use(name);
      const { settings, users } = stateOf(file);
      assert.deepEqual([settings.list().url, users.get('u')?.key.reveal()], [name, name]);
    }
    const { settings, users } = stateOf(file, 'default');
    assert.deepEqual([settings.list().url, users.get('u')], [undefined, undefined]);
  });

  it('that do not exist are refused, and nothing is written', async () => {
    const file = configFile('{"profiles": {"staging": {}}}');
    const before = readFileSync(file, 'utf8');
    const refused = coded('usage', 'Unknown profile "stagign".', 'Did you mean "staging"?');
    const { settings, users, serviceKeyPairs, profiles } = stateOf(file, 'stagign');
    assert.throws(() => settings.list(), refused);
    assert.throws(() => users.list(), refused);
    for (const change of [
      () => settings.assign(() => ({ url: 'x' })),
      () => users.put(userNamed('u')),
      () => users.importUsers([]),
      () => serviceKeyPairs.putFirst('pem'),
      () => profiles.use('stagign'),
      () => profiles.remove('stagign'),
    ])
      await assert.rejects(change, refused);
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
    const message = 'The profile "default" can\'t be removed.';
    await assert.rejects(profiles.remove('default'), coded('usage', message, /Unset its settings/));
  });
});
