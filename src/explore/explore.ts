import { createHash } from 'node:crypto';
import { hasResponse } from '../client/exchange.ts';
import { isAccepted } from '../conformance/expect.ts';
import type { Diagnosis } from '../errors.ts';
import { keepingLatest } from '../latest-results.ts';
import { Coverage } from './coverage.ts';
import { type Bounds, drawSequence } from './draw.ts';
import { type Endpoint, type Execution, execute, type World } from './execute.ts';
import type { KeyPolicy } from './model.ts';
import { hasConcurrency, ofOneUser, onlySteps, type Sequence } from './sequence.ts';
import {
  drawOne,
  type ExploreFailure,
  failureOf,
  repetitions,
  SequenceArbitrary,
} from './shrinking.ts';
import { variants } from './user-codes.ts';

/** What is explored, for how long, and who follows. */
export interface ExploreOptions extends Endpoint, Bounds {
  /** The same text draws the same sequences. */
  readonly seed: string;
  /** How many sequences; until `durationMs` is over by default. */
  readonly runs?: number | undefined;
  readonly durationMs?: number | undefined;
  /** Run this sequence only: a failure that was saved. */
  readonly replay?: Sequence | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Progress {
  readonly sequences: number;
  readonly steps: number;
  readonly isShrinking: boolean;
}

export interface Exploration {
  readonly seed: string;
  readonly sequences: number;
  readonly steps: number;
  readonly coverage: Coverage;
  /** The first failure; the run ends with it. */
  readonly failures: readonly ExploreFailure[];
  /** How many sequences were cut short because the endpoint limits the rate of requests. */
  readonly limited: number;
  readonly unreachable?: Diagnosis;
  readonly interrupted: boolean;
}

/**
 * Explores a callback endpoint: draws sequences of callbacks, sends them with `send`, and compares
 * every response with the model. Ends at the first failure, shrunk and confirmed; else after `runs` sequences or
 * `durationMs`. `send` may go over HTTP (a transport's `send`), or call the pure handler of an application; it
 * rejects only for what ends the run. The result can be read before its end.
 *
 * The sequences follow from `seed` and the bounds alone; user codes and keys are new in each execution.
 * `prepare`, if given, is awaited before each execution: a test may restart its application there.
 */
export function createExplorer(options: ExploreOptions) {
  const { replay, seed, now, signal, runs = Infinity } = options;
  const { durationMs = runs === Infinity ? 30_000 : Infinity } = options;
  const names = new Set(options.operations.map(({ id }) => id));
  /** What everything else rests on, sent first; undefined if its operations are not to be sent. */
  const control = onlySteps(signUp, ({ operation }) => names.has(operation));
  const world: World = { ...options, acceptsCode: codesAcceptedBy(options) };
  const coverage = new Coverage();
  const counts = { sequences: 0, steps: 0, limited: 0 };
  let policy: Promise<KeyPolicy> | undefined;
  let responded = false;
  /** What was found, and may still be shrunk. */
  let found: ExploreFailure | undefined;

  const send = async (sequence: Sequence, counted?: Coverage): Promise<Execution> => {
    policy ??= policyOf(world, names);
    const execution = await execute(sequence, world, await policy, counted);
    counts.steps += execution.sent.length;
    responded ||= execution.sent.some(({ outcome }) => hasResponse(outcome.exchange));
    const { sequences, steps } = counts;
    options.onProgress?.({ sequences, steps, isShrinking: counted === undefined });
    return execution;
  };

  /** What is known so far; of a failure that is being shrunk, the sequence that showed it first. */
  const result = (unreachable?: Diagnosis): Exploration => {
    const interrupted = signal?.aborted === true;
    return { seed, ...counts, coverage, failures: found ? [found] : [], interrupted, unreachable };
  };

  const run = async (): Promise<Exploration> => {
    const end = now() + durationMs;
    const planned = new Coverage();
    const arbitrary = new SequenceArbitrary((dice) => drawSequence(dice, options, planned));
    const start = createHash('sha256').update(seed).digest().readInt32BE();
    const tries = replay !== undefined && hasConcurrency(replay) ? repetitions : 1;
    const most = replay === undefined ? runs : (options.runs ?? tries);
    for (let index = 0; index < most && now() < end && !signal?.aborted; index += 1) {
      const given = replay ?? (index === 0 ? control : undefined);
      const drawn = given ?? drawOne(arbitrary, start, index);
      const execution = await send(drawn, coverage);
      counts.sequences += 1;
      if (execution.isLimited) counts.limited += 1;
      const [sent] = execution.sent;
      if (!responded && sent) return result(sent.outcome.exchange.failure);
      if (execution.violation === undefined) continue;
      const onFound = (failure: ExploreFailure) => {
        found = failure;
      };
      const shrinking = { ...options, control, execute: send, onFound };
      found = await failureOf(drawn, execution, given !== undefined, shrinking);
      break;
    }
    return result();
  };

  return { run, result };
}

/** A plain sign-up, which everything else rests on. */
const signUp = ofOneUser('key-exchange/valid', 'registration/latest-key');

/** Two users who register under a key before the stored one, one of them registered twice before: what the interface leaves open. */
const openChoices: Sequence = {
  users: [0, 1].map((family) => ({ family, variant: 'plain' })),
  rounds: [
    [{ operation: 'key-exchange/valid', user: 0 }],
    [{ operation: 'key-exchange/valid', user: 0 }],
    [{ operation: 'registration/earlier-key', user: 0, detail: 1 }],
    [{ operation: 'key-exchange/valid', user: 1 }],
    [{ operation: 'registration/latest-key', user: 1 }],
    [{ operation: 'registration/latest-key', user: 1 }],
    [{ operation: 'key-exchange/valid', user: 1 }],
    [{ operation: 'registration/earlier-key', user: 1, detail: 1 }],
  ],
};

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
  const world = { ...endpoint, acceptsCode: async () => false };
  return keepingLatest(variants.length, async (variant) => {
    const { sent } = await execute({ ...signUp, users: [{ family: 0, variant }] }, world, {});
    return sent.length === 2 && sent.every(({ outcome }) => isAccepted(outcome));
  });
}
