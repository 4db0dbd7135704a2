import { type AuthenticateOutcome, authenticate as callService } from '../../client/signin.ts';
import { formatCipher } from '../../crypto/cipher-notation.ts';
import { callLine, callReport } from '../../reports/exchange.ts';
import { verdict } from '../../reports/human.ts';
import { escapeControls } from '../../text.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { ptnCdFlag } from '../common-flags.ts';
import { openNetwork } from '../network.ts';
import { type OptionsOf, required } from '../options.ts';
import { passcodeFailure } from '../payload-failure.ts';
import type { Session } from '../session.ts';
import { passcodeFlags, serviceFlags, userSecrets } from '../signin-flags.ts';
import { secretText } from '../values.ts';

const flags = {
  acsToken: required('--acs-token <token>', 'the access token', {
    parse: secretText,
    secret: true,
  }),
  ptnCd: ptnCdFlag,
  ...passcodeFlags,
  ...serviceFlags,
} as const;

export const authenticate = defineCommand({
  path: 'authenticate',
  about:
    'Authenticates with an access token (4.2.2). With --ptn-cd or --key, the ptn_sp that comes back is decrypted, and compared with the stored passcode.',
  flags,
  examples: [
    {
      about: 'with a token',
      line: 'authcli authenticate --acs-token env:ACS_TOKEN --ptn-cd alice',
    },
    {
      about: 'with a key and a passcode from elsewhere',
      line: 'authcli authenticate --acs-token env:ACS_TOKEN --key env:USER_KEY --expect-passcode env:PASSCODE',
    },
    {
      about: 'only what came',
      line: 'authcli authenticate --acs-token env:ACS_TOKEN --json | jq -r .ptn_sp',
    },
  ],
  run: async (options, session) => {
    const { authUrl, clientId, secretKey, acsToken, cipher } = options;
    const user = await userSecrets(options.ptnCd, options, session);
    const transport = await openNetwork(options, session);
    const progress = session.progress(`Authenticating at ${authUrl}`);
    const input = { authUrl, clientId, secretKey, acsToken, user, cipher };
    const outcome = await callService(transport, input).finally(() => progress.stop());
    return report(outcome, options, session);
  },
});

function report(
  outcome: AuthenticateOutcome,
  options: OptionsOf<typeof flags>,
  session: Session,
): Outcome {
  for (const note of outcome.notes) session.note(note);
  const { result, reading, passcode, ok, diagnosis } = outcome;
  return {
    fields: {
      ptn_sp: result?.ptnSp ?? reading?.seen.ptnSp ?? null,
      passcode,
      cipher: formatCipher(options.cipher),
      ...callReport(outcome),
    },
    lines: [
      callLine('authenticate', outcome, session.style),
      ...(result === undefined ? [] : [`    ptn_sp  ${escapeControls(result.ptnSp)}`]),
      ...(ok
        ? [
            verdict(
              true,
              passcode === 'match'
                ? 'The passcode matches.'
                : 'Authenticated; the passcode was not checked.',
              session.style,
            ),
          ]
        : []),
    ],
    failure: ok ? undefined : passcodeFailure(diagnosis, outcome.candidates),
  };
}
