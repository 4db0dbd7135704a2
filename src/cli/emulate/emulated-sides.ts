import { resolve } from 'node:path';
import { emulatedApplication, emulatedService } from '../../app/emulation.ts';
import { callbackPath } from '../../emulator/application.ts';
import { controlPrefix } from '../../emulator/control.ts';
import type { ServiceUser, UserStore } from '../../emulator/users.ts';
import type { AuthcliError } from '../../errors.ts';
import { callbackUrl as readCallbackUrl } from '../../protocol/endpoints.ts';
import {
  cipherFlag,
  clientIdFlag,
  emulatedSecretKeyFlag,
  expireTimeZoneFlag,
} from '../args/flags.ts';
import { type NetworkOptions, networkFlags } from '../args/network-flags.ts';
import { defaulted, type OptionsOf, optional } from '../args/options.ts';
import { duration } from '../args/values.ts';
import { usage } from '../failure.ts';
import { openNetwork } from '../network.ts';
import type { Session } from '../session.ts';
import { findUser } from '../simulate/known-user.ts';
import { orderedSignup } from '../simulate/signup.ts';
import { toOwnServer, trustOwnAuthority } from '../tls/open-tls.ts';
import { type Emulation, emulateFlags, type SignUp } from './emulate.ts';

/** Brings an emulator back to a clean state, with POST. */
const resetPath = `${controlPrefix}reset`;

export const applicationFlags = {
  ...emulateFlags,
  fault: { ...emulateFlags.fault, candidates: 'application-fault' },
  clientId: clientIdFlag,
  cipher: cipherFlag,
  users: optional('--users <file>', 'store its users in this file (default: in memory)', {
    input: 'path',
  }),
} as const;

export const serviceFlags = {
  ...emulateFlags,
  fault: { ...emulateFlags.fault, candidates: 'service-fault' },
  clientId: clientIdFlag,
  secretKey: emulatedSecretKeyFlag,
  cipher: cipherFlag,
  callbackUrl: optional('--callback-url <url>', 'where POST /_authcli/signup sends a sign-up', {
    parse: readCallbackUrl,
    setting: 'url',
  }),
  tokenTtl: defaulted('--token-ttl <duration>', 'how long an acs_token is valid', '5m', {
    parse: duration,
  }),
  expireTimeZone: expireTimeZoneFlag,
  ...networkFlags,
} as const;

/** The emulated application of these options, before it listens. */
export async function applicationEmulation(
  options: OptionsOf<typeof applicationFlags>,
  session: Session,
): Promise<Emulation> {
  const users = await userStore(options.users, session);
  const side = emulatedApplication({ ...options, users }, session.context);
  const childEnv = (url: string) => ({
    AUTHCLI_URL: `${url}${callbackPath}`,
    AUTHCLI_RESET: `${url}${resetPath}`,
  });
  return { side, signUp: signUpHere(options, session), options, childEnv };
}

/** Sign-ups at the emulated application itself, past every proxy. */
function signUpHere(
  settings: Omit<Parameters<typeof orderedSignup>[1], 'url' | 'transport'>,
  session: Session,
): SignUp {
  const { openTransport, now, signal } = session.context;
  return async (order, { url: origin, tls }) => {
    const url = new URL(callbackPath, origin);
    const options = { timeoutMs: 10_000, now, signal, ...toOwnServer(tls) };
    const transport = await openTransport(options);
    // They are listed as the application receives them.
    return orderedSignup(order, { ...settings, url, transport }, () => undefined, session);
  };
}

async function userStore(
  file: string | undefined,
  { context }: Session,
): Promise<UserStore | undefined> {
  if (file === undefined) return undefined;
  const { openUserFile } = await import('../../state/user-file.ts');
  return openUserFile(resolve(context.cwd, file), context.randomBytes);
}

/** The emulated service of these options, before it listens. */
export async function serviceEmulation(
  options: OptionsOf<typeof serviceFlags>,
  session: Session,
): Promise<Emulation> {
  const { callbackUrl, clientId, secretKey } = options;
  const side = emulatedService(
    {
      clientId,
      secretKey,
      cipher: options.cipher,
      findUser: (ptnCd) => findServiceUser(ptnCd, session),
      timeZone: options.expireTimeZone,
      tokenTtlMs: options.tokenTtl,
      lenient: options.lenient,
    },
    session.context,
  );
  const signUp: SignUp = async (order, { onOutcome }) => {
    const url = order.callbackUrl === undefined ? callbackUrl : readCallbackUrl(order.callbackUrl);
    if (url === undefined) throw missingCallbackUrl();
    const header = headersFor(url, options, session);
    const network = await trustOwnAuthority({ ...options, header }, url, session);
    const transport = await openNetwork(network, session);
    return orderedSignup(order, { ...options, url, transport }, onOutcome, session);
  };
  const childEnv = (url: string) => ({
    AUTHCLI_AUTH_URL: url,
    AUTHCLI_CLIENT_ID: clientId,
    AUTHCLI_SECRET_KEY: secretKey.reveal(),
    AUTHCLI_RESET: `${url}${resetPath}`,
  });
  return { side, callbackUrl, signUp, options, childEnv };
}

/** Whoever orders a sign-up chooses the URL, and any user of this machine can: headers may be credentials. */
function headersFor(
  { origin }: URL,
  { header, callbackUrl }: OptionsOf<typeof serviceFlags>,
  session: Session,
): NetworkOptions['header'] {
  if (header.length === 0 || origin === callbackUrl?.origin) return header;
  session.warnOnce(
    `the headers of --header were not sent to ${origin}, which a request to /_authcli/signup named; they go only to the origin of --callback-url`,
  );
  return [];
}

function missingCallbackUrl(): AuthcliError {
  return usage(
    'The callback URL of your application is not set.',
    'Send "callback_url", or start the service with --callback-url.',
  );
}

/**
 * The users of the local state at each call, so that a new sign-up is known at once. The passcode is the one
 * that was delivered at the sign-up, even if another is stored since.
 */
async function findServiceUser(ptnCd: string, session: Session): Promise<ServiceUser | undefined> {
  const user = await findUser(ptnCd, session);
  return user && { ...user, superPasscode: user.deliveredPasscode ?? user.superPasscode };
}
