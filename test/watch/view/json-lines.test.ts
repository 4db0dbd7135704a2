import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bodyLines } from '../../../src/watch/view/json-lines.ts';
import { fc } from '../../support/fast-check.ts';

const textOf = (body: string): string =>
  bodyLines(body)
    .map(({ indent, tokens }) => '  '.repeat(indent) + tokens.map(({ text }) => text).join(''))
    .join('\n');

const cases: readonly (readonly [string, string])[] = [
  [
    '{"code":"0000","result":{"a":[1,2]}}',
    '{\n  "code": "0000",\n  "result": {\n    "a": [\n      1,\n      2\n    ]\n  }\n}',
  ],
  ['{}', '{}'],
  [' { "a" : [ ] } ', '{\n  "a": []\n}'],
  ['{"a":1,"a":2}', '{\n  "a": 1,\n  "a": 2\n}'],
  [
    '[1e999,12345678901234567890,true,null]',
    '[\n  1e999,\n  12345678901234567890,\n  true,\n  null\n]',
  ],
  ['{"a":"{,:}\\"["}', '{\n  "a": "{,:}\\"["\n}'],
  ['"text"', '"text"'],
  ['<html>\r\n<b>', '<html>\n<b>'],
  ['', ''],
  ['{"a":"\u202ex"}', '{\n  "a": "\\u202ex"\n}'],
  ['a\u001b[2Jb', 'a\\u001b[2Jb'],
];

describe('a body for reading', () => {
  for (const [body, shown] of cases) {
    it(`shows ${JSON.stringify(body)}`, () => assert.equal(textOf(body), shown));
  }

  it('distinguishes names, strings, words and what is masked', () => {
    const tokens = bodyLines('{"a":"x","b":[true],"c":"[redacted]"}').flatMap(
      (line) => line.tokens,
    );
    assert.deepEqual(
      tokens.filter(({ kind }) => kind !== 'mark').map(({ kind, text }) => [kind, text]),
      [
        ['name', '"a"'],
        ['string', '"x"'],
        ['name', '"b"'],
        ['word', 'true'],
        ['name', '"c"'],
        ['masked', '"[redacted]"'],
      ],
    );
  });

  it('loses nothing of any JSON', () => {
    fc.assert(
      fc.property(fc.json(), (body) => {
        const shown = bodyLines(body).flatMap(({ tokens }) => tokens.map(({ text }) => text));
        const value: unknown = JSON.parse(body);
        const isPlain = !/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}\ufeff\ufff9-\ufffb]/u.test(
          body,
        );
        if (isPlain) assert.deepEqual(JSON.parse(shown.join('')), value);
      }),
    );
  });
});
