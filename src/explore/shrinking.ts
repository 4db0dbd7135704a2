import { sequences, shrink } from './arbitrary.ts';
import type { Execute, Executed, Execution } from './execution.ts';
import type { ExploreFailure, RunOptions, Subject } from './explore.ts';
import {
  countSteps,
  hasConcurrency,
  joined,
  onNewConnections,
  type Sequence,
  withoutIdleUsers,
} from './sequence.ts';
import { diagnoseKeptConnection } from './violation.ts';

interface ShrinkingOptions extends Pick<RunOptions, 'now' | 'shrinkMs' | 'signal'> {
  readonly subject: Subject;
  /** Sends a sequence, after a reset where there is one. */
  readonly execute: Execute;
  /** What passed before the failure since the endpoint was last clean; undefined where it is never reset. */
  readonly passed: readonly Sequence[] | undefined;
  readonly onFound: (failure: ExploreFailure) => void;
}

/** What becomes of a sequence that failed: one that fails by itself, with the fewest steps, repeated. */
export class Shrinking {
  readonly #options: ShrinkingOptions;

  constructor(options: ShrinkingOptions) {
    this.#options = options;
  }

  /** Shrinks what failed, unless it `isGiven`; `onFound` gets it first as it is. */
  async failureOf(
    drawn: Sequence,
    execution: Execution,
    isGiven: boolean,
  ): Promise<ExploreFailure> {
    const { passed, onFound } = this.#options;
    const sent = sentPart(drawn, execution);
    const first = { sequence: withoutIdleUsers(sent), execution };
    const foundAfter = countSteps(first.sequence);
    onFound(toFailure(first, never, { foundAfter, brokenSince: false }));
    if (isGiven) return this.#confirmed(first, first, foundAfter);
    if (passed !== undefined) return this.#failureFromClean(first, sent, passed);
    const brokenSince = foundAfter > 2 && (await this.#isBroken());
    if (brokenSince) return toFailure(first, never, { foundAfter, brokenSince });
    return this.#confirmed(first, await this.#shrink(first, 1), foundAfter);
  }

  /**
   * Without what earlier sequences left behind; where it was needed, as many of them as it takes are put before. Then
   * its idle users stay, so that the others are those of the earlier sequences that they were.
   */
  async #failureFromClean(
    first: Executed,
    sent: Sequence,
    passed: readonly Sequence[],
  ): Promise<ExploreFailure> {
    const { now, shrinkMs = defaultShrinkMs, signal, subject } = this.#options;
    const end = now() + shrinkMs;
    for (let before = 0; now() < end && !signal?.aborted; before = before * 2 || 1) {
      const whole = [...passed.slice(Math.max(0, passed.length - before)), sent];
      const sequence = before === 0 ? first.sequence : joined(whole, subject.mostUsers);
      const failing = await this.#fails(sequence, 1);
      if (failing !== undefined) {
        const foundAfter = countSteps(failing.sequence);
        return this.#confirmed(failing, await this.#shrink(failing, 1), foundAfter);
      }
      if (before >= passed.length) break;
    }
    return this.#confirmed(first, first, countSteps(first.sequence));
  }

  /** Repeats the `least` that was found; where it fails now and then, perhaps a longer one fails always. */
  async #confirmed(found: Executed, least: Executed, foundAfter: number): Promise<ExploreFailure> {
    const facts = { foundAfter, brokenSince: false };
    const repeated = await this.#repeat(least);
    if (repeated.failed === repeated.of) {
      return this.#diagnosed(toFailure(repeated, repeated, facts));
    }
    const steady = await this.#shrink(found, confirmations + 1);
    const again = steady === found ? repeated : await this.#repeat(steady);
    if (again.failed === again.of) return this.#diagnosed(toFailure(again, again, facts));
    return toFailure(repeated, repeated, facts);
  }

  async #diagnosed(found: ExploreFailure): Promise<ExploreFailure> {
    const { subject, execute } = this.#options;
    const onKeptConnectionOnly = await this.#passesOnNewConnections(found.sequence);
    const failure = { ...found, onKeptConnectionOnly };
    const diagnosis =
      (await subject.diagnose?.(failure, execute)) ?? diagnoseKeptConnection(failure);
    if (diagnosis === undefined) return failure;
    const { execution } = failure;
    const violation = { ...execution.violation, diagnosis };
    return { ...failure, execution: { ...execution, violation } };
  }

  /** What fails each time passes twice with a new connection for each step: it is the connection that matters. */
  async #passesOnNewConnections(sequence: Sequence): Promise<boolean> {
    const isOne = countSteps(sequence) < 2;
    if (isOne || hasConcurrency(sequence) || this.#options.signal?.aborted) return false;
    const once = async () => {
      const { violation, sent, isLimited } = await this.#options.execute(
        onNewConnections(sequence),
      );
      return violation === undefined && !isLimited && sent.length === countSteps(sequence);
    };
    return (await once()) && (await once());
  }

  /** The control fails too, twice: whatever is left out, the next attempt would fail as well. */
  async #isBroken(): Promise<boolean> {
    const { control } = this.#options.subject;
    if (control === undefined) return false;
    const once = async () => (await this.#options.execute(control)).violation !== undefined;
    return (await once()) && (await once());
  }

  /** The smallest sequence that fails `times` times in a row. */
  async #shrink(found: Executed, times: number): Promise<Executed> {
    const { now, shrinkMs = defaultShrinkMs, signal, subject } = this.#options;
    const end = now() + shrinkMs;
    let best = found;
    const fails = async (sequence: Sequence): Promise<boolean> => {
      if (now() > end || signal?.aborted) return false;
      const failing = await this.#fails(sequence, times);
      if (failing !== undefined && countSteps(failing.sequence) <= countSteps(best.sequence)) {
        best = failing;
      }
      return failing !== undefined;
    };
    await shrink(found.sequence, sequences(subject), fails);
    return best;
  }

  /** Races are tried more often, as long as one failure is enough. */
  async #fails(sequence: Sequence, times: number): Promise<Executed | undefined> {
    const tries = times === 1 && hasConcurrency(sequence) ? triesAtRaces : times;
    let failing: Executed | undefined;
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const execution = await this.#options.execute(sequence);
      if (execution.violation === undefined) {
        if (times > 1) return undefined;
        continue;
      }
      failing = { sequence: withoutIdleUsers(sentPart(sequence, execution)), execution };
      if (times === 1) return failing;
    }
    return failing;
  }

  /** Twice more; once it passes, often enough for a rate. */
  async #repeat(found: Executed): Promise<Executed & ExploreFailure['repeated']> {
    let failed = 0;
    let { execution } = found;
    for (let of = 1; ; of += 1) {
      const repeated = await this.#options.execute(found.sequence);
      if (repeated.violation !== undefined) {
        failed += 1;
        execution = repeated;
      }
      const enough = failed === of ? confirmations : repetitions;
      if (of >= enough || this.#options.signal?.aborted) return { ...found, execution, failed, of };
    }
  }
}

function toFailure(
  { sequence, execution }: Executed,
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
    onKeptConnectionOnly: false,
    ...facts,
  };
}

const never = { failed: 0, of: 0 };
const defaultShrinkMs = 30_000;
const confirmations = 2;
/** How often a sequence is repeated for a rate, and a race is replayed. */
export const repetitions = 10;
const triesAtRaces = 3;

/** What was sent of a sequence, up to its violation, with all its users. */
function sentPart({ users }: Sequence, { sent }: Execution): Sequence {
  const rounds = new Map<number, Sequence['rounds'][number]>();
  for (const { round, step } of sent) rounds.set(round, [...(rounds.get(round) ?? []), step]);
  return { users, rounds: [...rounds.values()] };
}
