import { createHash } from 'node:crypto';
import type { Diagnosis } from '../errors.ts';
import { drawOne, sequences, shrink } from './arbitrary.ts';
import { Coverage } from './coverage.ts';
import type { Bounds } from './draw.ts';
import { type Execution, execute, type World } from './execute.ts';
import { countSteps, type Sequence, withoutIdleUsers } from './sequence.ts';

/** What is explored, for how long, and with what. */
export interface ExploreOptions extends World, Bounds {
  /** The same text draws the same sequences. */
  readonly seed: string;
  /** How many sequences; until `durationMs` is over by default. */
  readonly runs?: number | undefined;
  readonly durationMs?: number | undefined;
  /** Run this sequence only: a failure that was saved. */
  readonly replay?: Sequence | undefined;
  /** How long a failure is shrunk, 20 seconds by default. */
  readonly shrinkMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Progress {
  readonly sequences: number;
  readonly steps: number;
  readonly isShrinking: boolean;
}

/** A failure with the fewest steps that were found to show it. */
export interface ExploreFailure {
  readonly sequence: Sequence;
  /** As it went the last time it failed; its `violation` is set. */
  readonly execution: Execution & Required<Pick<Execution, 'violation'>>;
  /** How many steps the sequence had that failed first. */
  readonly foundAfter: number;
  /** How often the shrunk sequence failed when it was repeated; always, if it isn't flaky. */
  readonly repeated: { readonly failed: number; readonly of: number };
  readonly flaky: boolean;
  /** The endpoint fails at everything since then, so the sequence could not be shrunk. */
  readonly brokenSince: boolean;
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
  /** Why nothing was answered. */
  readonly unreachable?: Diagnosis;
  readonly interrupted: boolean;
}

/** A plain sign-up, which everything else rests on. */
const signUp: Sequence = {
  users: [{ family: 0, variant: 'plain' }],
  rounds: [
    [{ operation: 'key-exchange/valid', user: 0 }],
    [{ operation: 'registration/latest-key', user: 0 }],
  ],
};

/**
 * Explores a callback endpoint: draws sequences of callbacks, sends them with `send`, and compares
 * every answer with the model. Ends at the first failure, shrunk and confirmed; else after `runs` sequences or
 * `durationMs`. `send` may go over HTTP (a transport's `send`, and for `'fresh'` that of a new one),
 * or call the pure handler of an application; it rejects only for what ends the run.
 *
 * The sequences follow from `seed` and the bounds alone; user codes and keys are new in each execution.
 * `prepare`, if given, is awaited before each execution: a test may restart its application there.
 */
export async function exploreCallback(options: ExploreOptions): Promise<Exploration> {
  return new Explorer(options).run();
}

class Explorer {
  readonly #options: ExploreOptions;
  readonly #coverage = new Coverage();
  #sequences = 0;
  #steps = 0;
  #limited = 0;
  #isAnswered = false;

  constructor(options: ExploreOptions) {
    this.#options = options;
  }

  async run(): Promise<Exploration> {
    const {
      replay,
      runs = Number.POSITIVE_INFINITY,
      seed,
      now,
      durationMs,
      signal,
    } = this.#options;
    const end =
      now() +
      (durationMs ?? (runs === Number.POSITIVE_INFINITY ? 30_000 : Number.POSITIVE_INFINITY));
    const arbitrary = sequences(this.#options, new Coverage());
    const start = numberOf(seed);
    const most = replay === undefined ? runs : 1;
    for (let index = 0; index < most && now() < end && !signal?.aborted; index += 1) {
      const drawn = replay ?? (index === 0 ? this.#first() : drawOne(arbitrary, start, index));
      const execution = await this.#execute(drawn, this.#coverage);
      this.#sequences += 1;
      if (execution.isLimited) this.#limited += 1;
      if (execution.violation === undefined) continue;
      if (!this.#isAnswered) return this.#result([], execution.violation.diagnosis);
      return this.#result([await this.#failureOf(drawn, execution, index === 0)]);
    }
    return this.#result([]);
  }

  /** A sign-up, unless its operations are not to be sent. */
  #first(): Sequence {
    const names = new Set(this.#options.operations.map(({ id }) => id));
    const rounds = signUp.rounds.filter(
      ([step]) => step !== undefined && names.has(step.operation),
    );
    return { ...signUp, rounds };
  }

  async #execute(sequence: Sequence, coverage?: Coverage): Promise<Execution> {
    const execution = await execute(sequence, this.#options, coverage);
    this.#steps += execution.sent.length;
    this.#isAnswered ||= execution.sent.some(
      ({ outcome }) => outcome.exchange.answer !== undefined,
    );
    this.#options.onProgress?.({
      sequences: this.#sequences,
      steps: this.#steps,
      isShrinking: coverage === undefined,
    });
    return execution;
  }

  async #failureOf(
    drawn: Sequence,
    execution: Execution,
    isFirst: boolean,
  ): Promise<ExploreFailure> {
    const shown = sentSequence(drawn, execution);
    const foundAfter = countSteps(shown);
    const brokenSince = !isFirst && foundAfter > 2 && (await this.#isBroken());
    const found = { sequence: shown, execution };
    const least = brokenSince || isFirst ? found : await this.#shrink(found);
    const repeated = brokenSince
      ? { failed: 0, of: 0, last: undefined }
      : await this.#repeat(least.sequence);
    const last = repeated.last ?? least.execution;
    const { violation } = last;
    if (violation === undefined) throw new TypeError('a failure has a violation');
    return {
      sequence: least.sequence,
      execution: { ...last, violation },
      foundAfter,
      repeated: { failed: repeated.failed, of: repeated.of },
      flaky: repeated.failed < repeated.of,
      brokenSince,
    };
  }

  /** A plain sign-up fails too: whatever is left out, the next attempt would fail as well. */
  async #isBroken(): Promise<boolean> {
    const { violation } = await this.#execute(this.#first());
    return violation !== undefined;
  }

  async #shrink(found: { readonly sequence: Sequence; readonly execution: Execution }) {
    const { now, shrinkMs = 20_000, signal } = this.#options;
    const end = now() + shrinkMs;
    let best = found;
    const fails = async (sequence: Sequence): Promise<boolean> => {
      if (now() > end || signal?.aborted) return false;
      const isSame = sequence === found.sequence;
      if (isSame) return true;
      const tries = hasConcurrency(sequence) ? triesAtRaces : 1;
      for (let attempt = 0; attempt < tries; attempt += 1) {
        const execution = await this.#execute(sequence);
        if (execution.violation === undefined) continue;
        const sent = sentSequence(sequence, execution);
        if (countSteps(sent) <= countSteps(best.sequence)) best = { sequence: sent, execution };
        return true;
      }
      return false;
    };
    await shrink(found.sequence, sequences(this.#options, new Coverage()), fails);
    return best;
  }

  /** Twice more; once it passes, often enough for a rate. */
  async #repeat(sequence: Sequence) {
    let failed = 0;
    let last: Execution | undefined;
    for (let of = 1; ; of += 1) {
      const execution = await this.#execute(sequence);
      if (execution.violation !== undefined) {
        failed += 1;
        last = execution;
      }
      const enough = failed === of ? confirmations : repetitions;
      if (of >= enough || this.#options.signal?.aborted) return { failed, of, last };
    }
  }

  #result(failures: readonly ExploreFailure[], unreachable?: Diagnosis): Exploration {
    return {
      seed: this.#options.seed,
      sequences: this.#sequences,
      steps: this.#steps,
      coverage: this.#coverage,
      failures,
      limited: this.#limited,
      interrupted: this.#options.signal?.aborted === true,
      ...(unreachable && { unreachable }),
    };
  }
}

const confirmations = 2;
const repetitions = 10;
const triesAtRaces = 3;

function hasConcurrency({ rounds }: Sequence): boolean {
  return rounds.some((round) => round.length > 1);
}

/** What was sent of a sequence, up to its violation. */
function sentSequence({ users }: Sequence, { sent }: Execution): Sequence {
  const rounds = new Map<number, Sequence['rounds'][number]>();
  for (const { round, step } of sent) rounds.set(round, [...(rounds.get(round) ?? []), step]);
  return withoutIdleUsers({ users, rounds: [...rounds.values()] });
}

function numberOf(seed: string): number {
  return createHash('sha256').update(seed).digest().readInt32BE();
}
