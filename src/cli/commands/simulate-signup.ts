import {
  keyExchangeRequest,
  registrationRequest,
  type SignupInput,
  type SignupOutcome,
  simulateSignup as signUp,
} from '../../client/signup.ts';
import { Secret } from '../../crypto/secret.ts';
import { verdict } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { cipherFlag } from '../cipher-flag.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { dryRun } from '../dry-run.ts';
import { noteKeyLength } from '../known-user.ts';
import { openNetwork } from '../network.ts';
import type { Session } from '../session.ts';
import { keepSignup, signupInput } from '../signup.ts';
import {
  callbackFlags,
  keyPairExclusive,
  keyPairFlags,
  registrationFlags,
  userInfoExclusive,
} from '../simulation-flags.ts';
import { reportSteps } from '../simulation-report.ts';

const flags = {
  ...callbackFlags,
  ...keyPairFlags,
  ...registrationFlags,
  cipher: cipherFlag,
} as const;

export const simulateSignup = defineCommand({
  path: 'simulate-signup',
  about:
    'Plays the service: sends the key-exchange callback, opens the key that comes back, and sends the registration-complete callback encrypted with it (1.2). The second is not sent if the first failed. What was learned of the user is kept in the profile.',
  flags,
  exclusive: [...userInfoExclusive, ...keyPairExclusive],
  examples: [
    {
      about: 'a made-up user at your endpoint',
      line: 'authcli simulate-signup --url http://localhost:8080/callback',
    },
    {
      about: 'a user of your choice',
      line: `authcli simulate-signup --url http://localhost:8080/callback --ptn-cd alice --email alice@example.com --name 'Alice Kim' --phone +82-10-1234-5678`,
    },
    {
      about: 'see what would be sent',
      line: 'authcli simulate-signup --url http://localhost:8080/callback --dry-run',
    },
  ],
  run: async (options, session) => {
    const input = await signupInput(options, session);
    if (options.dryRun) return dryRun(requestsOf(input), input.ptnCd, session);
    const transport = await openNetwork(options, session);
    const progress = session.progress(`Signing ${input.ptnCd} up at ${options.url.href}`);
    const outcome = await signUp(transport, input).finally(() => progress.stop());
    session.secrets.add(outcome.key);
    if (!options.noSave) await keepSignup(outcome, input, session);
    return report(outcome, input, session);
  },
});

/** The registration of a dry run is encrypted with a key made up for it: the real one comes with the first answer. */
function requestsOf(input: SignupInput) {
  const key = Secret.key('0'.repeat(32));
  return [keyExchangeRequest(input), registrationRequest({ ...input, key })];
}

function report(outcome: SignupOutcome, input: SignupInput, session: Session): Outcome {
  const { key, ptnCd, ok, diagnosis, keyFingerprint } = outcome;
  const { style } = session;
  if (key !== undefined) noteKeyLength(key, session);
  const { steps, lines } = reportSteps(outcome.steps, session);
  const user = escapeControls(ptnCd);
  return {
    fields: {
      ptn_cd: reveal(ptnCd),
      client_id: reveal(input.clientId),
      url: input.url.href,
      key_fingerprint: keyFingerprint ?? null,
      steps,
      ...(session.showsSecrets && {
        key: key?.reveal(),
        super_passcode: input.superPasscode.reveal(),
      }),
    },
    lines: [
      `Sign-up of ${style.bold(user)} at ${input.url.href}`,
      ...lines,
      ...(ok ? [verdict(true, `${user} is registered; its key is ${keyFingerprint}.`, style)] : []),
    ],
    failure: ok ? undefined : diagnosis,
  };
}
