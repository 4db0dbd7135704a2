import { serviceFaults } from '../../emulator/faults.ts';
import { createService, handleServiceCall } from '../../emulator/service.ts';
import { serviceCodes } from '../../emulator/service-codes.ts';
import type { FindUser } from '../../emulator/service-users.ts';
import { callbackUrl as readCallbackUrl } from '../../protocol/endpoints.ts';
import { cipherFlag } from '../cipher-flag.ts';
import { defineCommand } from '../command.ts';
import { clientIdFlag, emulatedSecretKeyFlag } from '../common-flags.ts';
import { emulate, emulateFlags, emulatorEnvironment, faultList } from '../emulate.ts';
import { findUser } from '../known-user.ts';
import { networkFlags } from '../network-flags.ts';
import { defaulted, optional } from '../options.ts';
import { orderedSignup } from '../ordered-signup.ts';
import type { Session } from '../session.ts';
import { expireTimeZoneFlag } from '../time-zone-flag.ts';
import { duration } from '../values.ts';

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
  tokenTtl: defaulted('--token-ttl <duration>', 'how long an acs_token is good', '5m', {
    parse: duration,
  }),
  expireTimeZone: expireTimeZoneFlag,
  ...networkFlags,
} as const;

export const emulateService = defineCommand({
  path: 'emulate service',
  about:
    "Runs the service's endpoints on loopback: /process/token and /process/authenticate, as section 4.2 says. It knows the users of this profile as they come: sign one up with simulate-signup, or with POST /_authcli/signup. With -- COMMAND, it runs COMMAND with AUTHCLI_AUTH_URL, AUTHCLI_CLIENT_ID and AUTHCLI_SECRET_KEY set, and ends with its exit status.",
  flags,
  takesCommand: true,
  notes: [
    `Its own codes: ${Object.values(serviceCodes)
      .map(({ code, meaning }) => `${code} ${meaning}`)
      .join(' ')}`,
    'While it runs, GET /_authcli/ lists its control paths: the journal of what was received, faults for the next calls, a sign-up. With --ui, a page for people does the same.',
  ],
  examples: [
    { about: 'on a port of your choice', line: 'authcli emulate service --port 8081' },
    {
      about: 'sign a user in against it',
      line: 'authcli issue-ptn-token --ptn-cd alice | authcli emulate service -- authcli signin --ptn-token -',
    },
    {
      about: 'watch exchanges in a browser, and send sign-ups to your application from there',
      line: 'authcli emulate service --ui --callback-url http://localhost:8080/callback',
    },
  ],
  run: async (options, session) => {
    if (options.listFaults) return faultList(serviceFaults, session);
    const { callbackUrl } = options;
    const environment = emulatorEnvironment(session);
    const service = createService({
      clientId: options.clientId,
      secretKey: options.secretKey,
      cipher: options.cipher,
      findUser: findServiceUser(session),
      environment,
      timeZone: options.expireTimeZone,
      tokenTtlMs: options.tokenTtl,
    });
    return emulate(
      {
        side: 'service',
        handler: (request) => handleServiceCall(request, service),
        faults: service.faults,
        settings: { client_id: options.clientId },
        clientId: options.clientId,
        cipher: options.cipher,
        callbackUrl,
        timeZone: service.timeZone,
        signUp:
          callbackUrl &&
          ((order, told) => orderedSignup(order, callbackUrl, { ...options, told }, session)),
        options,
        childEnv: (url) => ({
          AUTHCLI_AUTH_URL: url,
          AUTHCLI_CLIENT_ID: options.clientId,
          AUTHCLI_SECRET_KEY: options.secretKey.reveal(),
        }),
      },
      session,
    );
  },
});

/**
 * The users of the local state as they are at each call: a sign-up elsewhere makes one known at
 * once. The passcode is the one that was delivered at the sign-up, also when another is stored since.
 */
function findServiceUser(session: Session): FindUser {
  return async (ptnCd) => {
    const user = await findUser(ptnCd, session);
    return user && { ...user, superPasscode: user.deliveredPasscode ?? user.superPasscode };
  };
}
