import type { Exchange } from '../client/exchange.ts';
import type { ReceivedCall, SigninOrder, SigninRoom } from '../conformance/signin-world.ts';
import { diagnosis } from '../diagnosis/catalogue-entry.ts';
import type { EmulatorAnswer, EmulatorRequest } from '../emulator/http.ts';
import { readableAnswer } from '../emulator/http.ts';
import {
  type ObservedCall,
  ObservedSignin,
  type ObservedSigninOptions,
} from '../emulator/observed-signin.ts';
import { type RunningServer, startServer } from '../emulator/server.ts';
import { namesUser, type SigninBehaviour, signinScenarios } from '../emulator/signin-scenarios.ts';
import { takeTurns } from './turns.ts';

/** Where the emulated service listens, and what it is set to. */
export interface RoomsOptions
  extends Pick<
    ObservedSigninOptions,
    'clientId' | 'secretKey' | 'cipher' | 'environment' | 'timeZone'
  > {
  readonly host: string;
  /** 0: a port of its own for each sign-in, and so several of them at the same time. */
  readonly port: number;
}

/** How many sign-ins are under way at the same time. */
const sideBySide = 4;
/** Requests in one sign-in after which a command is ended. */
const farTooMany = 50;
/** What an application may be told of a sign-in that has ended. */
const ended = readableAnswer(503, { code: 'E999', message: 'No sign-in is being verified now.' });

type Handle = (request: EmulatorRequest) => Promise<EmulatorAnswer>;

/** The rooms in which the sign-ins of a run take place, each with an emulated service of its own. */
export class SigninRooms {
  readonly #options: RoomsOptions;
  readonly #turns: ReturnType<typeof takeTurns>;
  #server: RunningServer | undefined;
  #handle: Handle = async () => ended;

  constructor(options: RoomsOptions) {
    this.#options = options;
    this.#turns = takeTurns(options.port === 0 ? sideBySide : 1);
  }

  /** Listens on the port that is set, if one is. Throws `usage` where it can't be bound. */
  async start(): Promise<void> {
    const { host, port } = this.#options;
    if (port === 0) return;
    this.#server = await startServer({ host, port, handle: (request) => this.#handle(request) });
  }

  /** Waits until a room is free, and sets it up. */
  async open(order: SigninOrder): Promise<SigninRoom> {
    const leave = await this.#turns();
    try {
      const signin = new ObservedSignin({
        ...this.#options,
        user: order.user,
        behaviour: behaviourOf(order),
      });
      const overrun = new AbortController();
      const server = await this.#serve((request) => {
        if (signin.received >= farTooMany) overrun.abort();
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

  /** On the common port, a handler for so long; a server of its own otherwise. */
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

/** A call as an exchange: the request as it came, and the answer as it was sent. */
function received(call: ObservedCall, authUrl: string): ReceivedCall {
  const { request, answer, operation, receivedAt, durationMs } = call;
  const address = `${authUrl}${request.path}${request.query ? `?${request.query}` : ''}`;
  const isCut = answer.delivery?.breakOff !== undefined;
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
    ...(isCut ? { failure: cutOnPurpose } : { answer: wireAnswer(answer) }),
  };
  return { operation, path: request.path, exchange };
}

const cutOnPurpose = diagnosis(
  'reset',
  'The emulated service cut the connection on purpose.',
  'A service that cannot be reached must sign nobody in.',
);

function wireAnswer({ status, headers, body }: EmulatorAnswer) {
  return {
    status,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    headers: Object.entries(headers),
    body,
    encodedBodyBytes: body.length,
  };
}
