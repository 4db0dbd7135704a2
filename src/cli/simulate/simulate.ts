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
import { probed, probeFlag } from './probe.ts';
import {
  dryRun,
  keyPairs,
  signUp,
  signupInput,
  simulatedUser,
  simulationOutcome,
  storeUser,
  userCode,
  withLog,
} from './signup.ts';
import {
  callbackFlags,
  keyPairExclusive,
  keyPairFlags,
  registrationFlags,
  userInfoExclusive,
} from './simulation-flags.ts';

const flags = {
  ...callbackFlags,
  ...keyPairFlags,
  ...registrationFlags,
  cipher: cipherFlag,
  probe: probeFlag,
} as const;

export const simulateSignup = defineCommand({
  path: 'simulate-signup',
  about:
    'Acts as the service: sends the key-exchange callback, decrypts the returned key, and sends the registration-complete callback encrypted with it (1.2). The second is not sent if the first failed. The user is stored in the profile.',
  flags,
  exclusive: [...userInfoExclusive, ...keyPairExclusive],
  examples: {
    'a generated user at your endpoint':
      'authcli simulate-signup --url http://localhost:8080/callback',
    'a user of your choice': `authcli simulate-signup --url http://localhost:8080/callback --ptn-cd alice --email alice@example.com --name 'Alice Kim' --phone +82-10-1234-5678`,
    'print what would be sent':
      'authcli simulate-signup --url http://localhost:8080/callback --dry-run',
  },
  run: async (options, session) => {
    const input = await signupInput(options, session);
    if (options.dryRun) return dryRun(requestsOf(input), input.ptnCd, session);
    const text = `Signing ${input.ptnCd} up at ${options.url.href}`;
    const network = await openNetwork(withCurl(options, session), session, options.url);
    const signedUp = await withProgress(text, session, () =>
      signUp(network, input, options, session),
    );
    const outcome = withLog(signedUp, network, options.cipher);
    if (outcome.key !== undefined) noteKeyLength(outcome.key, session);
    const { superPasscode } = input;
    const { keyFingerprint } = outcome;
    const success = (user: string) => `${user} is registered; its key is ${keyFingerprint}.`;
    const judged = await probed(outcome, { ...options, ...input }, network, session);
    return simulationOutcome(
      { title: 'Sign-up of', input, ...judged, superPasscode, success },
      session,
    );
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
    const keyFingerprint = key?.toString();
    const success = (user: string) => `The key of ${user} is ${keyFingerprint}.`;
    const unleaked = failForKeyLeak({ ...outcome, steps: [outcome] }, earlierKey);
    const judged = await probed(
      withLog(unleaked, network),
      { ...options, ...input },
      network,
      session,
    );
    return simulationOutcome(
      { title: 'Key exchange for', input, ...judged, keyFingerprint, success },
      session,
    );
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
    const key = await chosenKey({ key: options.key, ptnCd }, 'simulate-registration', session);
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
    const keyFingerprint = key.toString();
    const success = (shown: string) => `${shown} is registered.`;
    const unleaked = failForKeyLeak({ ...outcome, ...input, steps: [outcome] });
    const probing = { probe: options.probe, privateKey: [], ...input };
    const registered = withLog(unleaked, network, cipher);
    const judged = await probed(registered, probing, network, session);
    return simulationOutcome(
      { title: 'Registration of', input, ...judged, keyFingerprint, success },
      session,
    );
  },
});
