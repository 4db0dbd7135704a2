import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import { coded, configFile, stateOf } from './temporary-state.ts';

describe('profiles', () => {
  it('begin with default, which is active', () => {
    const { profiles } = stateOf(configFile());
    assert.deepEqual(profiles.list(), ['default']);
    assert.equal(profiles.active(), 'default');
  });

  it('are created, used and removed', async () => {
    const file = configFile();
    const { profiles } = stateOf(file);
    await profiles.create('staging');
    assert.deepEqual(profiles.list(), ['default', 'staging']);
    assert.equal(profiles.active(), 'default');
    await profiles.use('staging');
    assert.equal(stateOf(file).profile, 'staging');
    await profiles.remove('staging');
    assert.deepEqual(profiles.list(), ['default']);
    assert.equal(stateOf(file).profile, 'default');
  });

  it('may be chosen for one state', async () => {
    const file = configFile();
    await stateOf(file).profiles.create('staging');
    assert.equal(stateOf(file, 'staging').profile, 'staging');
    assert.equal(stateOf(file, 'default').profile, 'default');
    assert.equal(stateOf(file).profile, 'default');
  });

  it('take their users and key pairs with them', async () => {
    const file = configFile();
    const { profiles } = stateOf(file);
    await profiles.create('staging');
    const staging = stateOf(file, 'staging');
    await staging.users.put({ ptnCd: 'u', key: Secret.key('k'), state: 'known' });
    await staging.serviceKeyPairs.put('pem');
    await profiles.remove('staging');
    assert.deepEqual(readdirSync(`${file}.profiles`), []);
    await profiles.create('staging');
    assert.equal(stateOf(file, 'staging').users.count(), 0);
  });

  for (const name of ['__proto__', 'constructor', '__internal__', 'a.b', '🦜', '..', 'x y']) {
    it(`may be called ${name}`, async () => {
      const file = configFile();
      await stateOf(file).profiles.create(name);
      await stateOf(file, name).settings.set('url', 'http://127.0.0.1/');
      await stateOf(file).profiles.use(name);
      assert.equal(stateOf(file).profile, name);
      assert.equal(stateOf(file).settings.get('url'), 'http://127.0.0.1/');
      assert.equal(stateOf(file, 'default').settings.get('url'), undefined);
    });
  }

  it('that are not there are refused, and nothing is written', async () => {
    const file = configFile('{"profiles": {"staging": {}}}');
    const before = readFileSync(file, 'utf8');
    const refused = coded('usage', 'Unknown profile "stagign".', 'Did you mean "staging"?');
    const state = stateOf(file, 'stagign');
    assert.throws(() => state.profile, refused);
    assert.throws(() => state.settings.list(), refused);
    assert.throws(() => state.users.list(), refused);
    await assert.rejects(state.settings.set('url', 'x'), refused);
    await assert.rejects(
      state.users.put({ ptnCd: 'u', key: Secret.key('k'), state: 'known' }),
      refused,
    );
    await assert.rejects(state.users.importUsers([]), refused);
    await assert.rejects(state.serviceKeyPairs.put('pem'), refused);
    await assert.rejects(state.profiles.use('stagign'), refused);
    await assert.rejects(state.profiles.remove('stagign'), refused);
    assert.equal(readFileSync(file, 'utf8'), before);
    assert.equal(existsSync(`${file}.profiles`), false);
    assert.throws(
      () => stateOf(file, 'production').profile,
      coded('usage', 'Unknown profile "production".', 'Existing profiles: default, staging.'),
    );
  });

  it('are neither empty nor twice of one name, and default stays', async () => {
    const { profiles } = stateOf(configFile());
    await profiles.create('a');
    await assert.rejects(
      profiles.create('-x'),
      coded('usage', "A profile's name can't begin with a dash."),
    );
    await assert.rejects(profiles.create(' '), coded('usage', "A profile's name can't be empty."));
    await assert.rejects(
      profiles.create('a'),
      coded('usage', 'The profile "a" already exists.', 'Use it, or choose another name.'),
    );
    await assert.rejects(profiles.create('default'), coded('usage', /"default" already/));
    await assert.rejects(
      profiles.remove('default'),
      coded('usage', 'The profile "default" can\'t be removed.', /Unset its settings/),
    );
  });
});
