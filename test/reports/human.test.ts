import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { displayWidth, fields, fitLine, plainStyle, table } from '../../src/reports/human.ts';
import { fixtureRows } from '../support/fixtures.ts';

describe('displayWidth', () => {
  type Row = readonly [text: string, columns: number, what: string];
  for (const [text, columns, what] of fixtureRows<Row>('readings/display-widths.jsonl')) {
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

  type Row = readonly [what: string, line: string, width: number, lines: readonly string[]];
  for (const [what, line, width, lines] of fixtureRows<Row>('readings/fitted-lines.jsonl')) {
    it(what, () => assert.deepEqual(fitLine(line, width), lines));
  }
});
