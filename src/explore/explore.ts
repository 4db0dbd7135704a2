import { createHash } from 'node:crypto';
import { isAnswered } from '../client/exchange.ts';
import type { Diagnosis } from '../errors.ts';
import { drawOne, type SequenceKind, sequences, shrink } from './arbitrary.ts';
import { type CallbackOptions, callbackSubject } from './callback-subject.ts';
import { Coverage } from './coverage.ts';
import type { Execution } from './execution.ts';
import { countSteps, type Sequence, withoutIdleUsers } from './sequence.ts';

/** What is explored: how its sequences are drawn, sent and judged. */
export interface Subject extends SequenceKind {
  /** What everything else rests on, sent first; undefined if its operations are not to be sent. */
  readonly control: Sequence | undefined;
  /** Sends a sequence, to users or with tokens of its own, and counts what was covered. */
  readonly execute: (sequence: Sequence, coverage?: Coverage) => Promise<Execution>;
  /**
   * What a failure says more than its last step does: it is as short as it gets and repeats, so whatever is in it is
   * needed. May send other sequences. Undefined if the diagnosis of the step is as good.
   */
  readonly diagnose?: (failure: ExploreFailure, execute: Send) => Promise<Diagnosis | undefined>;
}

/** Sends a sequence once. */
type Send = (sequence: Sequence) => Promise<Execution>;

/** How long something is explored, and who follows. */
export interface RunOptions {
  /** The same text draws the same sequences. */
  readonly seed: string;
  /** How many sequences; until `durationMs` is over by default. */
  readonly runs?: number | undefined;
  readonly durationMs?: number | undefined;
  /** Run this sequence only: a failure that was saved. */
  readonly replay?: Sequence | undefined;
  /** How long a failure is shrunk, 20 seconds by default. */
  readonly shrinkMs?: number | undefined;
  readonly now: () => number;
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

export type ExploreOptions = RunOptions & CallbackOptions;

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
  return new Explorer(callbackSubject(options), options).run();
}

/** One run, such as {@link exploreCallback}, whose result can be read before its end. */
export class Explorer {
  readonly #subject: Subject;
  readonly #options: RunOptions;
  readonly #coverage = new Coverage();
  #sequences = 0;
  #steps = 0;
  #limited = 0;
  #isAnswered = false;
  /** What was found and is being shrunk. */
  #found: ExploreFailure | undefined;

  constructor(subject: Subject, options: RunOptions) {
    this.#subject = subject;
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
    const arbitrary = sequences(this.#subject);
    const start = numberOf(seed);
    const tries = replay !== undefined && hasConcurrency(replay) ? repetitions : 1;
    const most = replay === undefined ? runs : (this.#options.runs ?? tries);
    for (let index = 0; index < most && now() < end && !signal?.aborted; index += 1) {
      const given = replay ?? (index === 0 ? this.#subject.control : undefined);
      const drawn = given ?? drawOne(arbitrary, start, index);
      const execution = await this.#execute(drawn, this.#coverage);
      this.#sequences += 1;
      if (execution.isLimited) this.#limited += 1;
      const [sent] = execution.sent;
      if (!this.#isAnswered && sent) return this.result([], sent.outcome.exchange.failure);
      if (execution.violation === undefined) continue;
      return this.result([await this.#failureOf(drawn, execution, given !== undefined)]);
    }
    return this.result();
  }

  async #execute(sequence: Sequence, coverage?: Coverage): Promise<Execution> {
    const execution = await this.#subject.execute(sequence, coverage);
    this.#steps += execution.sent.length;
    this.#isAnswered ||= execution.sent.some(({ outcome }) => isAnswered(outcome.exchange));
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
    isGiven: boolean,
  ): Promise<ExploreFailure> {
    const found = { sequence: sentSequence(drawn, execution), execution };
    const foundAfter = countSteps(found.sequence);
    this.#found = toFailure(found, { failed: 0, of: 0 }, { foundAfter, brokenSince: false });
    const brokenSince = foundAfter > 2 && (await this.#isBroken());
    if (brokenSince) return toFailure(found, { failed: 0, of: 0 }, { foundAfter, brokenSince });
    const least = isGiven ? found : await this.#shrink(found, 1);
    const repeated = await this.#repeat(least);
    const facts = { foundAfter, brokenSince };
    if (repeated.failed === repeated.of) {
      return this.#diagnosed(toFailure(repeated, repeated, facts));
    }
    // It fails now and then: perhaps a longer one fails always.
    const steady = await this.#shrink(found, confirmations + 1);
    const again = steady === found ? repeated : await this.#repeat(steady);
    if (again.failed === again.of) return this.#diagnosed(toFailure(again, again, facts));
    return toFailure(repeated, repeated, facts);
  }

  async #diagnosed(failure: ExploreFailure): Promise<ExploreFailure> {
    const { execution } = failure;
    const diagnosis = await this.#subject.diagnose?.(failure, (sequence) =>
      this.#execute(sequence),
    );
    if (diagnosis === undefined) return failure;
    const violation = { ...execution.violation, diagnosis };
    return { ...failure, execution: { ...execution, violation } };
  }

  /** The control fails too, twice: whatever is left out, the next attempt would fail as well. */
  async #isBroken(): Promise<boolean> {
    const { control } = this.#subject;
    if (control === undefined) return false;
    const once = async () => (await this.#execute(control)).violation !== undefined;
    return (await once()) && (await once());
  }

  /** The smallest sequence that fails `times` times in a row. */
  async #shrink(found: Found, times: number): Promise<Found> {
    const { now, shrinkMs = 20_000, signal } = this.#options;
    const end = now() + shrinkMs;
    let best = found;
    const fails = async (sequence: Sequence): Promise<boolean> => {
      if (sequence === found.sequence) return true;
      if (now() > end || signal?.aborted) return false;
      const failing = await this.#fails(sequence, times);
      if (failing !== undefined && countSteps(failing.sequence) <= countSteps(best.sequence)) {
        best = failing;
      }
      return failing !== undefined;
    };
    await shrink(found.sequence, sequences(this.#subject), fails);
    return best;
  }

  /** Races are tried more often, as long as one failure is enough. */
  async #fails(sequence: Sequence, times: number): Promise<Found | undefined> {
    const tries = times === 1 && hasConcurrency(sequence) ? triesAtRaces : times;
    let failing: Found | undefined;
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const execution = await this.#execute(sequence);
      if (execution.violation === undefined) {
        if (times > 1) return undefined;
        continue;
      }
      failing = { sequence: sentSequence(sequence, execution), execution };
      if (times === 1) return failing;
    }
    return failing;
  }

  /** Twice more; once it passes, often enough for a rate. */
  async #repeat(found: Found): Promise<Found & { readonly failed: number; readonly of: number }> {
    let failed = 0;
    let { execution } = found;
    for (let of = 1; ; of += 1) {
      const repeated = await this.#execute(found.sequence);
      if (repeated.violation !== undefined) {
        failed += 1;
        execution = repeated;
      }
      const enough = failed === of ? confirmations : repetitions;
      if (of >= enough || this.#options.signal?.aborted) return { ...found, execution, failed, of };
    }
  }

  /** What is known so far; of a failure that is being shrunk, the sequence that showed it first. */
  result(
    failures: readonly ExploreFailure[] = this.#found ? [this.#found] : [],
    unreachable?: Diagnosis,
  ): Exploration {
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

/** A failing sequence, and how it went. */
interface Found {
  readonly sequence: Sequence;
  readonly execution: Execution;
}

function toFailure(
  { sequence, execution }: Found,
  { failed, of }: ExploreFailure['repeated'],
  facts: Pick<ExploreFailure, 'foundAfter' | 'brokenSince'>,
): ExploreFailure {
  const { violation } = execution;
  if (violation === undefined) throw new TypeError('a failure has a violation');
  const flaky = failed < of;
  return {
    sequence,
    execution: { ...execution, violation },
    repeated: { failed, of },
    flaky,
    ...facts,
  };
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
