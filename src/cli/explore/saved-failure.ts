import { operations } from '../../explore/operations.ts';
import { countSteps, type Sequence, type Step, type UserPlan } from '../../explore/sequence.ts';
import { isVariant } from '../../explore/user-codes.ts';
import { isJsonObject, parseJsonText } from '../../protocol/json.ts';
import { exploreSchema } from '../../reports/explore-document.ts';
import { quote } from '../args/values.ts';
import { usage } from '../failure.ts';

/** A failure that `explore` saved. */
export interface SavedFailure {
  readonly seed: string;
  readonly sequence: Sequence;
}

/** Reads what --save wrote, or --json printed. Throws `usage` for anything else. */
export function readSavedFailure(text: string): SavedFailure {
  const document = parsed(text);
  if (!isJsonObject(document) || document.schema !== exploreSchema) throw notSaved();
  const { failures, seed } = document;
  const [failure] = Array.isArray(failures) ? failures : [];
  if (failure === undefined) {
    throw usage('--replay: the file contains no failure.', 'Give a file that --save wrote.');
  }
  const sequence = isJsonObject(failure) ? failure.replay : undefined;
  if (typeof seed !== 'string' || !isSequence(sequence)) throw notSaved();
  for (const { operation } of sequence.rounds.flat()) {
    if (operations.some(({ id }) => id === operation)) continue;
    throw usage(
      `--replay: this version has no operation ${quote(operation)}.`,
      '`authcli explore --list` lists them.',
    );
  }
  return { seed, sequence };
}

function parsed(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}

function notSaved(): Error {
  return usage(
    '--replay: the file is not a failure of explore.',
    'Give the authcli-explore-….json that a failed run wrote.',
  );
}

/** Far more than is ever drawn. */
const maxSteps = 20_000;

function isSequence(value: unknown): value is Sequence {
  if (!isJsonObject(value)) return false;
  const { users, rounds } = value;
  if (!Array.isArray(users) || !Array.isArray(rounds) || !users.every(isUser)) return false;
  const isRound = (round: unknown): round is readonly Step[] =>
    Array.isArray(round) && round.length <= 8 && round.every((step) => isStep(step, users.length));
  return rounds.every(isRound) && countSteps({ rounds }) <= maxSteps;
}

function isUser(value: unknown): value is UserPlan {
  if (!isJsonObject(value)) return false;
  return isCount(value.family, maxSteps) && isVariant(value.variant);
}

function isStep(value: unknown, users: number): value is Step {
  if (!isJsonObject(value)) return false;
  const { operation, user, detail, fresh } = value;
  const isDetail = detail === undefined || isCount(detail, maxSteps);
  const isFresh = fresh === undefined || fresh === true;
  return typeof operation === 'string' && isCount(user, users) && isDetail && isFresh;
}

function isCount(value: unknown, below: number): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < below;
}
