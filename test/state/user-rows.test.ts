import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import type { KnownUser } from '../../src/protocol/user.ts';
import { formatUserLines, formatUsers, parseUsers, userRow } from '../../src/state/user-rows.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';
import { revealed } from '../support/secrets.ts';
import { coded, configFile, stateOf } from './temporary-state.ts';

const row = '{"ptn_cd": "u1", "key": "k1"}';
const user: KnownUser = { ptnCd: 'u1', key: Secret.key('k1'), state: 'known' };
const second: KnownUser = {
  ptnCd: 'u2',
  key: Secret.key('k2'),
  superPasscode: Secret.text('p'),
  state: 'registered',
};

const anyText = fc.string({ unit: anyCharacter });
const anyName = fc.string({ unit: anyCharacter, minLength: 1 });
const anyUser: fc.Arbitrary<KnownUser> = fc.record(
  {
    ptnCd: anyName,
    key: anyName.map(Secret.key),
    superPasscode: anyText.map(Secret.text),
    userInfo: anyText.map(Secret.text),
    state: fc.constantFrom('known' as const, 'registered' as const),
  },
  { requiredKeys: ['ptnCd', 'key', 'state'], noNullPrototype: true },
);
const anyUsers = fc.uniqueArray(anyUser, { selector: ({ ptnCd }) => ptnCd });

describe('an export of users', () => {
  it('is a JSON array of rows', () => {
    assert.deepEqual(JSON.parse(formatUsers([user, second])), [
      { ptn_cd: 'u1', key: 'k1', state: 'known' },
      { ptn_cd: 'u2', key: 'k2', super_passcode: 'p', state: 'registered' },
    ]);
    assert.deepEqual([user].map(userRow), [{ ptn_cd: 'u1', key: 'k1', state: 'known' }]);
  });

  it('may be JSON Lines', () => {
    assert.equal(
      formatUserLines([user, second]),
      '{"ptn_cd":"u1","key":"k1","state":"known"}\n' +
        '{"ptn_cd":"u2","key":"k2","super_passcode":"p","state":"registered"}\n',
    );
    assert.equal(formatUserLines([]), '');
  });

  it('is read back as it was, in either form', () => {
    fc.assert(
      fc.property(anyUsers, (users) => {
        for (const text of [formatUsers(users), formatUserLines(users)]) {
          assert.deepEqual(revealed(parseUsers(text)), revealed({ users, notes: [] }));
        }
        const document = JSON.stringify({ ok: true, users: users.map(userRow) });
        assert.deepEqual(revealed(parseUsers(document).users), revealed(users));
      }),
    );
  });

  it('goes through a second state unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(anyUsers, async (users) => {
        const first = stateOf(configFile()).users;
        await first.importUsers(users);
        const next = stateOf(configFile()).users;
        await next.importUsers(parseUsers(formatUsers(first.list())).users);
        assert.deepEqual(revealed(next.list()), revealed(first.list()));
      }),
      { numRuns: 20 },
    );
  });
});

describe('an import of users', () => {
  for (const [form, text] of [
    ['an array', `[${row}]`],
    ['one object', row],
    ['a document with users', `{"ok": true, "users": [${row}]}`],
    ['a line that ends in CR LF, and an empty one', `${row}\r\n\r\n`],
  ] as const) {
    it(`takes ${form}`, () => {
      assert.deepEqual(revealed(parseUsers(text)), revealed({ users: [user], notes: [] }));
    });
  }

  for (const text of ['', ' \n\n', '[]', '{"users": []}']) {
    it(`takes ${JSON.stringify(text)} for no users`, () => {
      assert.deepEqual(parseUsers(text), { users: [], notes: [] });
    });
  }

  it('follows from the passcode whether a user is registered', () => {
    const text = '[{"ptn_cd":"a","key":"k","super_passcode":"p"},{"ptn_cd":"b","key":"k"}]';
    assert.deepEqual(
      parseUsers(text).users.map(({ state }) => state),
      ['registered', 'known'],
    );
  });

  it('takes null for a field that is missing', () => {
    const text = '{"ptn_cd":"u1","key":"k1","super_passcode":null,"state":null}';
    assert.deepEqual(revealed(parseUsers(text).users), revealed([user]));
  });

  it('says which fields are not kept', () => {
    const text = '[{"ptn_cd":"a","key":"k","x":1},{"ptn_cd":"b","key":"k","x":2,"__proto__":3}]';
    assert.deepEqual(parseUsers(text).notes, [
      'The field "x" of 2 rows is ignored.',
      'The field "__proto__" of one row is ignored.',
    ]);
  });

  const hint =
    'Each row is {"ptn_cd", "key", "super_passcode"?, "user_info"?, "state"?}; nothing was imported.';
  for (const [text, message] of [
    ['[{"key": "secret"}]', 'Row 1: "ptn_cd" is missing.'],
    [`[${row}, {"ptn_cd": "x"}]`, 'Row 2: "key" is missing.'],
    [`[${row}, {"ptn_cd": "x", "key": ""}]`, 'Row 2: "key" is empty.'],
    [`[${row}, {"ptn_cd": "", "key": "secret"}]`, 'Row 2: "ptn_cd" is empty.'],
    ['[{"ptn_cd": 7, "key": "secret"}]', 'Row 1: "ptn_cd" must be text.'],
    ['[{"ptn_cd":"a","key":"b","super_passcode":{}}]', 'Row 1: "super_passcode" must be text.'],
    ['[{"ptn_cd":"a","key":"b","user_info":[]}]', 'Row 1: "user_info" must be text.'],
    ['{"ptn_cd":"a","key":"b","state":"new"}', 'Row 1: "state" must be "known" or "registered".'],
    [
      '{"ptn_cd":"a","key":"b","updated_at":"soon"}',
      'Row 1: "updated_at" must be a time as ISO 8601 writes it.',
    ],
    [`[${row}, "secret"]`, 'Row 2 is not a JSON object.'],
    ['"secret"', 'Row 1 is not a JSON object.'],
    [`[${row}, ${row}]`, 'Row 2: its "ptn_cd" is that of Row 1 too.'],
    [`${row}\n\n${row}\n`, 'Line 3: its "ptn_cd" is that of Line 1 too.'],
    [`${row}\n\n[]\n`, 'Line 3 is not a JSON object.'],
    [`${row}\n{"ptn_cd": "a"}\n`, 'Line 2: "key" is missing.'],
    [`${row}\n{"secret": \n`, 'The file is not valid JSON at line 2, column 12.'],
    [`[\n${row},\n]`, 'The file is not valid JSON at line 3, column 1.'],
    ['secret', 'The file is not valid JSON at line 1, column 1.'],
    ['ptn_cd,key\nu1,secret\n', 'The file is not valid JSON at line 1, column 1.'],
  ] as const) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseUsers(text), coded('usage', message, hint));
      assert.throws(
        () => parseUsers(text),
        (error: Error) => !error.message.includes('secret') && error.cause === undefined,
      );
    });
  }

  it('ends in users or a coded error, whatever it is given', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          parseUsers(text);
        } catch (error) {
          coded('usage', /^(?:Row|Line|The file|The users)/)(error);
        }
      }),
    );
  });
});
