import type { Check } from '../../check.ts';
import { skip } from '../../expect.ts';
import { trySeparateUsers } from '../../separate-users.ts';
import { inventUsers } from '../../test-users.ts';

/** Two codes that are made of one, and what distinguishes them. */
const pairs: readonly (readonly [
  whose: string,
  first: (code: string) => string,
  second: (code: string) => string,
])[] = [
  ['whose codes differ in case', (code) => `${code}-a`, (code) => `${code}-A`],
  ['whose codes differ in a letter outside ASCII', (code) => `${code}-é`, (code) => `${code}-ü`],
  [
    'whose codes of 64 characters differ in the last one',
    (code) => code.padEnd(63, '-long').concat('1'),
    (code) => code.padEnd(63, '-long').concat('2'),
  ],
];

export const exactUserCode: Check = {
  id: 'protocol/exact-user-code',
  title: 'User codes that differ in case, outside ASCII or far behind stay different users',
  section: '1',
  sentence: 'Each user is identified by an application user code, ptn_cd.',
  level: 'must',
  polarity: 'positive',
  stage: 'right-requests',
  needs: ['registration/key-of-that-user', 'usable-key'],
  run: async (context) => {
    const { check, world } = context;
    const codes = inventUsers(`${world.seed}\0exact`).forCheck(check.id, pairs.length) ?? [];
    const notes: string[] = [];
    for (const [index, [whose, first, second]] of pairs.entries()) {
      const code = codes[index] ?? '';
      const separation = await trySeparateUsers(context, [first(code), second(code)], whose);
      if (separation === 'refused') notes.push(`Users ${whose} are refused, which is no fault.`);
    }
    if (notes.length === pairs.length) {
      return skip('The application refuses invented user codes, so that it can not confuse them.');
    }
    return { notes };
  },
};
