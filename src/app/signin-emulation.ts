import type { Exchange } from '../client/exchange.ts';
import type { ReceivedCall, SigninEmulation, SigninOrder } from '../conformance/signin-check.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import {
  EmulatedSignin,
  type EmulatedSigninOptions,
  namesUser,
  type ObservedCall,
  type SigninBehaviour,
  signinScenarios,
} from '../emulator/emulated-signin.ts';
import { type EmulatorRequest, type EmulatorResponse, readableResponse } from '../emulator/http.ts';
import { type RunningServer, startServer } from '../emulator/server.ts';

/** The settings of the emulated service, and where it listens. */
interface SigninEmulationsOptions extends Omit<EmulatedSigninOptions, 'user' | 'behaviour'> {
  readonly host: string;
  /** 0: each sign-in has its own port, so several are possible at the same time. */
  readonly port: number;
}

const concurrentSignins = 4;
/** A sign-in with more requests is stopped. */
const requestLimit = 50;
/** For requests outside of any sign-in. */
const ended = readableResponse(503, { code: 'E999', message: 'No sign-in is being verified now.' });

type Handle = (request: EmulatorRequest) => Promise<EmulatorResponse>;

/** The emulated services of a run, one for each sign-in. */
export class SigninEmulations {
  readonly #options: SigninEmulationsOptions;
  readonly #turns: ReturnType<typeof takeTurns>;
  #server: RunningServer | undefined;
  #handle: Handle = async () => ended;

  constructor(options: SigninEmulationsOptions) {
    this.#options = options;
    this.#turns = takeTurns(options.port === 0 ? concurrentSignins : 1);
  }

  /** Binds the common port, if one is set; throws `usage` if it can't be bound. */
  async listen(): Promise<void> {
    const { host, port } = this.#options;
    if (port === 0) return;
    this.#server = await startServer({ host, port, handle: (request) => this.#handle(request) });
  }

  /** Emulates the service for one sign-in, when its turn comes. */
  async start(order: SigninOrder): Promise<SigninEmulation> {
    const leave = await this.#turns();
    try {
      const signin = new EmulatedSignin({
        ...this.#options,
        user: order.user,
        behaviour: behaviourOf(order),
      });
      const overrun = new AbortController();
      const server = await this.#serve((request) => {
        if (signin.received >= requestLimit) overrun.abort();
        return signin.handle(request);
      });
      return {
        authUrl: server.url,
        ptnToken: signin.ptnToken,
        overrun: overrun.signal,
        calls: () => signin.calls.map((call) => received(call, server.url)),
        close: async () => {
          await server.close();
          leave();
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  /** Serves on the common port, or on a server of its own. */
  async #serve(handle: Handle): Promise<Pick<RunningServer, 'url' | 'close'>> {
    const { host, port } = this.#options;
    if (this.#server === undefined) return startServer({ host, port, handle });
    this.#handle = handle;
    return {
      url: this.#server.url,
      close: async () => {
        this.#handle = async () => ended;
      },
    };
  }
}

function behaviourOf({ scenario, otherPtnCd }: SigninOrder): SigninBehaviour {
  return scenario === 'token-other-user' ? namesUser(otherPtnCd) : signinScenarios[scenario];
}

function received(call: ObservedCall, authUrl: string): ReceivedCall {
  const { request, response, operation, receivedAt, durationMs } = call;
  const address = `${authUrl}${request.path}${request.query ? `?${request.query}` : ''}`;
  const isCut = response.delivery?.breakOff !== undefined;
  const exchange: Exchange = {
    request: {
      method: request.method,
      // A first line may name anything: `*`, or a whole URL as for a proxy.
      url: new URL(URL.canParse(address) ? address : authUrl),
      headers: Object.entries(request.headers),
      body: request.body,
    },
    startedAt: receivedAt,
    durationMs,
    timings: {},
    attempts: 1,
    ...(isCut ? { failure: cutOnPurpose } : { answer: wireAnswer(response) }),
  };
  return { operation, path: request.path, exchange };
}

const cutOnPurpose = diagnosis(
  'reset',
  'The emulated service cut the connection on purpose.',
  'An unreachable service must not sign anyone in.',
);

function wireAnswer({ status, headers, body }: EmulatorResponse) {
  return {
    status,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    headers: Object.entries(headers),
    body,
    encodedBodyBytes: body.length,
  };
}

/** A semaphore: resolves with the function that ends the turn, first come first served. */
function takeTurns(atATime: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let free = atATime;
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return leave;
  };
}
