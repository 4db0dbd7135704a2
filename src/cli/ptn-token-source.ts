import type { Secret } from '../crypto/secret.ts';
import { issuePtnToken } from '../emulator/ptn-token.ts';
import { usage } from './hints.ts';
import { splitWords } from './input.ts';
import type { Session } from './session.ts';

/** Where valid tokens come from; the first that is there counts. */
export interface PtnTokenOptions {
  /** Given ones; when they have run out, they are used again. */
  readonly ptnToken: readonly Secret[];
  /** A command line that prints a fresh one, run without a shell. */
  readonly ptnTokenCommand?: string | undefined;
  /** The user for whom the emulated service would take an issued one. */
  readonly ptnCd?: string | undefined;
  readonly clientId: string;
  readonly secretKey: Secret;
}

/** Gives a `ptn_token` at each call, a fresh one where it can. Throws `usage` where there is no source. */
export function ptnTokenSource(options: PtnTokenOptions, session: Session): () => Promise<string> {
  const { ptnToken, ptnTokenCommand, ptnCd } = options;
  if (ptnToken.length > 0) return inTurn(ptnToken);
  if (ptnTokenCommand !== undefined) return () => printed(ptnTokenCommand, session);
  if (ptnCd !== undefined) return async () => issued(ptnCd, options, session);
  throw usage(
    'verify-service needs a valid ptn_token.',
    'Give --ptn-token or --ptn-token-command; for the emulated service, --ptn-cd of a user who is signed up is enough.',
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

async function printed(line: string, { context, secrets }: Session): Promise<string> {
  const [command = '', ...args] = splitWords(line);
  const token = await context.firstLineOf(command, args).catch(() => '');
  secrets.add(token);
  secrets.nameVariable(token, 'AUTHCLI_PTN_TOKEN');
  if (token !== '') return token;
  throw usage(
    `--ptn-token-command: ${JSON.stringify(command)} failed or printed nothing.`,
    'It has to print a ptn_token on the first line of its standard output; there is no shell.',
  );
}

function issued(
  ptnCd: string,
  { clientId, secretKey }: PtnTokenOptions,
  { context, secrets }: Session,
): string {
  const { now, randomBytes } = context;
  const token = issuePtnToken(ptnCd, { clientId, secretKey }, { now: now(), randomBytes });
  secrets.add(token);
  secrets.nameVariable(token, 'AUTHCLI_PTN_TOKEN');
  return token;
}
