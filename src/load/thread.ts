import { performance } from 'node:perf_hooks';
import type { RandomBytes } from '../bytes.ts';
import type { LeanConnection } from '../client/lean-connection.ts';
import { type Connect, prepareLeanConnections } from '../client/lean-pool.ts';
import { secretOptions } from '../client/transport-options.ts';
import { parseCipher } from '../crypto/cipher-notation.ts';
import { readPrivateKey } from '../crypto/private-key.ts';
import { authenticateUrl, tokenUrl } from '../protocol/endpoints.ts';
import type { LoadJob, LoadTask, Order, Report } from './job.ts';
import { KeyMemory } from './key-memory.ts';
import { Pacer } from './pacer.ts';
import { pooledRandomBytes } from './pooled-random.ts';
import { Recorder } from './recorder.ts';
import type { Attempted, Scenario } from './scenario.ts';
import { SigninScenario } from './signin-scenario.ts';
import { SignupScenario } from './signup-scenario.ts';
import { Tally } from './tally.ts';

/** The way between a thread and who started it. */
export interface Channel {
  send(report: Report): void;
  listen(hear: (order: Order) => void): void;
}

/** What a thread takes from the world. */
export interface ThreadEnvironment {
  /** Milliseconds since the epoch, with fractions. */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
}

/** Says that it is ready, waits to be started, and does its share of the run. */
export function serveLoad(job: LoadJob, channel: Channel, environment: ThreadEnvironment): void {
  const thread = new LoadThread(job, channel, environment);
  channel.listen((order) => {
    if (order.type === 'start') void thread.run(order.at);
    else thread.stop();
  });
  channel.send({ type: 'ready' });
}

/** One thread of a load: sign-ups from its share of the schedule, counted in its tally. */
class LoadThread {
  readonly #job: LoadJob;
  readonly #channel: Channel;
  readonly #now: () => number;
  readonly #tally: Tally;
  readonly #recorder: Recorder;
  readonly #scenario: Scenario;
  readonly #connect: () => LeanConnection;
  readonly #connections = new Set<LeanConnection>();
  readonly #idle: LeanConnection[] = [];
  #pacer: Pacer | undefined;
  #busy: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #isOver = false;

  constructor(job: LoadJob, channel: Channel, { now, randomBytes }: ThreadEnvironment) {
    this.#job = job;
    this.#channel = channel;
    this.#now = now;
    this.#tally = new Tally(job.tally);
    const saves = job.task.scenario === 'signup' && job.task.savesUsers;
    this.#recorder = new Recorder(this.#tally, (report) => channel.send(report), saves);
    const connect = prepareLeanConnections({ ...secretOptions(job.wire), now });
    const environment = { now, randomBytes: pooledRandomBytes(randomBytes) };
    this.#scenario = scenarioOf(job, environment);
    this.#connect = connectorOf(job.task, connect);
  }

  async run(startAt: number): Promise<void> {
    const { schedule, index, threads } = this.#job;
    const tickets = new Int32Array(this.#job.tickets);
    this.#startedAt = startAt;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, startAt - this.#now())));
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
    for (const connection of this.#connections) connection.close();
    if (this.#pacer !== undefined) this.#noteBusy();
    const { users = [] } = this.#recorder;
    if (users.length > 0) this.#channel.send({ type: 'users', users });
    this.#channel.send({ type: 'ended' });
  }

  async #perform(intendedAt: number): Promise<void> {
    const connection = this.#idle.pop() ?? this.#open();
    this.#tally.add('underWay');
    const attempted = await this.#scenario.run(connection);
    this.#tally.add('underWay', -1);
    this.#idle.push(connection);
    this.#record(attempted, intendedAt);
  }

  #record(attempted: Attempted, intendedAt: number): void {
    if (intendedAt < this.#job.schedule.warmUpMs) {
      this.#recorder.recordWarmUp(attempted);
      return;
    }
    const now = this.#now();
    this.#recorder.record(attempted, now - this.#startedAt - intendedAt, now);
  }

  #open(): LeanConnection {
    const connection = this.#connect();
    this.#connections.add(connection);
    return connection;
  }

  #noteBusy(): void {
    const { active, idle } = performance.eventLoopUtilization();
    this.#tally.set('activeMs', active);
    this.#tally.set('idleMs', idle);
  }
}

function connectorOf(task: LoadTask, connect: Connect): () => LeanConnection {
  if (task.scenario === 'signup') {
    const url = new URL(task.url);
    return () => connect(url);
  }
  const token = tokenUrl(task.authUrl);
  const authenticate = authenticateUrl(task.authUrl);
  return () => connect(token, authenticate);
}

function scenarioOf(job: LoadJob, environment: ThreadEnvironment): Scenario {
  const { task } = job;
  const cipher = parseCipher(task.cipher);
  if (task.scenario === 'signin') return new SigninScenario({ ...task, cipher }, environment, job);
  const keyPairs = task.keyPairs.map((pem) => readPrivateKey(pem).key);
  const keys = new KeyMemory(job.keys);
  return new SignupScenario({ ...task, cipher, keyPairs }, { ...environment, keys });
}
