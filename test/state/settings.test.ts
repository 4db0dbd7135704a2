import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  findSetting,
  type SettingName,
  type SettingValue,
  settingDefinitions,
  settingNamed,
} from '../../src/state/settings.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';
import { coded, configFile, stateOf } from './temporary-state.ts';

const names = [
  'url',
  'auth-url',
  'client-id',
  'secret-key',
  'cipher',
  'expire-time-zone',
  'timeout',
  'headers',
  'ca',
  'cert',
  'cert-key',
  'proxy',
  'stack',
];

describe('the names of settings', () => {
  it('are those of the contract', () => {
    assert.deepEqual(
      settingDefinitions.map(({ name }) => name),
      names,
    );
  });

  it('have one alias', () => {
    assert.equal(findSetting('expireTimeZone').name, 'expire-time-zone');
    assert.equal(findSetting('expire-time-zone').kind, 'time-zone');
  });

  for (const [name, hint] of [
    ['ulr', 'Did you mean "url"?'],
    ['clientId', 'Did you mean "client-id"?'],
    ['expire-timezone', 'Did you mean "expire-time-zone"?'],
    ['password', `The settings are ${names.join(', ')}.`],
    ['', `The settings are ${names.join(', ')}.`],
  ] as const) {
    it(`do not include "${name}"`, () => {
      assert.throws(() => findSetting(name), coded('usage', `Unknown setting "${name}".`, hint));
    });
  }

  for (const name of ['__proto__', 'constructor', 'toString']) {
    it(`do not include ${name} either`, () => {
      assert.equal(settingNamed(name), undefined);
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

  it('are changed as they then are', async () => {
    const file = configFile();
    const add = (header: string) =>
      stateOf(file).settings.update('headers', (headers = []) => [...headers, header]);
    await Promise.all(['A: 1', 'B: 2', 'C: 3'].map(add));
    assert.deepEqual([...(stateOf(file).settings.get('headers') ?? [])].sort(), [
      'A: 1',
      'B: 2',
      'C: 3',
    ]);
  });

  it('keep any text as it is', async () => {
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
    ['url', ['http://127.0.0.1/']],
    ['timeout', 5],
    ['headers', 'A: 1'],
    ['headers', [1]],
  ] as const) {
    it(`refuse a programmer's ${JSON.stringify(value)} for ${name}`, async () => {
      const { settings } = stateOf(configFile());
      await assert.rejects(
        settings.set(name as SettingName, value as unknown as SettingValue),
        TypeError,
      );
    });
  }

  it('belong to their profile', async () => {
    const file = configFile();
    await stateOf(file).profiles.create('staging');
    await stateOf(file, 'staging').settings.set('url', 'https://staging.example/');
    await stateOf(file).settings.set('url', 'http://127.0.0.1/');
    assert.equal(stateOf(file, 'staging').settings.get('url'), 'https://staging.example/');
    assert.equal(stateOf(file, 'default').settings.get('url'), 'http://127.0.0.1/');
  });
});
