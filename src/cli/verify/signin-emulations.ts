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
export function signinEmulations({ port, patienceMs, ...options }: SigninEmulationsOptions) {
  const waiting: (() => void)[] = [];
  let free = 1;
  let common: RunningServer | undefined;
  let handleCommon: Handle = async () => ended;

  const bind = async (): Promise<void> => {
    common = await startServer({ host, port, handle: (request) => handleCommon(request) });
  };

  /** First come first served; resolves with the function that frees the slot. */
  const takeSlot = async (): Promise<() => void> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return () => {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    };
  };

  /** Serves on the common port, or on a server of its own. */
  const serve = async ({ scenario }: SigninOrder, handle: Handle): Promise<Place> => {
    if (common === undefined) {
      const holdsPort = scenario.endsWith('-no-connection');
      const server = await startServer({ host, port, handle, holdsPort });
      return { ...server, basePath };
    }
    const server = common;
    handleCommon = handle;
    let refusing: Promise<void> | undefined;
    return {
      url: server.url,
      basePath: '',
      cut: () => server.cut(),
      refuse: () => {
        refusing ??= server.refuse();
        return refusing;
      },
      close: async () => {
        handleCommon = async () => ended;
        if (refusing === undefined) return;
        await refusing;
        await server.close();
        await bind();
      },
    };
  };

  const emulate = async (order: SigninOrder): Promise<SigninEmulation> => {
    const { scenario, user, behaviour } = order;
    let receiveElsewhere: Handle = async () => ended;
    const elsewhere = scenario.includes('-redirect-')
      ? await startServer({ host, port: 0, handle: (asked) => receiveElsewhere(asked) })
      : undefined;
    const signin = emulateSignin({ ...options, user, behaviour, elsewhere: elsewhere?.url });
    receiveElsewhere = (asked) => signin.handleElsewhere(asked);
    const overrun = new AbortController();
    let silence: NodeJS.Timeout | undefined;
    let isOutlasted = false;
    const place = await serve(order, async (request) => {
      if (signin.received >= requestLimit) overrun.abort();
      const response = await signin.handle(request);
      if (response.delivery?.breakOff === 'silence')
        silence ??= setTimeout(() => {
          isOutlasted = true;
          place.cut();
        }, patienceMs);
      if (scenario !== 'authenticate-no-connection') return response;
      void place.refuse();
      return { ...response, headers: { ...response.headers, connection: 'close' } };
    });
    if (scenario === 'token-no-connection') await place.refuse();
    return {
      authUrl: `${place.url}${place.basePath}`,
      ptnToken: signin.ptnToken,
      overrun: overrun.signal,
      patienceMs: scenario.endsWith('-silent') ? patienceMs : 0,
      outlasted: () => isOutlasted,
      calls: () => signin.calls.map((call) => received(call, place)),
      strayRequests: () => signin.strayRequests.map(textOf),
      close: async () => {
        // What still waits must not be repeated while the next sign-in is under way.
        if (silence !== undefined) place.cut();
        clearTimeout(silence);
        await Promise.all([place.close(), elsewhere?.close()]);
      },
    };
  };

  /** The application is told an https URL, and nothing behind it speaks TLS. */
  const emulateTls = async ({ user, behaviour }: SigninOrder): Promise<SigninEmulation> => {
    const { ptnToken } = emulateSignin({ ...options, user, behaviour });
    const listener = await listenForTls(host);
    return {
      authUrl: `https://${host}:${listener.port}${basePath}`,
      ptnToken,
      overrun: new AbortController().signal,
      patienceMs: 0,
      outlasted: () => false,
      calls: () => [],
      strayRequests: () => listener.plainText(),
      close: () => listener.close(),
    };
  };

  return {
    /** Allows N sign-ins at a time, or binds the common port, for one; throws `usage` if it can't be bound. */
    listen: async (sideBySide: number): Promise<void> => {
      if (port === 0) free = sideBySide;
      else await bind();
    },

    /** Emulates the service for one sign-in, when its turn comes. */
    start: async (order: SigninOrder): Promise<SigninEmulation> => {
      const leave = await takeSlot();
      try {
        const emulation = await (order.scenario === 'plain-text' ? emulateTls : emulate)(order);
        return { ...emulation, close: () => emulation.close().finally(leave) };
      } catch (error) {
        leave();
        throw error;
      }
    },

    close: async (): Promise<void> => common?.close(),
  };
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
