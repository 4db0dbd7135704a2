import type { Coverage } from './coverage.ts';
import type { Dice } from './dice.ts';
import type { Bounds } from './draw.ts';

type Range = readonly [min: number, max: number];

/** What a sequence is about: each kind of fault hides from sequences that are about everything. */
export interface Theme {
  readonly name: string;
  /** The share of all steps that its sequences take, beside those of the other themes. */
  readonly share: number;
  readonly users: Range;
  /** Without those with which everyone gets a key, and those that settle the sequence. */
  readonly steps: Range;
  /** `mixed`: alone in half of the sequences. */
  readonly concurrency: 'alone' | 'mixed' | 'together';
  /** The operations that always occur; each of the others with the chance of `variety`. */
  readonly always: RegExp;
  readonly variety: number;
  /** How often a step goes where few have been; the others go by the weights of the operations. */
  readonly curiosity: number;
  /** The users are pairs with nearly the same code. */
  readonly hasNearCodes?: true;
  /** Everyone gets a key first, and registers in the end. */
  readonly isComplete?: true;
}

const signUps = /^(?:key-exchange\/valid|registration\/latest-key)$/;

/** The themes; the first one fits all bounds. */
export const themes: readonly Theme[] = [
  theme('a few steps', 20, [1, 4], [3, 12], { variety: 0.35, curiosity: 0.5 }),
  theme('some users', 20, [2, 5], [8, 40], { variety: 0.35, curiosity: 0.35 }),
  theme('everything', 8, [2, 5], [40, 150], { variety: 1, curiosity: 0.35 }),
  theme('the history of a user', 12, [1, 2], [8, 30], { concurrency: 'alone', variety: 0.25 }),
  theme('registrations', 12, [2, 4], [6, 20], {
    concurrency: 'alone',
    always: /^key-exchange\/valid$|^registration/,
    variety: 0,
    curiosity: 0.7,
  }),
  theme('races', 20, [1, 3], [2, 16], { concurrency: 'together', variety: 0.12, curiosity: 0.15 }),
  theme('user codes that nearly collide', 20, [6, 14], [0, 8], {
    concurrency: 'alone',
    hasNearCodes: true,
    isComplete: true,
  }),
  theme('a crowd', 10, [6, 20], [0, 20], { isComplete: true }),
  theme('a hundred users', 8, [51, 100], [0, 60], { isComplete: true }),
];

function theme(
  name: string,
  share: number,
  users: Range,
  steps: Range,
  differing: Partial<Theme>,
): Theme {
  const usual = { concurrency: 'mixed', always: signUps, variety: 0.1, curiosity: 0.2 } as const;
  return { name, share, users, steps, ...usual, ...differing };
}

/** The theme of the next sequence: mostly the one that had least of its share, by the steps that were `planned`. */
export function chooseTheme(dice: Dice, bounds: Bounds, planned: Coverage): Theme {
  const { users = 100, givenUsers = 100, maxSteps = 260, concurrency = 4 } = bounds;
  const most = Math.min(users, givenUsers, maxSteps);
  const fitting = themes.filter(
    (theme, index) =>
      index === 0 ||
      (theme.users[0] <= most &&
        (theme.concurrency !== 'together' || concurrency > 1) &&
        (theme.hasNearCodes === undefined || bounds.givenUsers === undefined)),
  );
  const one = fitting[dice.between(0, fitting.length - 1)] ?? (themes[0] as Theme);
  if (dice.chance(0.25)) return one;
  const doneOf = ({ name, share }: Theme) => planned.of(`steps about ${name}`) / share;
  return fitting.reduce((least, theme) => (doneOf(theme) < doneOf(least) ? theme : least), one);
}
