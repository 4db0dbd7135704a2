import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { displayWidth, fields, fitLine, plainStyle, table } from '../../src/reports/human.ts';

const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;

describe('displayWidth', () => {
  const cases: readonly (readonly [text: string, columns: number, what: string])[] = [
    ['', 0, 'nothing'],
    ['e\u0301', 1, 'a letter and a mark'],
    ['홍길동', 6, 'Hangul syllables'],
    ['\u1112\u1169\u11bc', 2, 'a syllable of Jamo'],
    ['𠮷', 2, 'Kanji beyond the first plane'],
    ['ＡＢ', 4, 'full width letters'],
    ['ｱ', 1, 'half width Katakana'],
    ['✓ → …', 5, 'signs of the output'],
    ['™©', 2, 'signs that are text by default'],
    ['❤️', 2, 'such a sign, told otherwise'],
    ['👩‍👩‍👧', 2, 'a picture made of several'],
    ['🇰🇷', 2, 'a flag'],
    ['a\u200bb\ufeff', 2, 'characters that are not seen'],
    [red('홍'), 2, 'colour'],
  ];
  for (const [text, columns, what] of cases) {
    it(`of ${what} is ${columns}`, () => assert.equal(displayWidth(text), columns));
  }
});

describe('columns', () => {
  const heading = ['USER', 'STATE', 'WHY'];
  const rows = [
    ['홍길동', 'registered', 'it went well'],
    ['bob', 'known', 'no registration came'],
  ];
  const lines = [
    'USER    STATE       WHY',
    '홍길동  registered  it went well',
    'bob     known       no registration came',
  ];
  const blocks = [
    ...['홍길동', '  state  registered', '  why    it went well', ''],
    ...['bob', '  state  known', '  why    no registration came'],
  ];

  it('are below each other, and may go on below the last where it is wide', () => {
    for (const width of [undefined, 40, 36])
      assert.deepEqual(table(heading, rows, plainStyle, width), lines);
  });

  it('are a block for each row where that is too narrow', () => {
    assert.deepEqual(table(heading, rows, plainStyle, 30), blocks);
  });

  it('of labels leave out what has no value', () => {
    const labelled = [
      ['이름', 'x'],
      ['name', undefined],
      ['a', 'y'],
    ] as const;
    assert.deepEqual(fields(labelled, plainStyle), ['  이름  x', '  a     y']);
  });
});

describe('fitLine', () => {
  it('keeps to any width, without losing a word', () => {
    const row = '  id-of-it  must   4.1.1  it is a JSON object with a code and a message in it';
    const words = (text: string) => text.trim().split(/\s+/);
    for (const width of [40, 60, 120]) {
      const lines = fitLine(row, width);
      assert.ok(lines.every((line) => displayWidth(line) <= width));
      assert.deepEqual(words(lines.join(' ')), words(row));
    }
  });

  const command = "→ to set it: authcli config set cipher 'aes-256-gcm?key=utf8&iv=prefix'";
  const [name, word] = [red('이름'), 'x'.repeat(100)];
  const cases: readonly (readonly [what: string, line: string, width: number, string[]])[] = [
    [
      'moves a long word to the left rather than out of the terminal',
      '  holds when  the request says application/json;charset=utf-8 in its header',
      40,
      [
        '  holds when  the request says',
        '          application/json;charset=utf-8',
        '              in its header',
      ],
    ],
    [
      'goes on below the column',
      `  ${name}  하나 둘 셋 넷 다섯`,
      20,
      [`  ${name}  하나 둘 셋`, '        넷 다섯'],
    ],
    [
      'begins further left where the indentation leaves too little space',
      `${' '.repeat(30)}the callback answers what was not asked`,
      40,
      ['    the callback answers what was not', '    asked'],
    ],
    ['leaves what is to be copied in one piece', command, 40, [command]],
    ['leaves what has no spaces in one piece', `key  ${word}`, 40, [`key  ${word}`]],
  ];
  for (const [what, line, width, lines] of cases) {
    it(what, () => assert.deepEqual(fitLine(line, width), lines));
  }
});
