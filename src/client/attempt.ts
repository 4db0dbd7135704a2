import type { Diagnosis } from '../errors.ts';
import { type Cancellation, throwIfCancelled } from './cancellation.ts';
import type { Connections } from './connections.ts';
import type { Exchange, WireAnswer, WireRequest } from './exchange.ts';
import { Incoming } from './incoming.ts';
import type { Limit, Limits } from './limit.ts';
import { type Outcome, readOutcome } from './outcome.ts';
import type { Peeks } from './peek.ts';
import { Progress, toWireFailure, type WireFailure } from './progress.ts';
import type { Route } from './route.ts';

/** What an attempt needs of its transport. */
export interface AttemptSettings {
  readonly connections: Connections;
  readonly peeks: Peeks;
  readonly limits: Limits;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  readonly now: () => number;
  readonly signal?: Cancellation;
}

/** One request under one time limit. */
export class Attempt {
  readonly #request: WireRequest;
  readonly #route: Route;
  readonly #settings: AttemptSettings;

  constructor(request: WireRequest, route: Route, settings: AttemptSettings) {
    this.#request = request;
    this.#route = route;
    this.#settings = settings;
  }

  /** Sends the request once; rejects only with the reason of the transport's signal. */
  async run(): Promise<Omit<Exchange, 'attempts'>> {
    const { now, signal, timeoutMs, limits } = this.#settings;
    throwIfCancelled(signal);
    const startedAt = now();
    const { progress, answer, failure, partial } = await limits.within(timeoutMs, (limit) =>
      this.#perform(limit, false),
    );
    if (answer === undefined) throwIfCancelled(signal);
    const durationMs = progress.lastStep - startedAt;
    const { timings } = progress;
    return { request: this.#request, startedAt, durationMs, timings, answer, failure, partial };
  }

  /**
   * A kept connection may have been closed by the peer just before it was used: then not a byte
   * of an answer comes, and the request is sent on a fresh one.
   */
  async #perform(limit: Limit, fresh: boolean): Promise<Outcome & { readonly progress: Progress }> {
    const { connections, peeks, now, maxBodyBytes } = this.#settings;
    const progress = new Progress(now);
    const incoming = new Incoming(maxBodyBytes, progress);
    const connection = connections.take(this.#route, fresh);
    try {
      await connection.perform(this.#request, this.#route.requestTarget, incoming, progress, limit);
      if (incoming.stopped) connections.drop(connection);
      else connections.keep(this.#route, connection);
      peeks.needless(this.#route);
    } catch (error) {
      progress.step(progress.phase);
      connections.drop(connection);
      const failure = toWireFailure(error);
      if (!fresh && !limit.isOver && wasClosedBefore(failure, progress)) {
        return this.#perform(limit, true);
      }
      const diagnosis = await this.#diagnose(failure, incoming, progress, limit);
      return { progress, failure: diagnosis, partial: partialOf(incoming) };
    }
    return { progress, ...(await this.#read(incoming, progress)) };
  }

  #read(incoming: Incoming, progress: Progress): Promise<Outcome> {
    const partial = partialOf(incoming);
    if (partial === undefined) throw new TypeError('an answer without a head');
    progress.end('bodyMs');
    return readOutcome(partial, incoming, {
      route: this.#route,
      maxBodyBytes: this.#settings.maxBodyBytes,
      diagnose: (facts) => this.#toDiagnosis(facts, progress),
      decoded: () => progress.end('bodyMs'),
    });
  }

  async #diagnose(
    failure: WireFailure,
    incoming: Incoming,
    progress: Progress,
    limit: Limit,
  ): Promise<Diagnosis> {
    const { bodyBytes, announcedBytes } = incoming;
    if (limit.isOver) {
      const { timeoutMs } = this.#settings;
      return this.#toDiagnosis({ timeoutMs, bodyBytes, announcedBytes }, progress);
    }
    const speaks = await this.#settings.peeks.look(failure.facts, this.#route, progress, limit);
    return this.#toDiagnosis({ ...failure.facts, bodyBytes, announcedBytes, speaks }, progress);
  }

  /** What explains a failure is loaded when there is one. */
  async #toDiagnosis(
    facts: WireFailure['facts'],
    { phase, atProxy }: Progress,
  ): Promise<Diagnosis> {
    const { target, proxy } = this.#route;
    const now = this.#settings.now();
    const { diagnoseConnection } = await import('../diagnosis/connection.ts');
    return diagnoseConnection({ ...facts, phase, atProxy, target, proxy: proxy?.url, now });
  }
}

/** Whether a kept connection was closed or cut before any byte of the answer. */
function wasClosedBefore({ facts }: WireFailure, progress: Progress): boolean {
  const closed = /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(facts.errorCode ?? '');
  return !progress.fresh && !progress.answered && closed;
}

function partialOf({ head, body, bodyBytes: encodedBodyBytes }: Incoming): WireAnswer | undefined {
  if (head === undefined) return undefined;
  const { status, statusText, headers } = head;
  return { status, statusText, httpVersion: 'HTTP/1.1', headers, body, encodedBodyBytes };
}
