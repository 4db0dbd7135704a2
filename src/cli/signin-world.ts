import type {
  Conclusion,
  SigninRoom,
  SigninTrigger,
  SigninUser,
  SigninWorld,
} from '../conformance/signin-world.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import { diagnosis } from '../diagnosis/catalogue-entry.ts';
import { escapeControls } from '../text.ts';
import type { Context } from './context.ts';
import { emulatorEnvironment } from './emulate.ts';
import { usage } from './hints.ts';
import { findUser } from './known-user.ts';
import type { Session } from './session.ts';
import { SigninRooms } from './signin-rooms.ts';
import { userCode } from './simulated-user.ts';
import type { VerifyOptions } from './verify-flags.ts';
import type { ChildEnd, WatchedChild } from './watched-child.ts';

/** The sign-in half of a run: its world, and what is done before the first check and after the last. */
export interface SigninHalf {
  readonly world: SigninWorld;
  /** Listens, and looks the user up; throws `usage` where one of both can't be. */
  readonly start: () => Promise<void>;
}

/**
 * What the checks of the sign-in run with. Throws `usage` where the options don't say enough: a
 * command, or for an address the port that the application is set to and a user that it knows.
 */
export function signinHalf(options: VerifyOptions, session: Session): SigninHalf {
  const { clientId, cipher, authHost: host, authPort: port } = options;
  const secretKey = options.secretKey.reveal();
  session.secrets.add(secretKey);
  const children = new Children(session.context);
  const trigger = triggerOf(options, children, session);
  const environment = emulatorEnvironment(session);
  const { expireTimeZone: timeZone } = options;
  const rooms = new SigninRooms({ clientId, secretKey, cipher, timeZone, environment, host, port });
  const users = usersOf(options, trigger);
  let given: Promise<SigninUser> | undefined;
  const givenUser = (): Promise<SigninUser> => {
    given ??= readGivenUser(options, trigger, session);
    return given;
  };
  return {
    world: {
      secretKey,
      trigger,
      users,
      givenUser,
      sideBySide: port === 0,
      open: (order) => rooms.open(order),
    },
    start: async () => {
      if (users === 'given') await givenUser();
      await rooms.start();
      session.atEnd(() => children.end());
      session.atEnd(() => rooms.close());
    },
  };
}

/** The commands that are running, so that none outlives the run. */
class Children {
  readonly #context: Context;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(context: Context) {
    this.#context = context;
  }

  async run(child: WatchedChild): Promise<ChildEnd> {
    const signal = AbortSignal.any([child.signal, this.#stop.signal]);
    const ending = this.#context.runWatched({ ...child, signal });
    this.#running.add(ending);
    try {
      return await ending;
    } finally {
      this.#running.delete(ending);
    }
  }

  /** Ends those that are left, and waits until they are gone. */
  async end(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#running);
  }
}

function triggerOf(options: VerifyOptions, children: Children, session: Session): SigninTrigger {
  const { signinUrl, authPort } = options;
  if (signinUrl === undefined) {
    const run: Extract<SigninTrigger, { kind: 'command' }>['run'] = (room, user) =>
      runCommand(room, environmentOf(room, user, options), { options, children, session });
    return { kind: 'command', run };
  }
  if (authPort !== 0) return { kind: 'url', url: signinUrl };
  throw usage(
    'verify --signin-url needs --auth-port: the port on which the emulated service listens.',
    'Give --auth-port 8081, and set the application to http://127.0.0.1:8081 as its {auth_url}.',
  );
}

function usersOf(options: VerifyOptions, { kind }: SigninTrigger): SigninWorld['users'] {
  const { ptnCd, key, superPasscode, url } = options;
  if ([ptnCd, key, superPasscode].some((value) => value !== undefined)) return 'given';
  if (url !== undefined) return 'signed-up';
  if (kind === 'command') return 'invented';
  throw usage(
    'verify --signin-url needs a user whom the application knows.',
    'Give --url, where test users are signed up, or --ptn-cd of one who is.',
  );
}

async function readGivenUser(
  options: VerifyOptions,
  { kind }: SigninTrigger,
  session: Session,
): Promise<SigninUser> {
  if (options.ptnCd === undefined && kind === 'url') {
    throw usage('verify --signin-url needs --ptn-cd: the user who signs in.', 'Give --ptn-cd.');
  }
  const ptnCd = userCode(options.ptnCd, session);
  const stored = await findUser(ptnCd, session);
  const key = options.key?.reveal() ?? stored?.key;
  const superPasscode =
    options.superPasscode?.reveal() ?? stored?.deliveredPasscode ?? stored?.superPasscode;
  if (key !== undefined && superPasscode !== undefined) return { ptnCd, key, superPasscode };
  throw usage(
    `The ${key === undefined ? 'key' : 'passcode'} of the user ${JSON.stringify(ptnCd)} is not known here.`,
    'Give --key and --super-passcode, or sign the user up first: authcli simulate-signup',
  );
}

/** Runs the command behind `--` to its end. */
async function runCommand(
  room: SigninRoom,
  env: WatchedChild['env'],
  half: {
    readonly options: VerifyOptions;
    readonly children: Children;
    readonly session: Session;
  },
): Promise<Conclusion> {
  const { options, children, session } = half;
  const { context, childCommand } = session;
  const [command = '', ...args] = childCommand;
  const end = await children
    .run({
      command,
      args,
      cwd: context.cwd,
      env,
      timeoutMs: options.timeout,
      signal: AbortSignal.any([context.signal, room.overrun]),
    })
    .catch((error: unknown) => {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      throw usage(
        `The command ${JSON.stringify(command)} can't be run (${code}).`,
        'Is it installed, and on the PATH? It stands behind --, without a shell.',
      );
    });
  const conclusion = conclude(end, room, options);
  showOutput(conclusion, session);
  return conclusion;
}

/** What the command is told; docs/ci.md and the help list the same. */
function environmentOf(
  { authUrl, ptnToken }: SigninRoom,
  user: SigninUser | undefined,
  { clientId, secretKey, cipher }: VerifyOptions,
): WatchedChild['env'] {
  return {
    AUTHCLI_AUTH_URL: authUrl,
    AUTHCLI_CLIENT_ID: clientId,
    AUTHCLI_SECRET_KEY: secretKey.reveal(),
    AUTHCLI_PTN_TOKEN: ptnToken,
    AUTHCLI_CIPHER: formatCipher(cipher),
    // A user of the application's own is its business: it must not be told of another.
    AUTHCLI_PTN_CD: user?.ptnCd,
    AUTHCLI_KEY: user?.key,
    AUTHCLI_SUPER_PASSCODE: user?.superPasscode,
    // The name under which `authcli signin` reads the same.
    AUTHCLI_EXPECT_PASSCODE: user?.superPasscode,
  };
}

function conclude(
  { status, signal, timedOut, output: shown }: ChildEnd,
  { overrun, calls }: SigninRoom,
  { timeout }: VerifyOptions,
): Conclusion {
  if (timedOut) {
    const how = `still running after ${timeout / 1000} s, and ended`;
    const message = `The command had not ended after ${timeout / 1000} s.`;
    const hint = 'Does it wait for input, or keep a server running? A longer time can be given.';
    return { verdict: 'unclear', how, diagnosis: diagnosis('timeout', message, hint), shown };
  }
  if (overrun.aborted) {
    return { verdict: 'unclear', how: `ended after ${calls().length} requests`, shown };
  }
  if (status === undefined) return { verdict: 'unclear', how: `ended by ${signal}`, shown };
  return { verdict: status === 0 ? 'signed-in' : 'refused', how: `exit status ${status}`, shown };
}

/** What the command printed, for who wants to see it: standard output is authcli's own. */
function showOutput({ how, shown }: Conclusion, session: Session): void {
  if (!session.global.verbose) return;
  const lines = shown.trimEnd() === '' ? [] : shown.trimEnd().split('\n');
  session.aside(
    [`command: ${how}`, ...lines.map((line) => `  ${escapeControls(line)}`)].join('\n'),
  );
}
