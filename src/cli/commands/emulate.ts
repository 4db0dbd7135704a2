import { resolve } from 'node:path';
import { emulatedApplication, emulatedService } from '../../app/emulation.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import { callbackPath } from '../../emulator/application.ts';
import { tlsFaults } from '../../emulator/faults/tls.ts';
import { applicationFaults, serviceFaults } from '../../emulator/faults.ts';
import { applicationCodes, serviceCodes } from '../../emulator/refusals.ts';
import type { ServiceUser, UserStore } from '../../emulator/users.ts';
import type { AuthcliError } from '../../errors.ts';
import { callbackUrl as readCallbackUrl } from '../../protocol/endpoints.ts';
import {
  cipherFlag,
  clientIdFlag,
  emulatedSecretKeyFlag,
  expireTimeZoneFlag,
} from '../args/flags.ts';
import { networkFlags } from '../args/network-flags.ts';
import { defaulted, optional } from '../args/options.ts';
import { duration } from '../args/values.ts';
import { defineCommand } from '../command.ts';
import { emulate, emulateFlags, faultList, type SignUp } from '../emulate/emulate.ts';
import { fromRecording, recordedSideFlags } from '../emulate/recorded-side.ts';
import { usage } from '../failure.ts';
import { openNetwork } from '../network.ts';
import type { Session } from '../session.ts';
import { findUser } from '../simulate/known-user.ts';
import { orderedSignup } from '../simulate/signup.ts';

export const emulateApp = defineCommand({
  path: 'emulate app',
  about:
    'Runs a reference application on loopback: a callback endpoint that implements section 4.1, or, with --fault, breaks it in a way that you choose. The first line printed is its address. With -- COMMAND, runs COMMAND with AUTHCLI_URL set and exits with its status.',
  flags: {
    ...emulateFlags,
    fault: { ...emulateFlags.fault, candidates: 'application-fault' },
    clientId: clientIdFlag,
    cipher: cipherFlag,
    users: optional('--users <file>', 'store its users in this file (default: in memory)', {
      input: 'path',
    }),
    ...recordedSideFlags,
  },
  takesCommand: true,
  notes: [
    `It refuses with: ${Object.values(applicationCodes)
      .map(({ code, meaning }) => `${code} ${meaning}`)
      .join(' ')}`,
    'While it runs, GET /_authcli/ lists its control paths: the journal of received requests, and faults for the next calls. With --ui, a web page offers the same.',
  ],
  examples: {
    'watch exchanges in a browser': 'authcli emulate app --port 8080 --ui',
    'respond as a recorded application did': 'authcli emulate app --from session.jsonl',
    'see how OAEP is diagnosed':
      'authcli emulate app --fault oaep-sha256 -- authcli simulate-signup',
  },
  run: async (given, session) => {
    if (given.listFaults)
      return faultList([...applicationFaults, ...tlsFaults('application')], session);
    const { options, respondsAs } = await fromRecording(given, 'application', session);
    const users = await userStore(options.users, session);
    const side = respondsAs(emulatedApplication({ ...options, users }, session.context));
    const childEnv = (url: string) => ({ AUTHCLI_URL: `${url}${callbackPath}` });
    return emulate({ side, signUp: signUpHere(options, session), options, childEnv }, session);
  },
});

/** Sign-ups at the emulated application itself, past every proxy. */
function signUpHere(
  { clientId, cipher }: { readonly clientId: string; readonly cipher: Cipher },
  session: Session,
): SignUp {
  const { openTransport, now, signal } = session.context;
  return async (order, { url: origin }) => {
    const url = new URL(callbackPath, origin);
    // its own certificate may be wrong on purpose, or for another name
    const insecure = url.protocol === 'https:';
    const transport = await openTransport({ timeoutMs: 10_000, now, signal, insecure });
    // They are listed as the application receives them.
    return orderedSignup(order, { url, clientId, cipher, transport }, () => undefined, session);
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

const flags = {
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
  ...recordedSideFlags,
  ...networkFlags,
} as const;

export const emulateService = defineCommand({
  path: 'emulate service',
  about:
    "Runs the service's endpoints on loopback: /process/token and /process/authenticate (section 4.2). It knows every user of this profile: sign one up with simulate-signup, or with POST /_authcli/signup. With -- COMMAND, runs COMMAND with AUTHCLI_AUTH_URL, AUTHCLI_CLIENT_ID and AUTHCLI_SECRET_KEY set and exits with its status.",
  flags,
  takesCommand: true,
  notes: [
    `Its own codes: ${Object.values(serviceCodes)
      .map(({ code, meaning }) => `${code} ${meaning}`)
      .join(' ')}`,
    'While it runs, GET /_authcli/ lists its control paths: the journal of received requests, faults for the next calls, and a sign-up. With --ui, a web page offers the same.',
  ],
  examples: {
    'sign a user in against it':
      'authcli issue-ptn-token --ptn-cd alice | authcli emulate service -- authcli signin --ptn-token -',
    'respond as a recorded service did': 'authcli emulate service --from session.jsonl',
    'watch exchanges in a browser, and send sign-ups to your application from there':
      'authcli emulate service --ui --callback-url http://localhost:8080/callback',
  },
  run: async (given, session) => {
    if (given.listFaults) return faultList([...serviceFaults, ...tlsFaults('service')], session);
    const { options, respondsAs, recordedUser } = await fromRecording(given, 'service', session);
    const { callbackUrl, clientId, secretKey } = options;
    const emulated = emulatedService(
      {
        clientId,
        secretKey,
        cipher: options.cipher,
        findUser: async (ptnCd) => (await findServiceUser(ptnCd, session)) ?? recordedUser(ptnCd),
        timeZone: options.expireTimeZone,
        tokenTtlMs: options.tokenTtl,
        lenient: options.lenient,
      },
      session.context,
    );
    const side = respondsAs(emulated);
    const signUp: SignUp = async (order, { onOutcome }) => {
      const url =
        order.callbackUrl === undefined ? callbackUrl : readCallbackUrl(order.callbackUrl);
      if (url === undefined) throw missingCallbackUrl();
      const transport = await openNetwork(options, session);
      return orderedSignup(order, { ...options, url, transport }, onOutcome, session);
    };
    const childEnv = (url: string) => ({
      AUTHCLI_AUTH_URL: url,
      AUTHCLI_CLIENT_ID: clientId,
      AUTHCLI_SECRET_KEY: secretKey.reveal(),
    });
    return emulate({ side, callbackUrl, signUp, options, childEnv }, session);
  },
});

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
