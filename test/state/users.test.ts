import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import type { KnownUser } from '../../src/protocol/user.ts';
import { parseUsers, userRow } from '../../src/state/user-rows.ts';
import { fixtureRows } from '../support/fixtures.ts';
import { revealed } from '../support/secrets.ts';
import { coded, configFile, ownFiles, stateOf, userNamed } from './temporary-state.ts';

const usersOf = () => stateOf(configFile()).users;

describe('users', () => {
  it('are stored in readable files and come back unchanged', async () => {
    const file = configFile();
    const user: KnownUser = {
      ...userNamed('Zoë'),
      superPasscode: Secret.text('p'),
      userInfo: Secret.text('{"name":"Zoë"}'),
      state: 'registered',
    };
    await stateOf(file).users.put(user);
    assert.deepEqual(revealed(stateOf(file).users.get('Zoë')), revealed(user));
    assert.equal(stateOf(file).users.count(), 1);
    assert.equal(existsSync(file), true, 'what is beside the config file depends on it');
    const [path = ''] = ownFiles(file, '.json');
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), {
      version: 1,
      ptn_cd: 'Zoë',
      key: 'k'.repeat(32),
      super_passcode: 'p',
      user_info: '{"name":"Zoë"}',
      state: 'registered',
    });
    assert.match(path, /\/default-[0-9a-f]{16}\/users\/[0-9a-f]{64}\.json$/);
  });

  it('have codes of any kind, in files with plain names', async () => {
    const codes = ['u', 'U', 'é', 'e\u0301', '../x', '/etc/passwd', '..', 'con', 'CON', ' '];
    codes.push('a\0b', '🦜', '\ud800', '\ud801', '\udc00', '\ufffd', '__proto__', 'constructor');
    codes.push('x'.repeat(10_000), `${'x'.repeat(9_999)}y`);
    const file = configFile();
    const { users } = stateOf(file);
    for (const code of codes) await users.put(userNamed(code, `key ${code}`));
    for (const code of codes) assert.equal(users.get(code)?.key.reveal(), `key ${code}`);
    const listed = users.list().map(({ ptnCd }) => ptnCd);
    assert.deepEqual(listed, [...codes].sort());
    for (const path of ownFiles(file, '.json')) assert.match(path, /\/[0-9a-f]{64}\.json$/);
  });

  it('are imported, which says how many are new', async () => {
    const users = usersOf();
    await users.put(userNamed('b', 'before'));
    const rows = [userNamed('a'), userNamed('b')];
    assert.deepEqual(await users.importUsers(rows), { added: 1, replaced: 1 });
    assert.deepEqual(revealed(users.list()), revealed(rows));
  });
});

describe('a user file', () => {
  const file = configFile();
  const write = async (content: string) => {
    await stateOf(file).users.put(userNamed('u'));
    const [path = ''] = ownFiles(file, '.json');
    writeFileSync(path, content);
    return path;
  };
  const other = 'is damaged: it contains a different user than its name indicates.';

  for (const [content, problem] of [
    ['{"key": "secret', 'is damaged: it is not JSON from line 1, column 16 on.'],
    ['{"version": 1, "key": "secret"}', 'is damaged: "ptn_cd" is missing.'],
    ['{"version": 1, "ptn_cd": "v", "key": "k"}', other],
    ['{"version": 9}', 'has version 9; this authcli reads versions up to 1.'],
  ] as const) {
    it(`that can't be read is named and left as it is: ${problem}`, async () => {
      const path = await write(content);
      const { users } = stateOf(file);
      const refused = coded('config', `The user file ${path} ${problem}`);
      assert.throws(() => users.get('u'), refused);
      assert.equal(readFileSync(path, 'utf8'), content);
    });
  }

  it('without a version is a row of an export', async () => {
    await write('{"ptn_cd": "u", "key": "k", "super_passcode": "p"}');
    const stored = { ptnCd: 'u', key: 'k', superPasscode: 'p', state: 'registered' };
    assert.deepEqual(revealed(stateOf(file).users.get('u')), stored);
  });

  it('that is empty counts as a user who is not known', async () => {
    await write('');
    assert.deepEqual(stateOf(file).users.list(), []);
    await stateOf(file).users.put(userNamed('u'));
    assert.equal(stateOf(file).users.list().length, 1);
  });
});

describe('an export of users', () => {
  it('is a JSON array of rows or JSON Lines, and is read back from each', () => {
    const userInfo = Secret.text('{"name":"\\u2028 大谷"}\n');
    const registered = { ...userNamed('u2', 'k"2'), superPasscode: Secret.text('p'), userInfo };
    const users = [userNamed('u1', 'k1'), { ...registered, state: 'registered' as const }];
    const [known, other] = users.map(
      (user) => `{"ptn_cd":"${user.ptnCd}","key":${JSON.stringify(user.key.reveal())},`,
    );
    const rows = [
      `${known}"state":"known"}`,
      `${other}"super_passcode":"p","user_info":${JSON.stringify(userInfo.reveal())},"state":"registered"}`,
    ];
    assert.deepEqual(
      users.map((user) => JSON.stringify(userRow(user))),
      rows,
    );
    for (const text of [`[${rows}]`, rows.join('\n')])
      assert.deepEqual(revealed(parseUsers(text)), revealed(users));
  });
});

describe('an import of users', () => {
  const row = '{"ptn_cd": "u1", "key": "k1"}';

  it('takes objects, lines and null for a missing field, and ignores other fields', () => {
    const one = [userNamed('u1', 'k1')];
    for (const [text, users] of [
      [row, one],
      [`${row}\r\n\r\n`, one],
      ['{"ptn_cd":"u1","key":"k1","super_passcode":null,"state":null}', one],
      [' \n\n', []],
      ['[]', []],
      ['{"ptn_cd":"u1","key":"k1","__proto__":3,"x":1}', one],
    ] as const)
      assert.deepEqual(revealed(parseUsers(text)), revealed(users), text);
  });

  const hint =
    'Each row is {"ptn_cd", "key", "super_passcode"?, "user_info"?, "state"?}; nothing was imported.';
  type Refused = readonly [text: string, message: string];
  for (const [text, message] of fixtureRows<Refused>('readings/users-refused.jsonl')) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      const told = coded('usage', message, hint);
      // JSON.parse puts a part of the text into its own message.
      assert.throws(
        () => parseUsers(text),
        (error: Error) => error.cause === undefined && told(error),
      );
    });
  }
});
