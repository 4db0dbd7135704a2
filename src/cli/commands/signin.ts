import { type SigninOutcome, signIn } from '../../client/signin.ts';
import { formatCipher } from '../../crypto/cipher-notation.ts';
import { callLine, callReport } from '../../reports/exchange.ts';
import { fields, verdict } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { openNetwork } from '../network.ts';
import type { OptionsOf } from '../options.ts';
import { passcodeFailure } from '../payload-failure.ts';
import type { Session } from '../session.ts';
import {
  expiryText,
  passcodeFlags,
  serviceFlags,
  tokenFlags,
  tokenReport,
  userSecrets,
} from '../signin-flags.ts';

const flags = { ...tokenFlags, ...passcodeFlags, ...serviceFlags } as const;

export const signin = defineCommand({
  path: 'signin',
  about:
    "Plays the application's server: exchanges the ptn_token for an access token, authenticates with it, decrypts the ptn_sp that comes back with the user's key and compares it with the stored passcode (1.3).",
  flags,
  examples: [
    {
      about: 'with a token from the client library',
      line: 'authcli signin --ptn-token - < ptn_token.txt',
    },
    {
      about: 'against the emulated service',
      line: 'authcli issue-ptn-token --ptn-cd alice | authcli signin --ptn-token - --auth-url http://127.0.0.1:8081',
    },
    {
      about: 'the verdict, for a script',
      line: 'authcli signin --ptn-token env:PTN_TOKEN --json | jq -r .passcode',
    },
  ],
  run: async (options, session) => {
    const { authUrl, clientId, secretKey, ptnToken, cipher } = options;
    const transport = await openNetwork(options, session);
    const progress = session.progress(`Signing in at ${authUrl}`);
    const outcome = await signIn(transport, {
      authUrl,
      clientId,
      secretKey,
      ptnToken,
      expectedPtnCd: options.ptnCd,
      cipher,
      lookUpUser: (ptnCd) => userSecrets(ptnCd, options, session),
    }).finally(() => progress.stop());
    const acsToken = outcome.token.result?.acsToken ?? '';
    session.secrets.add(acsToken);
    session.secrets.nameVariable(acsToken, 'AUTHCLI_ACS_TOKEN');
    return report(outcome, options, session);
  },
});

function report(
  outcome: SigninOutcome,
  options: OptionsOf<typeof flags>,
  session: Session,
): Outcome {
  const { token, authenticate, ptnCd, passcode, ok, diagnosis } = outcome;
  for (const note of [...token.notes, ...(authenticate?.notes ?? [])]) session.note(note);
  session.secrets.show(ptnCd);
  const { style } = session;
  return {
    fields: {
      ptn_cd: ptnCd === undefined ? null : reveal(ptnCd),
      token: tokenReport(token, options.expireTimeZone),
      authenticate: authenticate === undefined ? null : callReport(authenticate),
      passcode,
      cipher: formatCipher(options.cipher),
      ...(diagnosis && { diagnosis }),
    },
    lines: [
      `Sign-in at ${options.authUrl}`,
      callLine('token', token, style),
      ...(authenticate === undefined ? [] : [callLine('authenticate', authenticate, style)]),
      ...fields(
        [
          ['user', ptnCd === undefined ? undefined : escapeControls(ptnCd)],
          ['expires', expiryText(token, options.expireTimeZone, session)],
        ],
        style,
        '    ',
      ),
      ...(ok ? [verdict(true, successText(passcode), style)] : []),
    ],
    failure: ok ? undefined : passcodeFailure(outcome.diagnosis, outcome.candidates),
  };
}

function successText(passcode: SigninOutcome['passcode']): string {
  return passcode === 'match'
    ? 'The passcode matches: the user is signed in.'
    : 'The service authenticated the user; the passcode was not checked.';
}
