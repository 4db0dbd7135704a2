import { formatCipher } from '../crypto/cipher-notation.ts';
import { type Check, type Stage, stages } from './check.ts';
import { planOf, providerOf } from './plan.ts';
import { RunRecord } from './record.ts';
import { type CheckResult, isAnswered, type RunResult } from './result.ts';
import { notRun, runCheck } from './run-check.ts';
import type { TestUsers } from './test-users.ts';
import type { RunWorld } from './world.ts';

/** What a run is set to, beside what it is told to check. */
export interface RunOptions extends Omit<RunWorld, 'record' | 'hasPassed'> {
  /** All checks there are, in their order. */
  readonly catalogue: readonly Check[];
  /** Those to run, in the order of the catalogue; the controls they need are added. */
  readonly selected: readonly Check[];
  readonly users: TestUsers;
  /** How many users sign up at the same time in the check that is about that. */
  readonly concurrentUsers: number;
  /** A `should` that doesn't hold fails. */
  readonly strict: boolean;
  /** Ends the run after the first failed check. */
  readonly bail: boolean;
  /** Whether a failure is known beforehand, so that it ends nothing. */
  readonly isKnown?: (result: CheckResult) => boolean;
  /** Stops the run: what is under way counts as not run. */
  readonly signal?: AbortSignal;
}

/** How many checks are under way at the same time where that can do no harm. */
const sideBySide = 6;

/** Checks that show that requests at the same time don't mix users up; without them nothing runs side by side. */
const showIndependence = ['registration/key-of-that-user', 'protocol/concurrent-signups'];

/** A run of checks against one endpoint. */
export class Run {
  readonly #options: RunOptions;
  readonly #record = new RunRecord();
  readonly #results = new Map<string, CheckResult>();
  /** The checks that were begun, by id. */
  readonly #begun = new Map<string, Promise<void>>();
  readonly #startedAt: number;
  readonly #selected: readonly Check[];
  readonly #controls: readonly Check[];
  #stopped: string | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#startedAt = options.now();
    const { selected, controls } = planOf(options.selected, options.catalogue);
    this.#selected = selected;
    this.#controls = controls;
  }

  /** Runs everything; never rejects for what the other side does. */
  async start(): Promise<RunResult> {
    const { catalogue, emit, keyPairs } = this.#options;
    emit({ type: 'run-started', checks: this.#selected, controls: this.#controls });
    const planned = new Set([...this.#selected, ...this.#controls]);
    const inOrder = catalogue.filter((check) => planned.has(check));
    for (const stage of stages) {
      // Large pairs are made while the first checks of many wait for answers.
      if (stage === 'right-requests' && this.#needsLargePairs()) keyPairs.prepareLarge();
      await this.#runStage(
        stage,
        inOrder.filter((check) => check.stage === stage),
      );
    }
    return this.result();
  }

  /** What is known so far; checks that have not ended are skipped, with the reason. */
  result(): RunResult {
    const { url, clientId, cipher, seed, strict, now, signal } = this.#options;
    const { exchanges: sent, signIns } = this.#record;
    const exchanges = [...sent, ...signIns].sort(
      (a, b) => a.exchange.startedAt - b.exchange.startedAt,
    );
    const failures = exchanges.map(({ exchange }) => exchange);
    return {
      url,
      clientId,
      cipher: formatCipher(cipher),
      seed,
      strict,
      startedAt: this.#startedAt,
      durationMs: now() - this.#startedAt,
      checks: this.#selected.map((check) => this.#resultOf(check)),
      controls: this.#controls.map((check) => this.#resultOf(check)),
      exchanges,
      users: this.#record.users,
      unreachable: failures.some(isAnswered) ? undefined : failures[0]?.failure,
      interrupted: signal?.aborted ?? false,
    };
  }

  #resultOf(check: Check): CheckResult {
    const reason = this.#stopped ?? 'The run was interrupted before this check had ended.';
    return this.#results.get(check.id) ?? notRun(check, reason, this.#options.now());
  }

  #needsLargePairs(): boolean {
    const id = 'key-exchange/key-sizes';
    return this.#selected.some((check) => check.id === id) && !this.#isOver();
  }

  async #runStage(stage: Stage, checks: readonly Check[]): Promise<void> {
    const parallel = stage === 'right-requests' || stage === 'wrong-requests';
    const workers = parallel && this.#mayRunSideBySide() ? sideBySide : 1;
    const free = checks.filter(({ isIndependent }) => parallel && isIndependent === true);
    const bound = checks.filter((check) => !free.includes(check));
    await this.#work(bound, workers);
    await this.#work(free, sideBySide);
  }

  async #work(checks: readonly Check[], workers: number): Promise<void> {
    const waiting = checks.values();
    const work = async (): Promise<void> => {
      for (const check of waiting) {
        const run = this.#runAfterNeeds(check);
        this.#begun.set(check.id, run);
        await run;
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
  }

  #mayRunSideBySide(): boolean {
    const { users } = this.#options;
    return users.limit === undefined && showIndependence.every((id) => this.#hasPassed(id));
  }

  /** What a check needs stands before it in the catalogue, so it has been begun. */
  async #runAfterNeeds(check: Check): Promise<void> {
    await Promise.all(check.needs.map((need) => this.#begun.get(providerOf(need))));
    await this.#runOne(check);
  }

  async #runOne(check: Check): Promise<void> {
    if (this.#isOver()) return;
    const { emit } = this.#options;
    emit({ type: 'check-started', check });
    const result = await runCheck(check, {
      ...this.#options,
      record: this.#record,
      results: this.#results,
      hasPassed: (id) => this.#hasPassed(id),
    });
    if (this.#options.signal?.aborted) return;
    this.#results.set(check.id, result);
    emit({ type: 'check-ended', result, isControl: this.#controls.includes(check) });
    this.#bailAfter(result);
  }

  #hasPassed(id: string): boolean {
    return this.#results.get(id)?.status === 'passed';
  }

  #isOver(): boolean {
    return this.#stopped !== undefined || this.#options.signal?.aborted === true;
  }

  #bailAfter(result: CheckResult): void {
    const { bail, isKnown = () => false } = this.#options;
    if (!bail || result.status !== 'failed' || isKnown(result)) return;
    this.#stopped = `The run ended after the first failure, ${result.check.id}.`;
  }
}
