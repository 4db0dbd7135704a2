import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findAccessTokens } from '../../src/protocol/token.ts';

describe('access tokens in a text', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['in an answer', '{"code":"0000","result":{"acs_token":"abc.def"}}', ['abc.def']],
    ['in one that is cut', '{"result":{"acs_token" : "abc","expire_d', ['abc']],
    ['behind too much', `${'['.repeat(2000)}{"acs_token":"abc"}`, ['abc']],
    ['in two', '{"acs_token":"a"}{"acs_token":"b"}', ['a', 'b']],
    ['escaped', String.raw`{"acs_token":"a\"b\u00e9\\"}`, ['a"bé\\']],
    ['escaped wrongly', String.raw`{"acs_token":"a\x"}`, ['a\\x']],
    ['cut itself', '{"acs_token":"abc', []],
    [
      'of another type',
      '{"acs_token":471147,"result":{"acs_token":["a",{"b":"c"}]}}',
      ['471147', 'a', 'c'],
    ],
    ['that are missing', '{"acs_token":null,"result":{"acs_token":true}}', []],
    ['without any', '<html></html>', []],
  ];
  for (const [name, text, tokens] of cases) {
    it(name, () => assert.deepEqual(findAccessTokens(text), tokens));
  }

  it('without end are not all looked for', () => {
    assert.equal(findAccessTokens('"acs_token":"a",'.repeat(1000)).length, 64);
  });
});
