import { isAccepted } from '../conformance/expect.ts';
import { resetting } from './circumstances.ts';
import { Coverage } from './coverage.ts';
import { type Bounds, drawSequence } from './draw.ts';
import { type Endpoint, execute, type World } from './execute.ts';
import type { Subject } from './explore.ts';
import { diagnoseLostKey } from './lost-key.ts';
import type { KeyPolicy } from './model/state.ts';
import { joined, ofOneUser, onlySteps, type Sequence, type Step } from './sequence.ts';
import { diagnoseSometimesDecrypted } from './violation.ts';

export interface CallbackOptions extends Endpoint, Bounds {}

/** A plain sign-up, which everything else rests on. */
const signUp = ofOneUser('key-exchange/valid', 'registration/latest-key');

/** Two users who register under a key before the stored one, one of them registered twice before: what the interface leaves open. */
const openChoices: Sequence = joined([
  withEarlierKey(ofOneUser('key-exchange/valid', 'key-exchange/valid')),
  withEarlierKey(
    ofOneUser(
      'key-exchange/valid',
      'registration/latest-key',
      'registration/latest-key',
      'key-exchange/valid',
    ),
  ),
]);

function withEarlierKey({ users, rounds }: Sequence): Sequence {
  const step: Step = { operation: 'registration/earlier-key', user: 0, detail: 1 };
  return { users, rounds: [...rounds, [step]] };
}

/** The callback endpoint of an application as what is explored. */
export function callbackSubject(options: CallbackOptions): Subject {
  const names = new Set(options.operations.map(({ id }) => id));
  const planned = new Coverage();
  const world = { ...options, acceptsCode: codesAcceptedBy(options) };
  let policy: Promise<KeyPolicy> | undefined;
  return {
    draw: (dice) => drawSequence(dice, options, planned),
    simplerSteps,
    afterRound,
    mostUsers: options.givenUsers,
    control: onlySteps(signUp, ({ operation }) => names.has(operation)),
    execute: async (sequence, circumstances) => {
      policy ??= policyOf(world, names);
      const endpoint = resetting(world, circumstances);
      return execute(sequence, endpoint, await policy, circumstances.coverage);
    },
    diagnose: async (failure, send) =>
      diagnoseSometimesDecrypted(failure.execution) ?? (await diagnoseLostKey(failure, send)),
  };
}

/** What the application does with earlier keys and second registrations; unknown where they can't be sent or go wrong. */
async function policyOf(world: World, names: ReadonlySet<string>): Promise<KeyPolicy> {
  const steps = openChoices.rounds.flat();
  if (!steps.every(({ operation }) => names.has(operation))) return {};
  const { sent, violation } = await execute(openChoices, world, {});
  if (violation !== undefined || sent.length < steps.length) return {};
  const accepted = (id: string) =>
    sent.filter(({ operation }) => operation.id === id).map(({ outcome }) => isAccepted(outcome));
  return {
    refusesEarlierKeys: !accepted('registration/earlier-key').includes(true),
    registersAgain: !accepted('registration/latest-key').includes(false),
  };
}

/** Whether a user with such a code can sign up alone: the positive control of sequences with several. */
function codesAcceptedBy(endpoint: Endpoint): World['acceptsCode'] {
  const known = new Map<string, Promise<boolean>>();
  const world = { ...endpoint, acceptsCode: async () => false };
  const isAcceptedAlone = async (variant: string): Promise<boolean> => {
    const { sent } = await execute({ ...signUp, users: [{ family: 0, variant }] }, world, {});
    return sent.length === 2 && sent.every(({ outcome }) => isAccepted(outcome));
  };
  return (variant) => {
    const accepts = known.get(variant) ?? isAcceptedAlone(variant);
    known.set(variant, accepts);
    return accepts;
  };
}

function* simplerSteps(step: Step): Generator<Step> {
  const { operation, detail, ...rest } = step;
  const [group = ''] = operation.split('/');
  const plain = group === 'key-exchange' ? 'key-exchange/valid' : 'registration/latest-key';
  if (operation !== plain) yield { ...rest, operation: plain };
  const refused = 'registration/undecryptable-partner-sp';
  if (group === 'registration' && operation !== plain && operation !== refused) {
    yield { ...rest, operation: refused };
  }
  if (operation === 'registration/earlier-key' && (detail ?? 1) > 1) yield { ...step, detail: 1 };
}

/** A registration that is built beside a key exchange has the key before it. */
function afterRound(step: Step, round: readonly Step[]): Step {
  const isBeside = round.some(
    ({ operation, user }) => user === step.user && operation.startsWith('key-exchange/'),
  );
  return isBeside && step.operation === 'registration/latest-key'
    ? { ...step, operation: 'registration/earlier-key', detail: 1 }
    : step;
}
