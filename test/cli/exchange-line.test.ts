import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exchangeLine, type ListedExchange } from '../../src/cli/terminal/exchange-line.ts';
import { displayWidth, plainStyle } from '../../src/reports/human.ts';
import { fc } from '../support/fast-check.ts';

const told: ListedExchange = {
  at: 0,
  way: 'in',
  what: 'registration',
  ptnCd: '김철수-박영희-이순신',
  status: 200,
  code: 'A107',
  durationMs: 1,
  outcome: 'bad',
  remarks: ['No key was exchanged for this ptn_cd.'],
};

function lines(width: number, changes: Partial<ListedExchange> = {}): string[] {
  const look = { style: plainStyle, width, time: () => '12:00:01' };
  return exchangeLine({ ...told, ...changes }, look).split('\n');
}

describe('the line of an exchange', () => {
  const cases: readonly (readonly [width: number, ...lines: string[]])[] = [
    [
      Number.POSITIVE_INFINITY,
      '12:00:01  ✗ ← registration   김철수-박영희-이순신      200  A107  1 ms  No key was exchanged for this ptn_cd.',
    ],
    [
      80,
      '12:00:01  ✗ ← registration   김철수-박영희-이순신      200  A107  1 ms',
      '          No key was exchanged for this ptn_cd.',
    ],
    [
      40,
      '12:00:01  ✗ ← registration',
      '    김철수-박영희-이순신  200  A107',
      '    1 ms',
      '    No key was exchanged for this',
      '    ptn_cd.',
    ],
  ];
  for (const [width, ...expected] of cases) {
    it(`takes as many lines as it needs in ${width} columns`, () => {
      assert.deepEqual(lines(width), expected);
    });
  }

  it('cuts a user code that is wider than the terminal', () => {
    assert.equal(lines(40, { ptnCd: '가'.repeat(60) })[1], `    ${'가'.repeat(17)}…`);
  });

  it('is never wider than the terminal, whatever the words between', () => {
    const word = fc.string({ unit: fc.constantFrom('가', 'a', '\u001b', 'é'), maxLength: 12 });
    const texts = fc.record({
      ptnCd: fc.string({ unit: 'grapheme', maxLength: 80 }),
      code: word,
      remarks: fc.array(
        fc.array(word, { maxLength: 20 }).map((words) => words.join(' ')),
        { maxLength: 3 },
      ),
    });
    fc.assert(
      fc.property(fc.integer({ min: 76, max: 200 }), texts, (width, changes) => {
        for (const line of lines(width, changes)) assert.ok(displayWidth(line) <= width, line);
      }),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 40, max: 75 }),
        fc.constantFrom('민수 김', 'bob', '🙂'),
        (width, name) => {
          for (const line of lines(width, { ptnCd: name.repeat(9) }))
            assert.ok(displayWidth(line) <= width, line);
        },
      ),
    );
  });
});
