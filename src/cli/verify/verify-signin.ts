import type {
  Conclusion,
  SigninEmulation,
  SigninEnvironment,
  SigninUser,
} from '../../conformance/signin-check.ts';
import { formatCipher } from '../../crypto/cipher.ts';
import { diagnosis } from '../../diagnosis/diagnosis.ts';
import { containsSecret } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { cannotRun, usage } from '../failure.ts';
import type { Child, ChildEnd } from '../process/children.ts';
import type { Session } from '../session.ts';
import { findUser } from '../simulate/known-user.ts';
import { userCode } from '../simulate/signup.ts';
import { signinEmulations } from './signin-emulations.ts';
import type { VerifyOptions } from './verify.ts';

/** Sign-ins that run at a time. */
const commandsPerCore = 2;

/**
 * The environment of the sign-in checks, and what starts the emulated service and finds the user. Both throw `usage`,
 * such as for a --signin-url without its port or user.
 */
export function signinHalf(options: VerifyOptions, session: Session) {
  const { clientId, cipher, secretKey, authPort: port } = options;
  session.secrets.add(secretKey);
  if (options.signinUrl !== undefined && port === 0)
    throw usage(
      'verify --signin-url needs --auth-port: the port on which the emulated service listens.',
      'Give --auth-port 8081, and set {auth_url} of the application to http://127.0.0.1:8081.',
    );
  const emulations = signinEmulations({
    clientId,
    secretKey,
    cipher,
    timeZone: options.expireTimeZone,
    environment: session.context,
    port,
    patienceMs: options.patience,
  });
  const users = usersOf(options);
  let given: Promise<SigninUser> | undefined;
  const givenUser = (): Promise<SigninUser> => {
    given ??= readGivenUser(options, session);
    return given;
  };
  const environment: SigninEnvironment = {
    secretKey,
    trigger:
      options.signinUrl === undefined
        ? { kind: 'command', run: commandRunner(options, session) }
        : { kind: 'url', url: options.signinUrl },
    users,
    givenUser,
    sideBySide: port === 0,
    contains: containsSecret,
    emulate: (order) => emulations.start(order),
  };
  const start = async (): Promise<void> => {
    if (users === 'given') await givenUser();
    const { parallelism } = await session.context.loadThreads();
    await emulations.listen(commandsPerCore * parallelism);
    session.atEnd(() => emulations.close());
  };
  return { environment, start };
}

function usersOf(options: VerifyOptions): SigninEnvironment['users'] {
  const { ptnCd, key, superPasscode, url, signinUrl } = options;
  if ([ptnCd, key, superPasscode].some((value) => value !== undefined)) return 'given';
  if (url !== undefined) return 'signed-up';
  if (signinUrl === undefined) return 'invented';
  throw usage(
    'verify --signin-url needs a user that the application knows.',
    'Give --url to sign up test users, or --ptn-cd of an existing user.',
  );
}

async function readGivenUser(options: VerifyOptions, session: Session): Promise<SigninUser> {
  if (options.ptnCd === undefined && options.signinUrl !== undefined)
    throw usage('verify --signin-url needs --ptn-cd: the user who signs in.', 'Give --ptn-cd.');
  const ptnCd = userCode(options.ptnCd, session);
  const stored = await findUser(ptnCd, session);
  const key = options.key ?? stored?.key;
  const superPasscode = options.superPasscode ?? stored?.deliveredPasscode ?? stored?.superPasscode;
  if (key !== undefined && superPasscode !== undefined) return { ptnCd, key, superPasscode };
  throw usage(
    `The ${key === undefined ? 'key' : 'passcode'} of the user ${JSON.stringify(ptnCd)} is not stored in this profile.`,
    'Give --key and --super-passcode, or sign the user up first: `authcli simulate-signup`.',
  );
}

/** Runs the command after `--` for one sign-in, until it ends or times out; throws `usage` if it can't be run. */
function commandRunner(options: VerifyOptions, session: Session) {
  const { context, childCommand } = session;
  const [command = '', ...args] = childCommand;
  const stop = new AbortController();
  const running = new Set<Promise<unknown>>();
  session.atEnd(async () => {
    stop.abort();
    await Promise.allSettled(running);
  });
  return async (emulation: SigninEmulation, user?: SigninUser): Promise<Conclusion> => {
    const ending = context.runChild({
      streams: 'captured',
      command,
      args,
      cwd: context.cwd,
      env: environmentOf(emulation, user, options),
      timeoutMs: options.timeout + emulation.patienceMs,
      signal: AbortSignal.any([context.signal, stop.signal, emulation.overrun]),
    });
    running.add(ending);
    try {
      const conclusion = conclude(await ending, emulation, options);
      if (session.detail === 'verbose') showOutput(conclusion, session);
      return conclusion;
    } catch (error) {
      throw cannotRun(command, error);
    } finally {
      running.delete(ending);
    }
  };
}

/** The environment variables of the command; docs/ci.md and the help list the same. */
function environmentOf(
  { authUrl, ptnToken }: SigninEmulation,
  user: SigninUser | undefined,
  { clientId, secretKey, cipher }: VerifyOptions,
): Child['env'] {
  return {
    AUTHCLI_AUTH_URL: authUrl,
    AUTHCLI_CLIENT_ID: clientId,
    AUTHCLI_SECRET_KEY: secretKey.reveal(),
    AUTHCLI_PTN_TOKEN: ptnToken,
    AUTHCLI_CIPHER: formatCipher(cipher),
    // Unset for a user signed up at the application, which has its own data.
    AUTHCLI_PTN_CD: user?.ptnCd,
    AUTHCLI_KEY: user?.key.reveal(),
    AUTHCLI_SUPER_PASSCODE: user?.superPasscode.reveal(),
    // The name under which `authcli signin` reads the same.
    AUTHCLI_EXPECT_PASSCODE: user?.superPasscode.reveal(),
  };
}

function conclude(
  { status, signal, timedOut, output: shown }: ChildEnd,
  { overrun, calls, patienceMs }: SigninEmulation,
  { timeout }: VerifyOptions,
): Conclusion {
  if (timedOut) {
    const seconds = (timeout + patienceMs) / 1000;
    const how = `still running after ${seconds} s, and ended`;
    const message = `The command did not end within ${seconds} s.`;
    const hint = 'Check whether it waits for input or keeps a server running, or allow more time.';
    return { verdict: 'unclear', how, diagnosis: diagnosis('timeout', message, hint), shown };
  }
  if (overrun.aborted)
    return { verdict: 'unclear', how: `ended after ${calls().length} requests`, shown };
  if (signal !== undefined) return { verdict: 'unclear', how: `ended by ${signal}`, shown };
  return { verdict: status === 0 ? 'signed-in' : 'refused', how: `exit status ${status}`, shown };
}

/** With --verbose; standard output belongs to authcli. */
function showOutput({ how, shown }: Conclusion, session: Session): void {
  const lines = shown.trimEnd().split('\n').filter(Boolean);
  const indented = lines.map((line) => `  ${escapeControls(line)}`);
  session.aside([`command: ${how}`, ...indented].join('\n'));
}
