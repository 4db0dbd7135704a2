import type { Cipher } from '../crypto/cipher.ts';
import { Secret } from '../crypto/secret.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import type { Diagnosis } from '../errors.ts';
import {
  type AuthenticateResult,
  encodeAuthenticateRequest,
  readAuthenticateResponse,
} from '../protocol/authenticate.ts';
import { authenticateUrl, tokenUrl } from '../protocol/endpoints.ts';
import { encodeTokenRequest, readTokenResponse, type TokenResult } from '../protocol/token.ts';
import { excerptOf } from '../text.ts';
import type { CallOutcome } from './call.ts';
import { call, toWireRequest } from './call.ts';
import type { Transport, WireRequest } from './exchange.ts';
import { checkPasscode, type PasscodeCheck, type UserSecrets } from './passcode.ts';

/** The service, and who calls it; `secretKey` goes into bodies alone (section 5 rule 1). */
export interface ServiceInput {
  /** {auth_url}. */
  readonly authUrl: string;
  readonly clientId: string;
  readonly secretKey: Secret;
}

export interface TokenInput extends ServiceInput {
  readonly ptnToken: Secret;
  /** The user who should be signing in; another one is `other-user`. */
  readonly expectedPtnCd?: string;
}

export interface AuthenticateInput extends ServiceInput {
  readonly acsToken: Secret;
  readonly user: UserSecrets;
  readonly cipher: Cipher;
}

export interface SigninInput extends TokenInput {
  readonly cipher: Cipher;
  /** What is known here of the user that the service names. */
  readonly lookUpUser: (ptnCd: string) => UserSecrets | Promise<UserSecrets>;
}

export type TokenOutcome = CallOutcome<TokenResult>;

/** The second call, its passcode checked. */
export type AuthenticateOutcome = CallOutcome<AuthenticateResult> & PasscodeCheck;

/** A sign-in, possibly incomplete. */
export interface SigninOutcome extends Pick<PasscodeCheck, 'passcode' | 'candidates'> {
  readonly ok: boolean;
  /** The user that the service names. */
  readonly ptnCd?: string;
  readonly token: TokenOutcome;
  /** Absent when the first call failed: then it isn't sent. */
  readonly authenticate?: AuthenticateOutcome;
  readonly diagnosis?: Diagnosis;
}

/**
 * The token request as it is sent (section 4.2.1).
 * @throws AuthcliError `usage` for an invalid {auth_url}.
 */
export function tokenRequest({ authUrl, clientId, secretKey, ptnToken }: TokenInput): WireRequest {
  const fields = { clientId, secretKey: secretKey.reveal(), ptnToken: ptnToken.reveal() };
  return toWireRequest(tokenUrl(authUrl), encodeTokenRequest(fields));
}

/**
 * The authenticate request as it is sent (section 4.2.2).
 * @throws AuthcliError `usage` for an invalid {auth_url}.
 */
export function authenticateRequest(
  input: Omit<AuthenticateInput, 'user' | 'cipher'>,
): WireRequest {
  const { authUrl, clientId, secretKey, acsToken } = input;
  const fields = { clientId, secretKey: secretKey.reveal(), acsToken: acsToken.reveal() };
  return toWireRequest(authenticateUrl(authUrl), encodeAuthenticateRequest(fields));
}

/** Exchanges `ptn_token` for an access token. */
export async function requestToken(transport: Transport, input: TokenInput): Promise<TokenOutcome> {
  const outcome = await call(transport, tokenRequest(input), readTokenResponse);
  const expected = input.expectedPtnCd;
  const named = outcome.result?.ptnCd;
  if (named === undefined || expected === undefined || named === expected) return outcome;
  return { ...outcome, ok: false, diagnosis: otherUser(named, expected) };
}

function otherUser(named: string, expected: string): Diagnosis {
  return diagnosis(
    'other-user',
    `The token is that of the user "${excerptOf(named, 64)}", not of "${excerptOf(expected, 64)}".`,
    'Check whose ptn_token was sent: each is for one user, and one from an earlier sign-in may be of another.',
  );
}

/** Authenticates with the access token, and checks the passcode that comes back. */
export async function authenticate(
  transport: Transport,
  input: AuthenticateInput,
): Promise<AuthenticateOutcome> {
  const outcome = await call(transport, authenticateRequest(input), readAuthenticateResponse);
  if (outcome.result === undefined) {
    // ptn_sp is the only field whose text can be malformed
    const isMalformed = outcome.diagnosis?.code === 'field-malformed';
    return { ...outcome, passcode: isMalformed ? 'undecryptable' : 'not-checked' };
  }
  const check = await checkPasscode(outcome.result.ptnSp, input.user, input.cipher);
  return {
    ...outcome,
    ...check,
    ok: check.diagnosis === undefined,
    notes: [...outcome.notes, ...check.notes],
  };
}

/** Plays the application's server at a sign-in (section 1.3): both calls, the second only after the first. */
export async function signIn(transport: Transport, input: SigninInput): Promise<SigninOutcome> {
  const token = await requestToken(transport, input);
  const ptnCd = token.result?.ptnCd;
  if (!token.ok || token.result === undefined || ptnCd === undefined) {
    return { ok: false, ptnCd, token, passcode: 'not-checked', diagnosis: token.diagnosis };
  }
  const user = await input.lookUpUser(ptnCd);
  const acsToken = Secret.text(token.result.acsToken);
  const second = await authenticate(transport, { ...input, acsToken, user });
  const { ok, passcode, diagnosis: failure, candidates } = second;
  return { ok, ptnCd, token, authenticate: second, passcode, candidates, diagnosis: failure };
}
