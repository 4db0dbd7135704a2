import { tlsFaults } from '../../emulator/faults/tls.ts';
import { applicationFaults, serviceFaults } from '../../emulator/faults.ts';
import { applicationCodes, serviceCodes } from '../../emulator/refusals.ts';
import { defineCommand } from '../command.ts';
import { emulate, faultList } from '../emulate/emulate.ts';
import {
  applicationEmulation,
  applicationFlags,
  serviceEmulation,
  serviceFlags,
} from '../emulate/emulated-sides.ts';

export const emulateApp = defineCommand({
  path: 'emulate app',
  about:
    'Runs a reference application on loopback: a callback endpoint that implements section 4.1, or, with --fault, breaks it in a way that you choose. The first line printed is its address. With -- COMMAND, runs COMMAND with AUTHCLI_URL and AUTHCLI_RESET set and exits with its status.',
  flags: applicationFlags,
  takesCommand: true,
  notes: [
    `It refuses with: ${Object.values(applicationCodes)
      .map(({ code, meaning }) => `${code} ${meaning}`)
      .join(' ')}`,
    'While it runs, GET /_authcli/ lists its control paths: the journal of received requests, faults for the next calls, and a reset. With --ui, a web page offers the same.',
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
    "Runs the service's endpoints on loopback: /process/token and /process/authenticate (section 4.2). It knows every user of this profile: sign one up with simulate-signup, or with POST /_authcli/signup. With -- COMMAND, runs COMMAND with AUTHCLI_AUTH_URL, AUTHCLI_CLIENT_ID, AUTHCLI_SECRET_KEY and AUTHCLI_RESET set and exits with its status.",
  flags: serviceFlags,
  takesCommand: true,
  notes: [
    `Its own codes: ${Object.values(serviceCodes)
      .map(({ code, meaning }) => `${code} ${meaning}`)
      .join(' ')}`,
    'While it runs, GET /_authcli/ lists its control paths: the journal of received requests, faults for the next calls, a reset, and a sign-up. With --ui, a web page offers the same.',
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
