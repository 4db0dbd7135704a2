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
  {
    name: 'a few steps',
    share: 20,
    users: [1, 4],
    steps: [3, 12],
    concurrency: 'mixed',
    always: signUps,
    variety: 0.35,
    curiosity: 0.5,
  },
  {
    name: 'some users',
    share: 20,
    users: [2, 5],
    steps: [8, 40],
    concurrency: 'mixed',
    always: signUps,
    variety: 0.35,
    curiosity: 0.35,
  },
  {
    name: 'everything',
    share: 8,
    users: [2, 5],
    steps: [40, 150],
    concurrency: 'mixed',
    always: signUps,
    variety: 1,
    curiosity: 0.35,
  },
  {
    name: 'the history of a user',
    share: 12,
    users: [1, 2],
    steps: [8, 30],
    concurrency: 'alone',
    always: signUps,
    variety: 0.25,
    curiosity: 0.2,
  },
  {
    name: 'registrations',
    share: 12,
    users: [2, 4],
    steps: [6, 20],
    concurrency: 'alone',
    always: /^key-exchange\/valid$|^registration/,
    variety: 0,
    curiosity: 0.7,
  },
  {
    name: 'races',
    share: 20,
    users: [1, 3],
    steps: [2, 16],
    concurrency: 'together',
    always: signUps,
    variety: 0.12,
    curiosity: 0.15,
  },
  {
    name: 'user codes that nearly collide',
    share: 20,
    users: [6, 14],
    steps: [0, 8],
    concurrency: 'alone',
    always: signUps,
    variety: 0.1,
    curiosity: 0.2,
    hasNearCodes: true,
    isComplete: true,
  },
  {
    name: 'a crowd',
    share: 10,
    users: [6, 20],
    steps: [0, 20],
    concurrency: 'mixed',
    always: signUps,
    variety: 0.1,
    curiosity: 0.2,
    isComplete: true,
  },
  {
    name: 'a hundred users',
    share: 8,
    users: [51, 100],
    steps: [0, 60],
    concurrency: 'mixed',
    always: signUps,
    variety: 0.1,
    curiosity: 0.2,
    isComplete: true,
  },
];

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
