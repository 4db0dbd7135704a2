import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

/* What a refused request at the end of a sequence says of the key that the application uses, or of its connections. */
describe('the diagnosis of a refused request', () => {
  for (const { fault, sequence, code, message } of [
    {
      fault: 'keeps-first-key',
      sequence: sequenceOf(`${exchange}@0`, `${exchange}@0`, `${register}@0`),
      code: 'stale-key',
      message:
        'With the key of step 1 the registration is accepted, with that of step 2 it is refused: the application uses the older key.',
    },
    {
      fault: 'one-slot-for-all',
      sequence: sequenceOf(`${exchange}@0`, `${exchange}@1`, `${register}@0`),
      code: 'shared-state',
      message:
        'With the key of user 2 the registration of user 1 is accepted, with its own of step 1 it is refused: the application uses the key of another user.',
    },
    {
      fault: 'keeps-three-users',
      sequence: sequenceOf(...[0, 1, 2, 3].map((user) => `${exchange}@${user}`), `${register}@0`),
      code: 'shared-state',
      message:
        'The key of step 1 does not work, nor does another one of this sequence: callbacks of users 2, 3, 4 affect user 1.',
    },
    {
      fault: 'bad-registration-deletes-user',
      sequence: sequenceOf(`${exchange}@0`, `${refused}@0`, `${register}@0`),
      code: 'code-not-success',
      message:
        'The key of step 1 does not work: the application has lost it, or uses data of an earlier request.',
    },
    {
      // Another user in the sequence is not blamed where it fails without them too.
      fault: 'bad-registration-deletes-user',
      sequence: sequenceOf(
        `${exchange}@0`,
        `${exchange}@1`,
        `${refused}@1`,
        `${register}@0`,
        `${register}@1`,
      ),
      code: 'code-not-success',
      message:
        'The key of step 2 does not work, nor does another one of this sequence: the application has lost it, or uses data of an earlier request.',
    },
    {
      fault: 'refusal-poisons-connection',
      sequence: sequenceOf(`${exchange}@0`, `${refused}@0`, `${register}@0`),
      code: 'shared-state',
      message:
        'A registration is refused over the connection of the steps before, and accepted over a new one: those steps left something there that affects it.',
    },
    {
      fault: 'refusal-poisons-connection',
      sequence: sequenceOf('key-exchange/public-key-no-base64@0', `${exchange}@0`),
      code: 'shared-state',
      message: /^A key exchange is refused over the connection of the steps before, /,
    },
    {
      fault: 'race-mixes-registrations',
      sequence: sequenceOf(`${exchange}@0`, `${exchange}@1`, `${register}@1 | ${register}@0`),
      code: 'shared-state',
      message: /^The key of step [12] does not work: callbacks of user [12] affect user [12]\.$/,
    },
    {
      fault: 'undecryptable-once-registered',
      sequence: sequenceOf(`${exchange}@0`, `${register}@0`, `${refused}@0`),
      code: 'accepted-bad-input',
      message: /^A registration with a partner_sp that its key can't decrypt was answered/,
    },
  ] as const) {
    it(`is ${code} for ${fault} (${sequence.users.length} users, ${sequence.rounds.length} rounds)`, async () => {
      const found = await exploreHandler(undefined, { ...simulation(fault), replay: sequence });
      const diagnosis = found.failures[0]?.execution.violation.diagnosis;
      assert.equal(diagnosis?.code, code);
      if (typeof message === 'string') assert.equal(diagnosis.message, message);
      else assert.match(diagnosis.message, message);
    });
  }
});
