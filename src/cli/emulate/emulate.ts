import { resolve } from 'node:path';
import { callbackPath } from '../../emulator/application.ts';
import { emulatedApplication, emulatedService } from '../../emulator/emulator.ts';
import { tlsFaults } from '../../emulator/faults/tls.ts';
import { applicationFaults, serviceFaults } from '../../emulator/faults.ts';
import { applicationCodes, serviceCodes } from '../../emulator/refusals.ts';
import { callbackUrl as readCallbackUrl } from '../../protocol/endpoints.ts';
import { cipherFlag, clientIdFlag, expireTimeZoneFlag, secretKeyFlag } from '../args/flags.ts';
import { flag, type OptionsOf } from '../args/options.ts';
import { type NetworkOptions, networkFlags } from '../args/shared-flags.ts';
import { duration } from '../args/values.ts';
import { defineCommand } from '../command.ts';
import { usage } from '../failure.ts';
import { openNetwork } from '../network.ts';
import type { Session } from '../session.ts';
import { findUser } from '../simulate/known-user.ts';
import { orderedSignup } from '../simulate/signup.ts';
import { trustOwnAuthority } from '../tls/open-tls.ts';
import { type Emulation, emulate, emulateFlags, faultList, type SignUp } from './emulation.ts';

export const applicationFlags = {
  ...emulateFlags,
  fault: { ...emulateFlags.fault, candidates: 'application-fault' },
  clientId: clientIdFlag,
  cipher: cipherFlag,
  users: flag('--users <file>', 'store its users in this file (default: in memory)', {
    input: 'path',
  }),
} as const;

export const serviceFlags = {
  ...emulateFlags,
  fault: { ...emulateFlags.fault, candidates: 'service-fault' },
  clientId: clientIdFlag,
  secretKey: secretKeyFlag,
  cipher: cipherFlag,
  callbackUrl: flag('--callback-url <url>', 'where POST /_authcli/signup sends a sign-up', {
    parse: readCallbackUrl,
    setting: 'url',
  }),
  tokenTtl: flag('--token-ttl <duration>', 'how long an acs_token is valid', {
    fallback: '5m',
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
  const { openUserFile } = await import('../../state/user-file.ts');
  const { cwd, randomBytes } = session.context;
  const file = options.users === undefined ? undefined : resolve(cwd, options.users);
  const users = file === undefined ? undefined : openUserFile(file, randomBytes);
  const side = emulatedApplication({ ...options, users }, session.context);
  const childEnv = (url: string) => ({ AUTHCLI_URL: `${url}${callbackPath}` });
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
    // Its certificate may be wrong on purpose.
    const options = { timeoutMs: 10_000, now, signal, insecure: tls !== undefined };
    const transport = await openTransport(options);
    // They are listed as the application receives them.
    return orderedSignup(order, { ...settings, url, transport }, () => undefined, session);
  };
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
      // Those of the local state at each call, so that a new sign-up is known at once.
      findUser: async (ptnCd) => {
        const user = await findUser(ptnCd, session);
        // That of the sign-up, even if another is stored since.
        return user && { ...user, superPasscode: user.deliveredPasscode ?? user.superPasscode };
      },
      timeZone: options.expireTimeZone,
      tokenTtlMs: options.tokenTtl,
    },
    session.context,
  );
  const signUp: SignUp = async (order, { onOutcome }) => {
    const url = order.callbackUrl === undefined ? callbackUrl : readCallbackUrl(order.callbackUrl);
    if (url === undefined)
      throw usage(
        'The callback URL of your application is not set.',
        'Send "callback_url", or start the service with --callback-url.',
      );
    const header = headersFor(url, options, session);
    const network = await trustOwnAuthority({ ...options, header }, url, session);
    const transport = await openNetwork(network, session);
    return orderedSignup(order, { ...options, url, transport }, onOutcome, session);
  };
  const childEnv = (url: string) => ({
    AUTHCLI_AUTH_URL: url,
    AUTHCLI_CLIENT_ID: clientId,
    AUTHCLI_SECRET_KEY: secretKey.reveal(),
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

export const emulateApp = defineCommand({
  path: 'emulate app',
  about:
    'Runs a reference application on loopback: a callback endpoint that implements section 4.1, or, with --fault, breaks it in a way that you choose. The first line printed is its address. With -- COMMAND, runs COMMAND with AUTHCLI_URL set and exits with its status.',
  flags: applicationFlags,
  takesCommand: true,
  notes: [
    `It refuses with: ${Object.values(applicationCodes)
      .map(({ code, meaning }) => `${code} ${meaning}`)
      .join(' ')}`,
    'While it runs, GET /_authcli/ lists its control paths: the journal of received requests, faults for the next calls, and a reset. With --ui, a web page shows the exchanges.',
  ],
  examples: {
    'watch exchanges in a browser': 'authcli emulate app --port 8080 --ui',
    'see how OAEP is diagnosed':
      'authcli emulate app --fault oaep-sha256 -- authcli simulate-signup',
  },
  run: async (given, session) => {
    if (given.listFaults)
      return faultList([...applicationFaults, ...tlsFaults('application')], session);
    return emulate(await applicationEmulation(given, session), session);
  },
});

export const emulateService = defineCommand({
  path: 'emulate service',
  about:
    "Runs the service's endpoints on loopback: /process/token and /process/authenticate (section 4.2). It knows every user of this profile: sign one up with simulate-signup, or with POST /_authcli/signup. With -- COMMAND, runs COMMAND with AUTHCLI_AUTH_URL, AUTHCLI_CLIENT_ID and AUTHCLI_SECRET_KEY set and exits with its status.",
  flags: serviceFlags,
  takesCommand: true,
  notes: [
    `Its own codes: ${Object.values(serviceCodes)
      .map(({ code, meaning }) => `${code} ${meaning}`)
      .join(' ')}`,
    'While it runs, GET /_authcli/ lists its control paths: the journal of received requests, faults for the next calls, a reset, and a sign-up. With --ui, a web page shows the exchanges.',
  ],
  examples: {
    'sign a user in against it':
      'authcli issue-ptn-token --ptn-cd alice | authcli emulate service -- authcli signin --ptn-token -',
    'watch exchanges in a browser, and send sign-ups to your application from there':
      'authcli emulate service --ui --callback-url http://localhost:8080/callback',
  },
  run: async (given, session) => {
    if (given.listFaults) return faultList([...serviceFaults, ...tlsFaults('service')], session);
    return emulate(await serviceEmulation(given, session), session);
  },
});
