import type { Exchange } from '../../client/exchange.ts';
import type { ReceivedCall, SigninEmulation, SigninOrder } from '../../conformance/signin-check.ts';
import { diagnosis } from '../../diagnosis/diagnosis.ts';
import {
  type EmulatedSigninOptions,
  emulateSignin,
  type ObservedCall,
} from '../../emulator/emulated-signin.ts';
import {
  type EmulatorRequest,
  type EmulatorResponse,
  readableResponse,
} from '../../emulator/http.ts';
import { listenForTls, type RunningServer, startServer } from '../../emulator/server.ts';

/** The settings of the emulated service, and where it listens. */
interface SigninEmulationsOptions extends Omit<EmulatedSigninOptions, 'user' | 'behaviour'> {
  /** On loopback. 0: each sign-in has its own port, so several are possible at the same time. */
  readonly port: number;
  /** How long a silent service waits for the application to give up. */
  readonly patienceMs: number;
}

const host = '127.0.0.1';
/** A sign-in with more requests is stopped. */
const requestLimit = 50;
/** The path of {auth_url}, where each sign-in has its own: an application must not drop it. */
const basePath = '/v1';
/** For requests outside of any sign-in. */
const ended = readableResponse(503, { code: 'E999', message: 'No sign-in is being verified now.' });

type Handle = (request: EmulatorRequest) => Promise<EmulatorResponse>;

/** Where one sign-in is served. */
interface Place extends Pick<RunningServer, 'url' | 'cut' | 'close'> {
  readonly basePath: string;
  /** From now on, connections are refused. */
  refuse(): Promise<void>;
}

/** The emulated services of a run, one for each sign-in. */
export class SigninEmulations {
  readonly #options: SigninEmulationsOptions;
  readonly #waiting: (() => void)[] = [];
  #free = 1;
  #server: RunningServer | undefined;
  #handle: Handle = async () => ended;

  constructor(options: SigninEmulationsOptions) {
    this.#options = options;
  }

  /** Allows N sign-ins at a time, or binds the common port, for one; throws `usage` if it can't be bound. */
  async listen(sideBySide: number): Promise<void> {
    const { port } = this.#options;
    if (port === 0) this.#free = sideBySide;
    else await this.#bind(port);
  }

  async #bind(port: number): Promise<void> {
    this.#server = await startServer({ host, port, handle: (request) => this.#handle(request) });
  }

  /** Emulates the service for one sign-in, when its turn comes. */
  async start(order: SigninOrder): Promise<SigninEmulation> {
    const leave = await this.#takeSlot();
    try {
      return await this.#emulate(order, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  /** First come first served; resolves with the function that frees the slot. */
  async #takeSlot(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return () => {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }

  async #emulate(order: SigninOrder, leave: () => void): Promise<SigninEmulation> {
    if (order.scenario === 'plain-text') return this.#listenForTls(order, leave);
    let receiveElsewhere: Handle = async () => ended;
    const elsewhere = order.scenario.includes('-redirect-')
      ? await startServer({ host, port: 0, handle: (asked) => receiveElsewhere(asked) })
      : undefined;
    const signin = this.#signinOf(order, elsewhere?.url);
    receiveElsewhere = (asked) => signin.handleElsewhere(asked);
    const overrun = new AbortController();
    const { patienceMs } = this.#options;
    let silence: NodeJS.Timeout | undefined;
    let isOutlasted = false;
    const place = await this.#serve(order, async (request) => {
      if (signin.received >= requestLimit) overrun.abort();
      const response = await signin.handle(request);
      if (response.delivery?.breakOff === 'silence')
        silence ??= setTimeout(() => {
          isOutlasted = true;
          place.cut();
        }, patienceMs);
      if (order.scenario !== 'authenticate-no-connection') return response;
      void place.refuse();
      return { ...response, headers: { ...response.headers, connection: 'close' } };
    });
    if (order.scenario === 'token-no-connection') await place.refuse();
    return {
      authUrl: `${place.url}${place.basePath}`,
      ptnToken: signin.ptnToken,
      overrun: overrun.signal,
      patienceMs: isSilent(order) ? patienceMs : 0,
      outlasted: () => isOutlasted,
      calls: () => signin.calls.map((call) => received(call, place)),
      strayRequests: () => signin.strayRequests.map(textOf),
      close: async () => {
        // What still waits must not be repeated while the next sign-in is under way.
        if (silence !== undefined) place.cut();
        clearTimeout(silence);
        await Promise.all([place.close(), elsewhere?.close()]);
        leave();
      },
    };
  }

  /** The application is told an https URL, and nothing behind it speaks TLS. */
  async #listenForTls(order: SigninOrder, leave: () => void): Promise<SigninEmulation> {
    const signin = this.#signinOf(order);
    const listener = await listenForTls(host);
    return {
      authUrl: `https://${host}:${listener.port}${basePath}`,
      ptnToken: signin.ptnToken,
      overrun: new AbortController().signal,
      patienceMs: 0,
      outlasted: () => false,
      calls: () => [],
      strayRequests: () => listener.plainText(),
      close: async () => {
        await listener.close();
        leave();
      },
    };
  }

  #signinOf({ user, behaviour }: SigninOrder, elsewhere?: string) {
    return emulateSignin({ ...this.#options, user, behaviour, elsewhere });
  }

  /** Serves on the common port, or on a server of its own. */
  async #serve({ scenario }: SigninOrder, handle: Handle): Promise<Place> {
    const { port } = this.#options;
    if (this.#server === undefined) {
      const holdsPort = scenario.endsWith('-no-connection');
      const server = await startServer({ host, port, handle, holdsPort });
      return { ...server, basePath };
    }
    const common = this.#server;
    this.#handle = handle;
    let refusing: Promise<void> | undefined;
    return {
      url: common.url,
      basePath: '',
      cut: () => common.cut(),
      refuse: () => {
        refusing ??= common.refuse();
        return refusing;
      },
      close: async () => {
        this.#handle = async () => ended;
        if (refusing === undefined) return;
        await refusing;
        await common.close();
        await this.#bind(port);
      },
    };
  }
}

function isSilent({ scenario }: SigninOrder): boolean {
  return scenario.endsWith('-silent');
}

function textOf({ headers, query = '', path, body }: EmulatorRequest): string {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${path}?${query}`, ...head, Buffer.from(body).toString()].join('\n');
}

function received(call: ObservedCall, { url: authUrl, basePath }: Place): ReceivedCall {
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
    ...(isCut ? { failure: cutOnPurpose } : { response: wireResponse(response) }),
  };
  return { operation, path: request.path, basePath, exchange };
}

const cutOnPurpose = diagnosis(
  'reset',
  'The emulated service cut the connection on purpose.',
  'An unreachable service must not sign anyone in.',
);

function wireResponse({ status, headers, body }: EmulatorResponse) {
  return {
    status,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    headers: Object.entries(headers),
    body,
    encodedBodyBytes: body.length,
  };
}
