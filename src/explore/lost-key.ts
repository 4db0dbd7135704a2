import { isAccepted } from '../conformance/expect.ts';
import { diagnose } from '../diagnosis/catalogue.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import type { Diagnosis } from '../errors.ts';
import { capitalised } from '../text.ts';
import { type Execute, type Executed, isWronglyRefused, type SentStep } from './execute.ts';
import type { ExploreFailure } from './explore.ts';
import { countSteps, hasConcurrency, onlySteps, type Sequence } from './sequence.ts';

/**
 * Why a registration at the end of a sequence is refused though the key of the latest key exchange encrypted it: the
 * sequence is sent again with another key at its end, an earlier one of the user or that of another user. What is
 * accepted then shows which key the application uses. Undefined for other failures, and where only the connection
 * matters and no other key is used.
 */
export async function diagnoseLostKey(
  failure: ExploreFailure,
  execute: Execute,
): Promise<Diagnosis | undefined> {
  const { sent, violation } = failure.execution;
  const [refused] = violation.steps;
  if (refused === undefined || violation.steps.length !== 1 || !isRefused(refused)) return;
  const exchanges = sent.flatMap((step, index) =>
    isExchange(step) ? { user: step.step.user, number: index + 1 } : [],
  );
  const { user } = refused.step;
  const own = exchanges.filter((exchange) => exchange.user === user).map(({ number }) => number);
  const latest = own.at(-1);
  if (latest === undefined) return;
  const isAlone = sent.every((step) => step === refused || step.round !== refused.round);
  const others = exchanges.map((exchange) => exchange.user).filter((each) => each !== user);
  const keys = { user, own, others: [...new Set(others)] };
  const used = isAlone ? await keyInstead(failure, keys, execute) : undefined;
  if (used !== undefined) return used;
  if (failure.onKeptConnectionOnly) return undefined;
  const andOthers =
    isAlone && exchanges.length > 1 ? ', nor does another one of this sequence' : '';
  const lost = `The key of step ${latest} does not work${andOthers}`;
  return noKey(failure.sequence, user, lost, await needsOthers(failure, user, execute));
}

/** Whether the sequence passes without the callbacks of other users: those affect this one. */
async function needsOthers(
  { sequence }: Executed,
  user: number,
  execute: Execute,
): Promise<boolean> {
  const alone = onlySteps(sequence, (step) => step.user === user);
  if (alone === undefined || countSteps(alone) === countSteps(sequence)) return false;
  return (await execute(alone)).violation === undefined;
}

/** Who has keys in a sequence. */
interface Keys {
  /** Whose registration is refused. */
  readonly user: number;
  /** The steps that gave them a key. */
  readonly own: readonly number[];
  /** The other users with a key. */
  readonly others: readonly number[];
}

async function keyInstead(
  { sequence }: Executed,
  { user, own, others }: Keys,
  execute: Execute,
): Promise<Diagnosis | undefined> {
  const isAcceptedWith = async (operation: string, detail: number): Promise<boolean> => {
    const rounds = [...sequence.rounds.slice(0, -1), [{ operation, user, detail }]];
    const { sent } = await execute({ ...sequence, rounds });
    const end = sent.at(-1);
    const isReached = end?.round === rounds.length - 1 && end.operation.id === operation;
    return isReached && isAccepted(end.outcome);
  };
  const latest = own.at(-1) ?? 0;
  for (const [index, number] of own.slice(0, -1).reverse().entries()) {
    if (await isAcceptedWith('registration/earlier-key', index + 1)) {
      return staleKey(number, latest);
    }
  }
  for (const other of others.slice(-mostOthers)) {
    if (await isAcceptedWith('registration/other-users-key', other)) {
      return otherKey(user, other, latest);
    }
  }
  return undefined;
}

/** Other users whose keys are tried, the latest. */
const mostOthers = 4;

function isRefused(step: SentStep): boolean {
  const isRegistration = step.operation.id.startsWith('registration/');
  // Where the interface leaves a choice, the application has only changed its mind.
  return isRegistration && step.expected.choice === undefined && isWronglyRefused(step);
}

function isExchange({ operation, outcome }: SentStep): boolean {
  return operation.id.startsWith('key-exchange/') && isAccepted(outcome);
}

function staleKey(earlier: number, latest: number): Diagnosis {
  const message = `With the key of step ${earlier} the registration is accepted, with that of step ${latest} it is refused: the application uses the older key.`;
  return diagnose('stale-key', message);
}

function otherKey(user: number, other: number, ownKey: number): Diagnosis {
  const message = `With the key of user ${other + 1} the registration of user ${user + 1} is accepted, with its own of step ${ownKey} it is refused: the application uses the key of another user.`;
  return diagnose('shared-state', message);
}

function noKey(
  { users, rounds }: Sequence,
  user: number,
  lost: string,
  needsOthers: boolean,
): Diagnosis {
  if (needsOthers) {
    const others = [...users.keys()].filter((other) => other !== user);
    const names = others.map((other) => other + 1).join(', ');
    const few = others.length === 1 ? `user ${names}` : `users ${names}`;
    const whose = others.length > mostOthers ? 'other users' : few;
    const message = `${lost}: callbacks of ${whose} affect user ${user + 1}.`;
    return diagnosis('shared-state', message, keepApart);
  }
  if (hasConcurrency({ rounds })) {
    return diagnosis('shared-state', `${lost}: callbacks at the same time affect it.`, keepApart);
  }
  const message = `${lost}: the application has lost it, or uses data of an earlier request.`;
  return diagnosis('code-not-success', message, keepKeys);
}

/** What should be accepted is refused over a kept connection alone. */
export function diagnoseKeptConnection({
  onKeptConnectionOnly,
  execution,
}: ExploreFailure): Diagnosis | undefined {
  const [step] = execution.violation.steps;
  if (!onKeptConnectionOnly || step === undefined || !isWronglyRefused(step)) return undefined;
  const message = `${capitalised(step.operation.about)} is refused over the connection of the steps before, and accepted over a new one: those steps left something there that affects it.`;
  return diagnosis('shared-state', message, keepNothing);
}

const keepNothing =
  'Keep nothing with a connection, such as a key, a user or what came of a request: find it by what each request contains.';

const keepKeys =
  'Let nothing but a key exchange that succeeds change the key of a user: not a request that is refused, and not a registration.';

const keepApart =
  'Let no callback change what another one works on: store each key under the full ptn_cd, compared exactly, not in a cache that forgets some, nor in a variable that requests share.';
