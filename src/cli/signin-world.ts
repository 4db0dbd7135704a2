import type { SigninTrigger, SigninUser, SigninWorld } from '../conformance/signin-world.ts';
import { emulatorEnvironment } from './emulate.ts';
import { usage } from './hints.ts';
import { findUser } from './known-user.ts';
import type { Session } from './session.ts';
import { SigninCommand } from './signin-command.ts';
import { SigninRooms } from './signin-rooms.ts';
import { userCode } from './simulated-user.ts';
import type { VerifyOptions } from './verify-flags.ts';

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
  const secretKey = options.secretKey;
  session.secrets.add(secretKey);
  const command = new SigninCommand(options, session);
  const trigger = triggerOf(options, command);
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
      session.atEnd(() => command.end());
      session.atEnd(() => rooms.close());
    },
  };
}

function triggerOf(options: VerifyOptions, command: SigninCommand): SigninTrigger {
  const { signinUrl, authPort } = options;
  if (signinUrl === undefined) {
    return { kind: 'command', run: (room, user) => command.run(room, user) };
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
  const key = options.key ?? stored?.key;
  const superPasscode = options.superPasscode ?? stored?.deliveredPasscode ?? stored?.superPasscode;
  if (key !== undefined && superPasscode !== undefined) return { ptnCd, key, superPasscode };
  throw usage(
    `The ${key === undefined ? 'key' : 'passcode'} of the user ${JSON.stringify(ptnCd)} is not known here.`,
    'Give --key and --super-passcode, or sign the user up first: authcli simulate-signup',
  );
}
