import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import type { KnownUser } from '../../src/protocol/user.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';
import { cpuTimeOf } from '../support/resources.ts';
import { revealed } from '../support/secrets.ts';
import { coded, configFile, stateOf, temporaryFolder, testTime } from './temporary-state.ts';

const updatedAt = new Date(testTime).toISOString();

const known = (ptnCd: string, key = 'k'.repeat(32)): KnownUser => ({
  ptnCd,
  key: Secret.key(key),
  state: 'known',
});

function userFiles(file: string): string[] {
  return readdirSync(`${file}.profiles`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(`${file}.profiles`, name));
}

describe('users', () => {
  it('are kept and come back as they were', async () => {
    const file = configFile();
    const user: KnownUser = {
      ptnCd: 'user-1',
      key: Secret.key('0123456789abcdef0123456789abcdef'),
      superPasscode: Secret.text('passcode'),
      userInfo: Secret.text('{"name":"Zoë"}'),
      state: 'registered',
    };
    assert.deepEqual(
      revealed(await stateOf(file).users.put(user)),
      revealed({ ...user, updatedAt }),
    );
    assert.deepEqual(revealed(stateOf(file).users.get('user-1')), revealed({ ...user, updatedAt }));
    assert.equal(stateOf(file).users.count(), 1);
    assert.equal(existsSync(file), true, 'what stands beside the config file hangs on it');
  });

  it('are in readable files', async () => {
    const file = configFile();
    await stateOf(file).users.put({
      ...known('Zoë'),
      superPasscode: Secret.text('p'),
      userInfo: Secret.text('i'),
    });
    const [path = ''] = userFiles(file);
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), {
      version: 1,
      ptn_cd: 'Zoë',
      key: 'k'.repeat(32),
      super_passcode: 'p',
      user_info: 'i',
      state: 'known',
      updated_at: updatedAt,
    });
    assert.match(path, /\/default-[0-9a-f]{16}\/users\/[0-9a-f]{64}\.json$/);
  });

  it('are replaced by a second put', async () => {
    const { users } = stateOf(configFile());
    await users.put({ ...known('u'), superPasscode: Secret.text('p'), state: 'registered' });
    await users.put(known('u', 'new'));
    assert.deepEqual(revealed(users.list()), revealed([{ ...known('u', 'new'), updatedAt }]));
  });

  it('are changed as they then are, and keep their code', async () => {
    const { users } = stateOf(configFile());
    await users.put(known('u'));
    const changes = Array.from({ length: 10 }, (_, digit) =>
      users.update('u', (user) => ({
        ...user,
        ptnCd: 'other',
        key: Secret.key(`${user.key.reveal()}${digit}`),
      })),
    );
    await Promise.all(changes);
    assert.equal(users.get('u')?.key.reveal(), `${'k'.repeat(32)}0123456789`);
    assert.equal(users.get('other'), undefined);
  });

  it('are removed one by one', async () => {
    const { users } = stateOf(configFile());
    await users.put(known('a'));
    await users.put(known('b'));
    await users.remove('a');
    assert.deepEqual(
      users.list().map(({ ptnCd }) => ptnCd),
      ['b'],
    );
  });

  it('that are not known can not be changed or removed, and nothing is made', async () => {
    const file = join(temporaryFolder(), 'missing', 'config.json');
    const { users } = stateOf(file);
    const unknown = coded('unknown-user', 'No user "u\\n1" is known here.', /another profile/);
    await assert.rejects(users.remove('u\n1'), unknown);
    await assert.rejects(
      users.update('u\n1', (user) => user),
      unknown,
    );
    assert.equal(existsSync(join(file, '..')), false);
  });

  it('belong to their profile', async () => {
    const file = configFile();
    const { profiles } = stateOf(file);
    for (const name of ['A', 'a', 'con', '..', 'é', 'e\u0301', 'x'.repeat(1000)]) {
      await profiles.create(name);
      await stateOf(file, name).users.put(known('u', name));
    }
    for (const name of profiles.list().filter((profile) => profile !== 'default')) {
      assert.equal(stateOf(file, name).users.get('u')?.key.reveal(), name);
    }
    assert.equal(stateOf(file).users.get('u'), undefined);
  });
});

describe('user codes of any kind', () => {
  const codes = [
    'u',
    'U',
    'é',
    'e\u0301',
    '../x',
    '..\\x',
    '/etc/passwd',
    '.',
    '..',
    'con',
    'CON',
    'nul.json',
    ' ',
    'a\0b',
    '🦜',
    '\ud800',
    '\ud801',
    '\udc00',
    '\ufffd',
    '__proto__',
    'constructor',
    'x'.repeat(10_000),
    `${'x'.repeat(9_999)}y`,
  ];

  it('stay different users, in files with plain names', async () => {
    const file = configFile();
    const { users } = stateOf(file);
    for (const [index, code] of codes.entries()) await users.put(known(code, `key ${index}`));
    for (const [index, code] of codes.entries()) {
      assert.equal(
        users.get(code)?.key.reveal(),
        `key ${index}`,
        JSON.stringify(code.slice(0, 20)),
      );
    }
    assert.equal(users.count(), codes.length);
    assert.deepEqual(
      users.list().map(({ ptnCd }) => ptnCd),
      [...codes].sort(),
    );
    for (const path of userFiles(file)) assert.match(path, /\/[0-9a-f]{64}\.json$/);
  });

  it('come back unchanged, with any key', async () => {
    const { users } = stateOf(configFile());
    const text = fc.string({ unit: anyCharacter, minLength: 1 });
    await fc.assert(
      fc.asyncProperty(text, text, async (ptnCd, key) => {
        await users.put(known(ptnCd, key));
        assert.deepEqual(revealed(users.get(ptnCd)), revealed({ ...known(ptnCd, key), updatedAt }));
      }),
      { numRuns: 30 },
    );
  });
});

describe('a user file', () => {
  const file = configFile();
  const write = async (content: string) => {
    await stateOf(file).users.put(known('u'));
    const [path = ''] = userFiles(file);
    writeFileSync(path, content);
    return path;
  };

  for (const [content, problem] of [
    ['{"key": "secret', 'it is not JSON from line 1, column 16 on'],
    ['[]', 'it is not a JSON object'],
    ['{"version": 1, "key": "secret"}', '"ptn_cd" is missing'],
    ['{"version": 1, "ptn_cd": "u", "key": 7}', '"key" must be text'],
    [
      '{"version": 1, "ptn_cd": "v", "key": "k"}',
      'it contains a different user than its name indicates',
    ],
  ] as const) {
    it(`that is damaged is named: ${problem}`, async () => {
      const path = await write(content);
      const { users } = stateOf(file);
      const refused = coded('config', `The user file ${path} is damaged: ${problem}.`);
      assert.throws(() => users.get('u'), refused);
      await assert.rejects(
        users.update('u', (user) => user),
        refused,
      );
      assert.equal(readFileSync(path, 'utf8'), content);
    });
  }

  it('of a newer version is refused', async () => {
    const path = await write('{"version": 9}');
    const message = `The user file ${path} has version 9; this authcli reads versions up to 1.`;
    assert.throws(() => stateOf(file).users.get('u'), coded('config', message));
    assert.throws(() => stateOf(file).users.list(), coded('config', message));
  });

  it('without a version is a row of an export', async () => {
    await write('{"ptn_cd": "u", "key": "k", "super_passcode": "p"}');
    assert.deepEqual(revealed(stateOf(file).users.get('u')), {
      ptnCd: 'u',
      key: 'k',
      superPasscode: 'p',
      state: 'registered',
      updatedAt: new Date(0).toISOString(),
    });
  });

  it('that is empty counts as a user who is not known', async () => {
    await write('');
    const { users } = stateOf(file);
    assert.equal(users.get('u'), undefined);
    assert.deepEqual(users.list(), []);
    await users.put(known('u'));
    assert.equal(users.list().length, 1);
  });
});

describe('many users', () => {
  const file = configFile();
  const rows = Array.from({ length: 2000 }, (_, index) => known(`user-${index}`));

  it('are imported in one go', async () => {
    const { users } = stateOf(file);
    await users.put(known('user-7', 'before'));
    assert.deepEqual(await users.importUsers(rows), { added: 1999, replaced: 1 });
    assert.equal(users.count(), 2000);
    assert.equal(users.get('user-7')?.key.reveal(), 'k'.repeat(32));
  });

  it('keep the time at which they were changed where it is known', async () => {
    const { users } = stateOf(configFile());
    const earlier = '2020-01-01T00:00:00.000Z';
    await users.importUsers([{ ...known('a'), updatedAt: earlier }, known('b')]);
    assert.deepEqual(
      users.list().map((user) => user.updatedAt),
      [earlier, updatedAt],
    );
  });

  it('are listed and looked up without delay', () => {
    const { users } = stateOf(file);
    const listingCpuMs = cpuTimeOf(() => assert.equal(users.list().length, 2000));
    const lookUpCpuMs = cpuTimeOf(() => {
      for (let index = 0; index < 2000; index += 1) users.get(`user-${index}`);
    });
    assert.ok(listingCpuMs < 2000, `listing took ${listingCpuMs} ms`);
    assert.ok(lookUpCpuMs < 2000, `looking up took ${lookUpCpuMs} ms`);
  });
});
