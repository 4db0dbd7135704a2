import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { displayWidth, fields, fitLine, plainStyle, table } from '../../src/reports/human.ts';

const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;

describe('displayWidth', () => {
  const cases: readonly (readonly [text: string, columns: number, what: string])[] = [
    ['', 0, 'nothing'],
    ['abc', 3, 'ASCII'],
    ['é', 1, 'a letter with a mark of its own'],
    ['e\u0301', 1, 'a letter and a mark'],
    ['홍길동', 6, 'Hangul syllables'],
    ['\u1112\u1169\u11bc', 2, 'a syllable of Jamo'],
    ['山田', 4, 'Kanji'],
    ['𠮷', 2, 'Kanji beyond the first plane'],
    ['ＡＢ', 4, 'full width letters'],
    ['ｱ', 1, 'half width Katakana'],
    ['✓ → …', 5, 'signs of the output'],
    ['™©', 2, 'signs that are text by default'],
    ['❤️', 2, 'such a sign, told otherwise'],
    ['👍', 2, 'a picture'],
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
  it('are below each other, whatever a name is written in', () => {
    const rows = [
      ['alice', '1'],
      ['홍길동', '2'],
      ['山田 太郎', '3'],
    ];
    const lines = table(['NAME', 'N'], rows, plainStyle);
    assert.deepEqual(
      lines.map((line) => displayWidth(line.slice(0, -1))),
      [11, 11, 11, 11],
    );
    const labelled = fields(
      [
        ['이름', 'x'],
        ['name of it', 'x'],
      ],
      plainStyle,
    );
    assert.deepEqual(
      labelled.map((line) => displayWidth(line)),
      [15, 15],
    );
  });
});

describe('a table', () => {
  const heading = ['USER', 'STATE', 'WHY'];
  const rows = [
    ['홍길동', 'registered', 'it went well'],
    ['bob', 'known', 'no registration came'],
  ];
  const shown = (width?: number) => table(heading, rows, plainStyle, width);

  it('is one where it fits, and where its last column can go on below itself', () => {
    const lines = shown();
    assert.equal(lines[0], 'USER    STATE       WHY');
    assert.deepEqual(shown(40), lines);
    assert.deepEqual(shown(36), lines);
  });

  it('is a block for each row where that is too narrow', () => {
    assert.deepEqual(shown(30), [
      '홍길동',
      '  state  registered',
      '  why    it went well',
      '',
      'bob',
      '  state  known',
      '  why    no registration came',
    ]);
  });
});

describe('fitLine', () => {
  it('moves a long word to the left rather than out of the terminal', () => {
    const line = '  holds when  the request says application/json;charset=utf-8 in its header';
    assert.deepEqual(fitLine(line, 40), [
      '  holds when  the request says',
      '          application/json;charset=utf-8',
      '              in its header',
    ]);
  });

  const row =
    '  id-of-it  must   4.1.1  the answer is a JSON object with a code and a message in it';
  for (const width of [40, 60, 80, 120, 200]) {
    it(`keeps to ${width} columns`, () => {
      const lines = fitLine(row, width);
      assert.ok(lines.every((line) => displayWidth(line) <= width));
      assert.equal(
        lines
          .map((line) => line.trim())
          .join(' ')
          .replaceAll(/ +/g, ' '),
        row.trim().replaceAll(/ +/g, ' '),
      );
    });
  }

  it('goes on below the column', () => {
    assert.deepEqual(fitLine('  a  the text goes on and on and further on', 30), [
      '  a  the text goes on and on',
      '     and further on',
    ]);
    assert.deepEqual(fitLine(`  ${red('이름')}  하나 둘 셋 넷 다섯`, 20), [
      `  ${red('이름')}  하나 둘 셋`,
      '        넷 다섯',
    ]);
  });

  it('begins further left where the indentation leaves too little space', () => {
    const line = `${' '.repeat(30)}the callback answers what was not asked`;
    assert.deepEqual(fitLine(line, 40), ['    the callback answers what was not', '    asked']);
  });

  it('leaves in one piece what is to be copied, and what has no spaces', () => {
    const command = "→ to set it: authcli config set cipher 'aes-256-gcm?key=utf8&iv=prefix'";
    assert.deepEqual(fitLine(command, 40), [command]);
    const word = 'x'.repeat(100);
    assert.deepEqual(fitLine(`key  ${word}`, 40), [`key  ${word}`]);
  });
});
