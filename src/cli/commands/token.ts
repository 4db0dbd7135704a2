import { requestToken, type TokenOutcome } from '../../client/signin.ts';
import { callReport } from '../../reports/exchange.ts';
import { fields } from '../../reports/human.ts';
import { type Revealed, reveal } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { openNetwork } from '../network.ts';
import type { Session } from '../session.ts';
import { expiryReport, expiryText, serviceFlags, tokenFlags } from '../signin-flags.ts';

export const token = defineCommand({
  path: 'token',
  about:
    'Exchanges a ptn_token for an access token (4.2.1) and prints it. The secret key goes into the body alone.',
  flags: { ...tokenFlags, ...serviceFlags },
  examples: [
    { about: 'the access token', line: 'authcli token --ptn-token - < ptn_token.txt' },
    {
      about: 'both halves of a sign-in',
      line: 'authcli token --ptn-token env:PTN_TOKEN --json | jq -r .acs_token | authcli authenticate --acs-token - --ptn-cd alice',
    },
    {
      about: 'when it expires',
      line: 'authcli token --ptn-token env:PTN_TOKEN --expire-time-zone Asia/Seoul --json | jq -r .expires_at',
    },
  ],
  run: async (options, session) => {
    const { authUrl, clientId, secretKey, ptnToken, ptnCd, expireTimeZone } = options;
    const transport = await openNetwork(options, session);
    const progress = session.progress(`Asking for a token at ${authUrl}`);
    const input = { authUrl, clientId, secretKey, ptnToken, expectedPtnCd: ptnCd };
    const outcome = await requestToken(transport, input).finally(() => progress.stop());
    session.secrets.add(outcome.reading?.seen.acsToken);
    return report(outcome, expireTimeZone, session);
  },
});

function report(outcome: TokenOutcome, timeZone: string | undefined, session: Session): Outcome {
  for (const note of outcome.notes) session.note(note);
  const { result, reading, ok, diagnosis } = outcome;
  const acsToken = result?.acsToken ?? reading?.seen.acsToken;
  const ptnCd = result?.ptnCd ?? reading?.seen.ptnCd;
  session.secrets.show(ptnCd);
  const shown = (text: string | undefined): Revealed | null =>
    text === undefined ? null : reveal(text);
  return {
    fields: {
      acs_token: shown(acsToken),
      ...expiryReport(outcome, timeZone),
      ptn_cd: shown(ptnCd),
      ...callReport(outcome),
    },
    lines:
      ok && acsToken !== undefined
        ? tokenLines(acsToken, ptnCd, expiryText(outcome, timeZone, session), session)
        : [],
    failure: ok ? undefined : diagnosis,
  };
}

/** A pipe gets the token alone; a person also sees whose it is and how long it is good. */
function tokenLines(
  acsToken: string,
  ptnCd: string | undefined,
  expires: string | undefined,
  session: Session,
) {
  const rows = [
    ['user', ptnCd === undefined ? undefined : escapeControls(ptnCd)],
    ['expires', expires],
  ] as const;
  return session.context.stdout.isTerminal
    ? [reveal(acsToken), ...fields(rows, session.style)]
    : [reveal(acsToken)];
}
