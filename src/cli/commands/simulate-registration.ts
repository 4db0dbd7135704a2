import {
  type RegistrationInput,
  type RegistrationOutcome,
  register,
  registrationRequest,
} from '../../client/signup.ts';
import { verdict } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { cipherFlag } from '../cipher-flag.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { keyFlag } from '../common-flags.ts';
import { dryRun } from '../dry-run.ts';
import { chosenKey, noteKeyLength } from '../known-user.ts';
import { openNetwork } from '../network.ts';
import { required } from '../options.ts';
import type { Session } from '../session.ts';
import { passcode, userCode, userInformationText } from '../simulated-user.ts';
import { callbackFlags, registrationFlags, userInfoExclusive } from '../simulation-flags.ts';
import { reportSteps } from '../simulation-report.ts';
import { nonEmpty } from '../values.ts';

export const simulateRegistration = defineCommand({
  path: 'simulate-registration',
  about:
    'Plays the service: sends only the registration-complete callback (used_type "2"), encrypted with the key that is known for the user (4.1.2).',
  flags: {
    ...callbackFlags,
    ptnCd: required('--ptn-cd <code>', 'the user: Application user code', { parse: nonEmpty }),
    key: keyFlag,
    ...registrationFlags,
    cipher: cipherFlag,
  },
  exclusive: userInfoExclusive,
  examples: [
    {
      about: 'a user that is known here',
      line: 'authcli simulate-registration --url http://localhost:8080/callback --ptn-cd alice',
    },
    {
      about: 'with a key from elsewhere',
      line: 'authcli simulate-registration --url http://localhost:8080/callback --ptn-cd alice --key env:USER_KEY',
    },
    {
      about: 'without user information',
      line: 'authcli simulate-registration --url http://localhost:8080/callback --ptn-cd alice --no-user-info',
    },
  ],
  run: async (options, session) => {
    const { url, clientId, cipher } = options;
    const ptnCd = userCode(options.ptnCd, session);
    const input: RegistrationInput = {
      url,
      clientId,
      ptnCd,
      key: await chosenKey({ key: options.key, ptnCd }, 'simulate-registration', session),
      superPasscode: passcode(options.superPasscode, session),
      userInfo: userInformationText(options, ptnCd, session),
      cipher,
      randomBytes: session.context.randomBytes,
    };
    if (options.dryRun) return dryRun([registrationRequest(input)], ptnCd, session);
    noteKeyLength(input.key, session);
    const transport = await openNetwork(options, session);
    const progress = session.progress(`Registering ${ptnCd} at ${url.href}`);
    const outcome = await register(transport, input).finally(() => progress.stop());
    if (!options.noSave && outcome.ok) await keep(input, session);
    return report(outcome, input, session);
  },
});

async function keep(
  { ptnCd, key, superPasscode, userInfo }: RegistrationInput,
  session: Session,
): Promise<void> {
  const { users } = await session.state();
  const deliveredPasscode = superPasscode;
  await users.put({ ptnCd, key, superPasscode, deliveredPasscode, userInfo, state: 'registered' });
}

function report(outcome: RegistrationOutcome, input: RegistrationInput, session: Session): Outcome {
  const { ok, diagnosis } = outcome;
  const { style } = session;
  const { steps, lines } = reportSteps([outcome], session);
  const user = escapeControls(input.ptnCd);
  return {
    fields: {
      ptn_cd: reveal(input.ptnCd),
      client_id: reveal(input.clientId),
      url: input.url.href,
      key_fingerprint: input.key.toString(),
      steps,
      ...(session.showsSecrets && {
        key: input.key.reveal(),
        super_passcode: input.superPasscode.reveal(),
      }),
    },
    lines: [
      `Registration of ${style.bold(user)} at ${input.url.href}`,
      ...lines,
      ...(ok ? [verdict(true, `${user} is registered.`, style)] : []),
    ],
    failure: ok ? undefined : diagnosis,
  };
}
