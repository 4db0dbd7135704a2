import type { CheckDefinition } from '../../check.ts';
import { expectSeparateUsers, skip } from '../../expect.ts';
import { inventCodes } from '../../test-data.ts';

/** Two codes derived from one, and what distinguishes them. */
export const nearCodes: readonly (readonly [
  whose: string,
  first: (code: string) => string,
  second: (code: string) => string,
])[] = [
  ['whose codes differ in case', (code) => `${code}-a`, (code) => `${code}-A`],
  ['whose codes differ in a letter outside ASCII', (code) => `${code}-é`, (code) => `${code}-ü`],
  ['whose codes differ in a Hangul syllable', (code) => `${code}-가`, (code) => `${code}-나`],
  ['whose codes differ in an emoji', (code) => `${code}-😀`, (code) => `${code}-😁`],
  [
    'whose codes differ in a combining mark',
    (code) => `${code}-e\u0323`,
    (code) => `${code}-e\u0331`,
  ],
  [
    'whose codes differ in Unicode normalisation, NFC and NFD',
    (code) => `${code}-\u00e9`,
    (code) => `${code}-e\u0301`,
  ],
  [
    'whose codes of 64 characters differ in the last one',
    (code) => code.padEnd(63, '-long').concat('1'),
    (code) => code.padEnd(63, '-long').concat('2'),
  ],
];

export const exactUserCode: CheckDefinition = {
  id: 'protocol/exact-user-code',
  title:
    'must distinguish user codes that differ only in case, in non-ASCII characters or near the end',
  section: '1',
  sentence: 'Each user is identified by an application user code, ptn_cd.',
  stage: 'right-requests',
  needs: ['registration/key-of-that-user', 'usable-key'],
  run: async (context) => {
    const { check, environment } = context;
    const codes = inventCodes(`${environment.seed}\0exact`, check.id, nearCodes.length);
    const notes: string[] = [];
    for (const [index, [whose, first, second]] of nearCodes.entries()) {
      const code = codes[index] ?? '';
      const users = [first(code), second(code)] as const;
      const areAccepted = await expectSeparateUsers(context, users, whose, true);
      if (!areAccepted) notes.push(`Users ${whose} are refused, which is allowed.`);
    }
    if (notes.length === nearCodes.length)
      return skip("The application refuses invented user codes, so it can't confuse them.");
    return { notes };
  },
};
