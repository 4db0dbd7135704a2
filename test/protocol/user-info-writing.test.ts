import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readUserInformation } from '../../src/protocol/user-info.ts';
import { writeLike } from '../../src/protocol/user-info-writing.ts';

const next = { email: 'kim+1@example.com', name: 'Kim & 김', phone: '+82-10-1234' };
const user = { from: 'ada', to: 'u/7' };

/** What is written after each model, as the programs that made the model would write it. */
const models: readonly (readonly [string, string, string])[] = [
  [
    'JSON of Python, with names of its own, another order and a field more',
    '{"hp": "010-1", "grade": 3, "eml": "ada@example.com", "nm": "Ad\\u00e4"}',
    '{"hp": "+82-10-1234", "grade": 3, "eml": "kim+1@example.com", "nm": "Kim & \\uae40"}',
  ],
  [
    'JSON in UTF-8, whose name is a part of its address and also the user code',
    '{"id":"ada","email":"ada@example.com","name":"ada"}',
    '{"id":"u/7","email":"kim+1@example.com","name":"Kim & 김"}',
  ],
  [
    'nested JSON, over several lines',
    '{\n  "user": {\n    "email": "ada@example.com",\n    "name": "Ada"\n  }\n}',
    '{\n  "user": {\n    "email": "kim+1@example.com",\n    "name": "Kim & 김"\n  }\n}',
  ],
  [
    'XML',
    '<?xml version="1.0"?><user><name>Ada</name><email>ada@example.com</email></user>',
    '<?xml version="1.0"?><user><name>Kim &amp; 김</name><email>kim+1@example.com</email></user>',
  ],
  [
    'a form',
    'name=Ada+L&email=ada%40example.com&phone=%2B1',
    'name=Kim+%26+%EA%B9%80&email=kim%2B1%40example.com&phone=%2B82-10-1234',
  ],
  [
    'a form of Rails',
    'user%5Bemail%5D=ada%40example.com&user%5Bname%5D=Ada%20L',
    'user%5Bemail%5D=kim%2B1%40example.com&user%5Bname%5D=Kim%20%26%20%EA%B9%80',
  ],
  ['pieces', '010-1234-5678|Ada|ada@example.com', '+82-10-1234|Kim & 김|kim+1@example.com'],
  ['lines', 'name: Ada\nemail: ada@example.com', 'name: Kim & 김\nemail: kim+1@example.com'],
  ['no attribute', '{}', '{}'],
];

describe('user information written like other user information', () => {
  for (const [title, model, expected] of models) {
    it(`is ${title}`, () => {
      assert.equal(writeLike(model, next, user), expected);
      const [before, after] = [model, expected].map(readUserInformation);
      for (const name of ['email', 'name', 'phone'] as const)
        assert.equal(after?.[name], before?.[name] && next[name], name);
    });
  }

  it('keeps a number a number, where the value is one', () => {
    assert.equal(writeLike('{"phone":1012345678}', { ...next, phone: '42' }), '{"phone":42}');
    assert.equal(writeLike('{"phone":1012345678}', next), '{"phone":"+82-10-1234"}');
  });
});
