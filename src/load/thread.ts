import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Transport } from '../client/exchange.ts';
import { createTransport } from '../client/transport.ts';
import { secretOptions } from '../client/transport-options.ts';
import type { Environment } from '../emulator/handling.ts';
import type { Diagnosis, DiagnosisCode } from '../errors.ts';
import type { LoadJob, Order, Report } from './job.ts';
import { Pacer } from './pacer.ts';
import { type Attempted, SignupScenario } from './scenario.ts';
import { Tally } from './tally.ts';

export interface Channel {
  send(report: Report): void;
  listen(onOrder: (order: Order) => void): void;
}

/** Reports that it is ready, waits to be started, and does its share of the run. */
export function serveLoad(job: LoadJob, channel: Channel, environment: Environment): void {
  const thread = new LoadThread(job, channel, environment);
  channel.listen((order) => {
    if (order.type === 'start') void thread.run(order.at);
    else thread.stop();
  });
  channel.send({ type: 'ready' });
}

/** Failures that another attempt meets again; a time-out may be the load itself. */
const unreachable: readonly DiagnosisCode[] = [
  'refused',
  'dns',
  'tls-untrusted',
  'tls-expired',
  'tls-hostname',
  'tls-version',
];

/** How many of them are enough, for each thread. */
const mostRefusals = 5;

/** One thread of a load: sign-ups from its share of the schedule, counted in its tally. */
class LoadThread {
  readonly #job: LoadJob;
  readonly #channel: Channel;
  readonly #now: () => number;
  readonly #tally: Tally;
  readonly #recorder: Recorder;
  readonly #scenario: SignupScenario;
  /** Keeps one connection for each sign-up under way. */
  readonly #transport: Transport;
  #pacer: Pacer | undefined;
  #busy: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #isOver = false;
  /** Connections that failed for good since the start; undefined once anything has responded. */
  #refusals: number | undefined = 0;

  constructor(job: LoadJob, channel: Channel, environment: Environment) {
    this.#job = job;
    this.#channel = channel;
    this.#now = environment.now;
    this.#tally = new Tally(job.tally);
    this.#recorder = new Recorder(this.#tally, (report) => channel.send(report));
    this.#transport = createTransport({ ...secretOptions(job.wire), now: environment.now });
    this.#scenario = new SignupScenario(job.task, job.keys, environment);
  }

  async run(startAt: number): Promise<void> {
    const { schedule, index, threads } = this.#job;
    const tickets = new Int32Array(this.#job.tickets);
    this.#startedAt = startAt;
    await delay(Math.max(0, startAt - this.#now()));
    if (this.#isOver) return;
    this.#busy = setInterval(() => this.#noteBusy(), 250);
    this.#pacer = new Pacer({
      schedule,
      index,
      threads,
      // A timer may be a little early: nothing begins before the start.
      elapsed: () => Math.max(0, this.#now() - startAt),
      takeTicket: () => Atomics.add(tickets, 0, 1),
      perform: (intendedAt) => this.#perform(intendedAt),
      giveUp: (count) => this.#tally.add('notStarted', count),
    });
    await this.#pacer.run();
    this.stop();
  }

  /** Ends everything at once; what is under way stays unfinished. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#busy);
    this.#pacer?.stop();
    void this.#transport.close();
    if (this.#pacer !== undefined) this.#noteBusy();
    this.#channel.send({ type: 'ended' });
  }

  async #perform(intendedAt: number): Promise<void> {
    this.#tally.add('underWay');
    const attempted = await this.#scenario.run(this.#transport);
    if (this.#isOver) return;
    this.#tally.add('underWay', -1);
    this.#record(attempted, intendedAt);
  }

  #record(attempted: Attempted, intendedAt: number): void {
    this.#givesUp(attempted);
    const now = this.#now();
    this.#recorder.record(attempted, now - this.#startedAt - intendedAt, now);
  }

  /** Ends the thread where nothing can be measured: no attempt has got through, and none will. */
  #givesUp({ responded, diagnosis }: Attempted): void {
    if (responded || this.#refusals === undefined) {
      this.#refusals = undefined;
      return;
    }
    if (!unreachable.some((code) => code === diagnosis?.code)) return;
    this.#refusals += 1;
    if (this.#refusals < mostRefusals) return;
    this.#tally.set('gaveUp', 1);
    this.#pacer?.stop();
  }

  #noteBusy(): void {
    const { active, idle } = performance.eventLoopUtilization();
    this.#tally.set('activeMs', active);
    this.#tally.set('idleMs', idle);
  }
}

/** Counts what became of sign-ups, and reports examples of failures. */
export class Recorder {
  readonly #tally: Tally;
  readonly #report: (report: Report) => void;
  readonly #reported = new Set<string>();

  constructor(tally: Tally, report: (report: Report) => void) {
    this.#tally = tally;
    this.#report = report;
  }

  /**
   * Counts one that has ended.
   * @param latencyMs from its intended start
   */
  record(attempted: Attempted, latencyMs: number, endedAt: number): void {
    const tally = this.#tally;
    const { ok, diagnosis, weaknesses, stepsMs, responded, secrets = [] } = attempted;
    tally.add(ok ? 'succeeded' : 'failed');
    tally.set('lastEnd', endedAt);
    if (responded) tally.add('responded');
    if (weaknesses !== undefined) this.#weaknesses(weaknesses, secrets);
    if (diagnosis !== undefined) {
      tally.addError(diagnosis.code);
      this.#reportExample(diagnosis, secrets);
    }
    // Of failures only a time-out shows how long users wait; without it latencies would look better.
    if (!ok && diagnosis?.code !== 'timeout') return;
    tally.addLatency(latencyMs);
    tally.whole.record(latencyMs);
    stepsMs.forEach((ms, index) => {
      tally.steps[index]?.record(ms);
    });
  }

  #weaknesses(weaknesses: readonly Diagnosis[], secrets: readonly string[]): void {
    this.#tally.add('examinedKeys');
    for (const weakness of weaknesses) {
      this.#tally.addWeakness(weakness.code);
      this.#reportExample(weakness, secrets);
    }
  }

  #reportExample(diagnosis: Diagnosis, secrets: readonly string[]): void {
    if (this.#reported.has(diagnosis.code)) return;
    this.#reported.add(diagnosis.code);
    this.#report({ type: 'example', diagnosis, secrets });
  }
}
