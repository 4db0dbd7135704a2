import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DiagnosisCode } from '../../src/errors.ts';
import type { Sequence } from '../../src/explore/sequence.ts';
import { simulation } from './simulated.ts';
import { exploreHandler } from './support.ts';

/** Steps such as `key-exchange/valid@0`; those with `|` between them are sent at the same time. */
function sequenceOf(...rounds: readonly string[]): Sequence {
  const steps = rounds.map((round) =>
    round.split(' | ').map((step) => {
      const [operation = '', user] = step.split('@');
      return { operation, user: Number(user) };
    }),
  );
  const count = 1 + Math.max(...steps.flat().map(({ user }) => user));
  const users = Array.from({ length: count }, (_, family) => ({ family, variant: 'plain' }));
  return { users, rounds: steps };
}

const [exchange, register] = ['key-exchange/valid', 'registration/latest-key'];
const refused = 'registration/undecryptable-partner-sp';

const [first, second] = [`${exchange}@0`, `${exchange}@1`];
const four = [0, 1, 2, 3].map((user) => `${exchange}@${user}`);
const bad = [`${refused}@0`, `${refused}@1`] as const;
const done = [`${register}@0`, `${register}@1`] as const;
const malformed = 'key-exchange/public-key-no-base64@0';

/* What a refused request at the end of a sequence says of the key that the application uses, or of its connections. */
const rows: [fault: string, rounds: string[], DiagnosisCode, message: string | RegExp][] = [
  [
    'keeps-first-key',
    [first, first, done[0]],
    'stale-key',
    'With the key of step 1 the registration is accepted, with that of step 2 it is refused: the application uses the older key.',
  ],
  [
    'one-slot-for-all',
    [first, second, done[0]],
    'shared-state',
    'With the key of user 2 the registration of user 1 is accepted, with its own of step 1 it is refused: the application uses the key of another user.',
  ],
  [
    'keeps-three-users',
    [...four, done[0]],
    'shared-state',
    'The key of step 1 does not work, nor does another one of this sequence: callbacks of users 2, 3, 4 affect user 1.',
  ],
  [
    'bad-registration-deletes-user',
    [first, bad[0], done[0]],
    'code-not-success',
    'The key of step 1 does not work: the application has lost it, or uses data of an earlier request.',
  ],
  // Another user in the sequence is not blamed where it fails without them too.
  [
    'bad-registration-deletes-user',
    [first, second, bad[1], ...done],
    'code-not-success',
    'The key of step 2 does not work, nor does another one of this sequence: the application has lost it, or uses data of an earlier request.',
  ],
  [
    'refusal-poisons-connection',
    [first, bad[0], done[0]],
    'shared-state',
    'A registration is refused over the connection of the steps before, and accepted over a new one: those steps left something there that affects it.',
  ],
  [
    'refusal-poisons-connection',
    [malformed, first],
    'shared-state',
    /^A key exchange is refused over the connection of the steps before, /,
  ],
  [
    'race-mixes-registrations',
    [first, second, `${done[1]} | ${done[0]}`],
    'shared-state',
    /^The key of step [12] does not work: callbacks of user [12] affect user [12]\.$/,
  ],
  [
    'undecryptable-once-registered',
    [first, done[0], bad[0]],
    'accepted-bad-input',
    /^A registration with a partner_sp that its key can't decrypt was answered/,
  ],
];

describe('the diagnosis of a refused request', () => {
  for (const [fault, rounds, code, message] of rows) {
    it(`is ${code} for ${fault} (${rounds.length} rounds)`, async () => {
      const found = await exploreHandler(undefined, {
        ...simulation(fault),
        replay: sequenceOf(...rounds),
      });
      const diagnosis = found.failures[0]?.execution.violation.diagnosis;
      assert.equal(diagnosis?.code, code);
      if (typeof message === 'string') assert.equal(diagnosis.message, message);
      else assert.match(diagnosis.message, message);
    });
  }
});
