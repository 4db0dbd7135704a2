import { issueToken } from '../../app/signin.ts';
import type { Check } from '../../conformance/check.ts';
import { selectChecks } from '../../conformance/selection.ts';
import { bindServiceChecks } from '../../conformance/service.ts';
import { serviceChecks } from '../../conformance/service-catalogue.ts';
import { Secret } from '../../crypto/secret.ts';
import { containsSecret } from '../../reports/redact.ts';
import { emulatedSecretKey } from '../args/flags.ts';
import { splitWords } from '../args/input.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { userSecrets } from '../signin/signin-flags.ts';
import { type Subject, unbound } from './verification.ts';
import type { VerifyServiceOptions } from './verify-flags.ts';

/** The service as the subject of a run. */
export function serviceSubject(options: VerifyServiceOptions, session: Session): Subject {
  const catalogue = options.list ? unbound(serviceChecks) : bound(options, session);
  return {
    command: 'verify-service',
    catalogue,
    select: (only) => selectChecks(catalogue, { ...options, ...(only && { check: only }) }),
    url: () => new URL(options.authUrl ?? ''),
  };
}

function bound(options: VerifyServiceOptions, session: Session): readonly Check[] {
  const { authUrl = '', ptnCd, expireTimeZone, expiryWait } = options;
  const { pause, signal } = session.context;
  const secretKey = options.secretKey ?? Secret.text(emulatedSecretKey);
  session.secrets.add(secretKey);
  session.secrets.show(ptnCd);
  return bindServiceChecks(serviceChecks, {
    authUrl,
    secretKey,
    ptnCd,
    nextPtnToken: ptnTokenSource({ ...options, secretKey }, session),
    foreignPtnToken: () => foreignPtnToken({ ...options, secretKey }, session),
    lookUpUser: (named) => userSecrets(named, options, session),
    contains: containsSecret,
    timeZone: expireTimeZone,
    longestWaitMs: expiryWait,
    pause: (durationMs) => pause(durationMs, signal),
  });
}

/** Sources of valid tokens, the first one given counts. */
type PtnTokenOptions = Pick<
  VerifyServiceOptions,
  'ptnToken' | 'ptnTokenCommand' | 'foreignPtnToken' | 'ptnCd' | 'clientId'
> & { readonly secretKey: Secret };

/** The given one; for the emulated service, whose tokens are issued here, one of an invented client. */
export function foreignPtnToken(options: PtnTokenOptions, session: Session): string | undefined {
  const { foreignPtnToken: given, ptnToken, ptnTokenCommand, ptnCd } = options;
  if (given !== undefined) return given.reveal();
  const isIssued = ptnToken.length === 0 && ptnTokenCommand === undefined;
  if (!isIssued || ptnCd === undefined) return undefined;
  return issueToken(
    { ...options, ptnCd, clientId: anotherClient },
    session.context,
    session.secrets,
  );
}

const anotherClient = 'authcli-another-client';

/** A `ptn_token` for each call. Throws `usage` without a source. */
function ptnTokenSource(options: PtnTokenOptions, session: Session): () => Promise<string> {
  const { ptnToken, ptnTokenCommand, ptnCd } = options;
  if (ptnToken.length > 0) return inTurn(ptnToken);
  if (ptnTokenCommand !== undefined) {
    return () => printedPtnToken(splitWords(ptnTokenCommand), session);
  }
  if (ptnCd !== undefined) return async () => issued(ptnCd, options, session);
  throw usage(
    'verify-service needs a valid ptn_token.',
    'Give --ptn-token or --ptn-token-command; for the emulated service, --ptn-cd of a signed-up user is enough.',
  );
}

function inTurn(tokens: readonly Secret[]): () => Promise<string> {
  let next = 0;
  return async () => {
    const token = tokens[next % tokens.length]?.reveal() ?? '';
    next += 1;
    return token;
  };
}

/** The first line that a program prints. Throws `usage` if it fails or prints nothing. */
export async function printedPtnToken(
  [command = '', ...args]: readonly string[],
  { context, secrets }: Session,
): Promise<string> {
  const token = await context.firstLineOf(command, args).catch(() => '');
  secrets.add(token);
  secrets.nameVariable(token, 'AUTHCLI_PTN_TOKEN');
  if (token !== '') return token;
  throw usage(
    `--ptn-token-command: ${JSON.stringify(command)} failed or printed nothing.`,
    'It must print a ptn_token on the first line of its standard output. It is run without a shell.',
  );
}

function issued(ptnCd: string, options: PtnTokenOptions, { context, secrets }: Session): string {
  const token = issueToken({ ...options, ptnCd }, context, secrets);
  secrets.nameVariable(token, 'AUTHCLI_PTN_TOKEN');
  return token;
}
