import {
  exchangeKey,
  failForKeyLeak,
  keyExchangeRequest,
  type RegistrationInput,
  register,
  registrationRequest,
  type SignupInput,
} from '../../client/signup.ts';
import { Secret } from '../../crypto/secret.ts';
import { cipherFlag, keyFlag } from '../args/flags.ts';
import { flag } from '../args/options.ts';
import { nonEmpty } from '../args/values.ts';
import { defineCommand } from '../command.ts';
import { openNetwork, withCurl, withProgress } from '../network.ts';
import { chosenKey, findUser, noteKeyLength } from './known-user.ts';
import { probeFlag } from './probe.ts';
import {
  dryRun,
  keyPairs,
  signUp,
  signupInput,
  simulatedUser,
  simulationOutcome,
  storeUser,
  userCode,
} from './signup.ts';
import {
  callbackFlags,
  keyPairExclusive,
  keyPairFlags,
  registrationFlags,
  userInfoExclusive,
} from './simulation-flags.ts';

export const simulateSignup = defineCommand({
  path: 'simulate-signup',
  about:
    'Acts as the service: sends the key-exchange callback, decrypts the returned key, and sends the registration-complete callback encrypted with it (1.2). The second is not sent if the first failed. The user is stored in the profile.',
  flags: {
    ...callbackFlags,
    ...keyPairFlags,
    ...registrationFlags,
    cipher: cipherFlag,
    probe: probeFlag,
  },
  exclusive: [...userInfoExclusive, ...keyPairExclusive],
  examples: {
    'a generated user at your endpoint':
      'authcli simulate-signup --url http://localhost:8080/callback',
    'a user of your choice': `authcli simulate-signup --url http://localhost:8080/callback --ptn-cd alice --email alice@example.com --name 'Alice Kim' --phone +82-10-1234-5678`,
    'print what would be sent':
      'authcli simulate-signup --url http://localhost:8080/callback --dry-run',
  },
  run: async (options, session) => {
    const user = simulatedUser(options, session);
    const input = await signupInput(user, options, options, session);
    if (options.dryRun) return dryRun(requestsOf(input), input.ptnCd, session);
    const text = `Signing ${input.ptnCd} up at ${options.url.href}`;
    const network = await openNetwork(withCurl(options, session), session, options.url);
    const signedUp = await withProgress(text, session, () =>
      signUp(network, input, options, session),
    );
    if (signedUp.key !== undefined) noteKeyLength(signedUp.key, session);
    const success = (user: string, fingerprint = '') =>
      `${user} is registered; its key is ${fingerprint}.`;
    const simulation = { ...signedUp, title: 'Sign-up of', input, success };
    return simulationOutcome(simulation, options, network, session);
  },
});

/** The key comes with the first response, so a dry run uses a made-up one. */
function requestsOf(input: SignupInput) {
  const key = Secret.key('0'.repeat(32));
  return [keyExchangeRequest(input), registrationRequest({ ...input, key })];
}

export const simulateKeyExchange = defineCommand({
  path: 'simulate-key-exchange',
  about:
    'Acts as the service: sends only the key-exchange callback (used_type "1") and decrypts the returned key (4.1.1). The key is stored in the profile.',
  flags: { ...callbackFlags, ...keyPairFlags, probe: probeFlag },
  exclusive: keyPairExclusive,
  examples: {
    'a new key for a stored user':
      'authcli simulate-key-exchange --url http://localhost:8080/callback --ptn-cd alice',
  },
  run: async (options, session) => {
    const { url, clientId } = options;
    const ptnCd = userCode(options.ptnCd, session);
    const now = session.context.now();
    const inventsUser = options.ptnCd === undefined;
    const pairs = await keyPairs(options, session);
    const input = { url, clientId, ptnCd, inventsUser, ...pairs, now };
    if (options.dryRun) return dryRun([keyExchangeRequest(input)], ptnCd, session);
    const earlierKey = (await findUser(ptnCd, session))?.key;
    const text = `Exchanging a key with ${url.href}`;
    const network = await openNetwork(withCurl(options, session), session, url);
    const outcome = await withProgress(text, session, () => exchangeKey(network, input));
    const { key } = outcome;
    session.secrets.add(key);
    if (!options.noSave && outcome.ok && key !== undefined) {
      await storeUser({ ptnCd, key, state: 'known' }, session);
    }
    if (key !== undefined) noteKeyLength(key, session);
    const success = (user: string, fingerprint = '') => `The key of ${user} is ${fingerprint}.`;
    const exchanged = failForKeyLeak({ ...outcome, steps: [outcome] }, earlierKey);
    const simulation = { ...exchanged, title: 'Key exchange for', input, success };
    return simulationOutcome(simulation, options, network, session);
  },
});

export const simulateRegistration = defineCommand({
  path: 'simulate-registration',
  about:
    'Acts as the service: sends only the registration-complete callback (used_type "2"), encrypted with the stored key of the user (4.1.2).',
  flags: {
    ...callbackFlags,
    ptnCd: flag('--ptn-cd <code>', 'the user (Application user code)', {
      required: true,
      variable: true,
      parse: nonEmpty,
    }),
    key: keyFlag,
    ...registrationFlags,
    superPasscode: {
      ...registrationFlags.superPasscode,
      about: "the user's Super Passcode; default: the stored one, or a new one",
    },
    cipher: cipherFlag,
    probe: probeFlag,
  },
  exclusive: userInfoExclusive,
  examples: {
    'a stored user':
      'authcli simulate-registration --url http://localhost:8080/callback --ptn-cd alice',
    'with a key from elsewhere':
      'authcli simulate-registration --url http://localhost:8080/callback --ptn-cd alice --key env:USER_KEY',
  },
  run: async (options, session) => {
    const { url, clientId, cipher } = options;
    const stored = await findUser(options.ptnCd, session);
    const user = simulatedUser(
      { ...options, superPasscode: options.superPasscode ?? stored?.superPasscode },
      session,
    );
    const { ptnCd, superPasscode } = user;
    const key = await chosenKey({ key: options.key, ptnCd }, session);
    const { randomBytes } = session.context;
    const input: RegistrationInput = { url, clientId, ...user, key, cipher, randomBytes };
    if (options.dryRun) return dryRun([registrationRequest(input)], ptnCd, session);
    noteKeyLength(key, session);
    const network = await openNetwork(withCurl(options, session), session, url);
    const text = `Registering ${ptnCd} at ${url.href}`;
    const outcome = await withProgress(text, session, () => register(network, input));
    if (!options.noSave && outcome.ok) {
      const deliveredPasscode = superPasscode;
      await storeUser({ ...user, key, deliveredPasscode, state: 'registered' }, session);
    }
    const success = (shown: string) => `${shown} is registered.`;
    const registered = failForKeyLeak({ ...outcome, key, steps: [outcome] });
    const simulation = { ...registered, title: 'Registration of', input, success };
    return simulationOutcome(simulation, options, network, session);
  },
});
