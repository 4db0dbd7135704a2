import { createHash } from 'node:crypto';
import { hasResponse } from '../client/exchange.ts';
import { AuthcliError, type Diagnosis } from '../errors.ts';
import { drawOne, type SequenceKind, sequences } from './arbitrary.ts';
import { type CallbackOptions, callbackSubject } from './callback-subject.ts';
import type { Circumstances } from './circumstances.ts';
import { Coverage } from './coverage.ts';
import type { Execute, Execution } from './execution.ts';
import { countSteps, hasConcurrency, type Sequence } from './sequence.ts';
import { repetitions, Shrinking } from './shrinking.ts';

/** What is explored: how its sequences are drawn, sent and judged. */
export interface Subject extends SequenceKind {
  /** What everything else rests on, sent first; undefined if its operations are not to be sent. */
  readonly control: Sequence | undefined;
  /** How many users there are, where more can't be invented. */
  readonly mostUsers?: number | undefined;
  /** Sends a sequence, to users or with tokens of its own, and counts what was covered. */
  readonly execute: (sequence: Sequence, circumstances: Circumstances) => Promise<Execution>;
  /**
   * What a failure says more than its last step does: it is as short as it gets and repeats, so whatever is in it is
   * needed. May send other sequences. Undefined if the diagnosis of the step is as good.
   */
  readonly diagnose?: (failure: ExploreFailure, execute: Execute) => Promise<Diagnosis | undefined>;
}

/** How long something is explored, and who follows. */
export interface RunOptions {
  /** The same text draws the same sequences. */
  readonly seed: string;
  /** How many sequences; until `durationMs` is over by default. */
  readonly runs?: number | undefined;
  readonly durationMs?: number | undefined;
  /** Run this sequence only: a failure that was saved. */
  readonly replay?: Sequence | undefined;
  /**
   * Brings the endpoint back to a clean state. It may take seconds, so passing sequences do without: it is awaited
   * before the first one, before each attempt at a failure, and before each replay. Where it rejects, the run does.
   */
  readonly reset?: (() => Promise<void>) | undefined;
  /** How long a failure is shrunk, 30 seconds by default. */
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
  /** With a new connection for each step, it passed. */
  readonly onKeptConnectionOnly: boolean;
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
  /** Why no response came. */
  readonly unreachable?: Diagnosis;
  readonly interrupted: boolean;
}

export type ExploreOptions = RunOptions & CallbackOptions;

/**
 * Explores a callback endpoint: draws sequences of callbacks, sends them with `send`, and compares
 * every response with the model. Ends at the first failure, shrunk and confirmed; else after `runs` sequences or
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
  #hasResponse = false;
  #resetMs = 0;
  /** The latest sequences without a failure. */
  #passed: readonly Sequence[] = [];
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
      if (!this.#hasResponse && sent) return this.result([], sent.outcome.exchange.failure);
      if (execution.violation === undefined) this.#keep(drawn);
      else return this.result([await this.#failureOf(drawn, execution, given !== undefined)]);
    }
    return this.result();
  }

  async #execute(sequence: Sequence, coverage?: Coverage): Promise<Execution> {
    const { replay } = this.#options;
    const reset = this.#options.reset && (() => this.#reset());
    const isClean = this.#sequences === 0 || replay !== undefined || this.#found !== undefined;
    const circumstances = { coverage, ...(isClean && { reset }) };
    const execution = await this.#subject.execute(sequence, circumstances);
    if (isClean && reset !== undefined && this.#hasResponse) refuseAbsence(execution);
    this.#steps += execution.sent.length;
    this.#hasResponse ||= execution.sent.some(({ outcome }) => hasResponse(outcome.exchange));
    this.#options.onProgress?.({
      sequences: this.#sequences,
      steps: this.#steps,
      isShrinking: coverage === undefined,
    });
    return execution;
  }

  async #reset(): Promise<void> {
    const { reset, now } = this.#options;
    const begun = now();
    await reset?.();
    this.#resetMs += now() - begun;
  }

  /** As many as a failure can be saved with; only a reset brings back a state from which they can be sent again. */
  #keep(drawn: Sequence): void {
    if (this.#options.reset === undefined) return;
    const passed = [...this.#passed, drawn];
    let steps = passed.reduce((sum, each) => sum + countSteps(each), 0);
    while (steps > mostKeptSteps) steps -= countSteps(passed.shift() ?? { rounds: [] });
    this.#passed = passed;
  }

  #failureOf(drawn: Sequence, execution: Execution, isGiven: boolean): Promise<ExploreFailure> {
    return new Shrinking({
      ...this.#options,
      // Slow resets must leave time for attempts.
      now: () => this.#options.now() - Math.min(this.#resetMs, mostResetMs),
      subject: this.#subject,
      execute: (sequence) => this.#execute(sequence),
      passed: this.#options.reset && this.#passed,
      onFound: (failure) => {
        this.#found = failure;
      },
    }).failureOf(drawn, execution, isGiven);
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

/** A server that was not started again says nothing about a sequence. */
function refuseAbsence({ sent }: Execution): void {
  const failure = sent[0]?.outcome.exchange.failure;
  if (failure?.code !== 'refused') return;
  throw new AuthcliError('refused', `After a reset: ${failure.message}`, {
    hint: 'A reset must end only once the endpoint responds.',
  });
}

const mostKeptSteps = 5000;

/** How much the time to shrink a failure is extended by. */
const mostResetMs = 120_000;

function numberOf(seed: string): number {
  return createHash('sha256').update(seed).digest().readInt32BE();
}
