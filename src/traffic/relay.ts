import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Upstream } from '../client/exchange.ts';
import type { UserSecrets } from '../client/signin.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { RunningServer } from '../emulator/server.ts';
import { keepingLatest } from '../latest-results.ts';
import type { CapturedExchange } from './capture.ts';
import {
  capturedExchange,
  type ForwarderOptions,
  type SeenExchange,
  startForwarder,
} from './forward.ts';
import { Judge, type Judgement } from './judge.ts';
import type { KeySubstitution } from './key-substitution.ts';

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

/**
 * Listens for one or both directions, forwards what comes and judges it.
 * @throws AuthcliError `usage` where an address can't be bound
 */
export async function startRelay(options: RelayOptions) {
  const { host, tls, onTlsProblem, now, substitution } = options;
  const { add, ready, done } = inTurn(options);
  const started: RunningServer[] = [];
  const start = async (side: RelayedSide | undefined, direction: RelayedExchange['direction']) => {
    if (side === undefined) return undefined;
    const forwarder = await startForwarder({
      ...side,
      host,
      tls,
      onTlsProblem,
      now,
      intercept: (seen) => (direction === 'callback' ? substitution?.(seen) : undefined),
      ready,
      onExchange: (seen) => add(seen, direction),
    });
    started.push(forwarder);
    return forwarder.port;
  };
  /** Ends connections; resolves when every exchange has been handled. */
  const close = async () => {
    await Promise.all(started.map((forwarder) => forwarder.close()));
    await done();
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
function inTurn({ onExchange, cipher, findUser }: RelayOptions) {
  const judge = new Judge(examinedKeys);
  /** The last users that came up, as they were known before. */
  const lookUpUser = keepingLatest(mostUsers, findUser);
  let last: Promise<void> = Promise.resolve();
  let [count, waiting, waitingBytes] = [0, 0, 0];
  let failure: { readonly error: unknown } | undefined;

  const handle = async (
    seen: SeenExchange,
    direction: RelayedExchange['direction'],
    source: string,
  ) => {
    const called = await capturedExchange(seen, source, 'called');
    const caller = await capturedExchange(seen, source, 'caller');
    const judged = await judge.judge(called, { cipher, privateKeys: seen.privateKeys, lookUpUser });
    // what isn't of the interface can still fail to get a response
    const failed = called.operation === 'other' ? called.failure : undefined;
    const judgement = failed ? { ...judged, ok: false, diagnoses: [failed] } : judged;
    const { key, ptnCd = called.ptnCd } = judgement;
    const exchange = { ...caller, ...(key && { key }), ...(ptnCd !== undefined && { ptnCd }) };
    const status = seen.ownStatus ?? caller.response?.status;
    await onExchange({ exchange, judgement, direction, status });
  };

  return {
    add(seen: SeenExchange, direction: RelayedExchange['direction']): void {
      count += 1;
      waiting += 1;
      const keptBytes = seen.request.body.length + (seen.response?.body.length ?? 0);
      waitingBytes += keptBytes;
      const source = `exchange ${count}`;
      // messages that have come meanwhile are passed on first
      last = last
        .then(() => nextTurn())
        .then(() => handle(seen, direction, source))
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => {
          waiting -= 1;
          waitingBytes -= keptBytes;
        });
    },

    /** Callers that are faster than exchanges are judged have to wait: memory is bounded. */
    ready(): Promise<void> | undefined {
      return waiting > mostWaiting || waitingBytes > mostWaitingBytes ? last : undefined;
    },

    /** Rejects with the first error of what handles exchanges. */
    async done(): Promise<void> {
      await last;
      if (failure !== undefined) throw failure.error;
    },
  };
}
