import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UserSecrets } from '../client/signin.ts';
import type { Upstream } from '../client/transport.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { RunningServer } from '../emulator/server.ts';
import { keepingLatest } from '../latest-results.ts';
import type { CapturedExchange } from './capture.ts';
import { type ForwarderOptions, startForwarder } from './forward.ts';
import { Judge, type Judgement } from './judge.ts';
import type { KeySubstitution } from './key-substitution.ts';
import type { SeenExchange } from './seen-exchange.ts';

/** Where one direction listens, and where it leads. */
export interface RelayedSide {
  readonly upstream: Upstream;
  readonly port: number;
}

export interface RelayOptions extends Pick<ForwarderOptions, 'host' | 'tls' | 'onTlsProblem'> {
  /** From the service to the application. */
  readonly callbacks?: RelayedSide | undefined;
  /** From the application to the service. */
  readonly service?: RelayedSide | undefined;
  /** Reads what is encrypted. */
  readonly substitution?: KeySubstitution | undefined;
  readonly cipher: Cipher;
  readonly findUser: (ptnCd: string) => Promise<UserSecrets | undefined>;
  readonly now: () => number;
  /** Called in the order in which exchanges ended, one at a time. */
  readonly onExchange: (exchange: RelayedExchange) => Promise<void> | void;
}

/** One exchange that passed. */
export interface RelayedExchange {
  /** As the calling side saw it. */
  readonly exchange: CapturedExchange;
  readonly judgement: Judgement;
  readonly direction: 'callback' | 'service';
  /** Of the response, or of the one that the relay gave in its place. */
  readonly status?: number | undefined;
}

export interface RunningRelay {
  /** The port for callbacks. */
  readonly callbackPort?: number | undefined;
  /** The port for the operations of the service. */
  readonly servicePort?: number | undefined;
  /** Ends connections; resolves when every exchange has been handled. */
  close(): Promise<void>;
}

/**
 * Listens for one or both directions, forwards what comes and judges it.
 * @throws AuthcliError `usage` where an address can't be bound
 */
export async function startRelay(options: RelayOptions): Promise<RunningRelay> {
  const { host, tls, onTlsProblem, now, substitution } = options;
  const handling = new Handling(options);
  const started: RunningServer[] = [];
  const start = async (side: RelayedSide | undefined, direction: RelayedExchange['direction']) => {
    if (side === undefined) return undefined;
    const forwarder = await startForwarder({
      ...side,
      host,
      tls,
      onTlsProblem,
      now,
      intercept: (seen) => (direction === 'callback' ? substitution?.intercept(seen) : undefined),
      ready: () => handling.ready(),
      onExchange: (seen) => handling.add(seen, direction),
    });
    started.push(forwarder);
    return forwarder.port;
  };
  const close = async () => {
    await Promise.all(started.map((forwarder) => forwarder.close()));
    await handling.done();
  };
  try {
    const callbackPort = await start(options.callbacks, 'callback');
    return { callbackPort, servicePort: await start(options.service, 'service'), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A key of each user who signs up by hand, and at most a twentieth of the time under load. */
const examinedKeys = { atOnce: 8, perSecond: 1 };
const mostUsers = 10_000;
const mostWaiting = 200;
const mostWaitingBytes = 16_777_216;

/** Judges exchanges one after another, in the order in which they ended. */
class Handling {
  readonly #options: RelayOptions;
  readonly #judge = new Judge(examinedKeys);
  /** The last users that came up, as they were known before. */
  readonly #lookUpUser: RelayOptions['findUser'];
  #last: Promise<void> = Promise.resolve();
  #count = 0;
  #waiting = 0;
  #waitingBytes = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#lookUpUser = keepingLatest(mostUsers, options.findUser);
  }

  add(seen: SeenExchange, direction: RelayedExchange['direction']): void {
    this.#count += 1;
    this.#waiting += 1;
    const { keptBytes } = seen;
    this.#waitingBytes += keptBytes;
    const source = `exchange ${this.#count}`;
    // messages that have come meanwhile are passed on first
    this.#last = this.#last
      .then(() => nextTurn())
      .then(() => this.#handle(seen, direction, source))
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#waiting -= 1;
        this.#waitingBytes -= keptBytes;
      });
  }

  /** Callers that are faster than exchanges are judged have to wait: memory is bounded. */
  ready(): Promise<void> | undefined {
    const isFull = this.#waiting > mostWaiting || this.#waitingBytes > mostWaitingBytes;
    return isFull ? this.#last : undefined;
  }

  /** Rejects with the first error of what handles exchanges. */
  async done(): Promise<void> {
    await this.#last;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #handle(
    seen: SeenExchange,
    direction: RelayedExchange['direction'],
    source: string,
  ): Promise<void> {
    const { onExchange, cipher } = this.#options;
    const called = await seen.captured(source, 'called');
    const caller = await seen.captured(source, 'caller');
    const knowledge = { cipher, privateKeys: seen.privateKeys, lookUpUser: this.#lookUpUser };
    const judged = await this.#judge.judge(called, knowledge);
    // what isn't of the interface can still fail to get a response
    const failure = called.operation === 'other' ? called.failure : undefined;
    const judgement = failure ? { ...judged, ok: false, diagnoses: [failure] } : judged;
    const { key, ptnCd = called.ptnCd } = judgement;
    const exchange = { ...caller, ...(key && { key }), ...(ptnCd !== undefined && { ptnCd }) };
    const status = seen.ownStatus ?? caller.response?.status;
    await onExchange({ exchange, judgement, direction, status });
  }
}
