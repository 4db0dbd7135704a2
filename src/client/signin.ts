import { constantTimeEqual, decodeUtf8, encodeUtf8 } from '../bytes.ts';
import { type Cipher, formatCipher } from '../crypto/cipher.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import { Secret } from '../crypto/secret.ts';
import type { CipherCandidate } from '../diagnosis/cipher-identification.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import {
  diagnoseMismatch,
  diagnoseNoText,
  diagnoseOtherCipher,
  diagnoseUndecryptable,
} from '../diagnosis/passcode.ts';
import type { Diagnosis } from '../errors.ts';
import { authenticateUrl, tokenUrl } from '../protocol/endpoints.ts';
import { type AuthenticateResult, operations, type TokenResult } from '../protocol/operations.ts';
import { hasControls, quoted } from '../text.ts';
import { type CallOutcome, call, toWireRequest } from './call.ts';
import type { Transport } from './exchange.ts';

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

interface AuthenticateInput extends ServiceInput {
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

/** Exchanges `ptn_token` for an access token. */
export async function requestToken(transport: Transport, input: TokenInput): Promise<TokenOutcome> {
  const { authUrl, clientId, secretKey, ptnToken } = input;
  const fields = { clientId, secretKey: secretKey.reveal(), ptnToken: ptnToken.reveal() };
  const request = toWireRequest(tokenUrl(authUrl), operations.token.encodeRequest(fields));
  const outcome = await call(transport, request, operations.token.readResponse);
  const expected = input.expectedPtnCd;
  const named = outcome.result?.ptnCd;
  if (named === undefined || expected === undefined || named === expected) return outcome;
  const mismatch = diagnosis(
    'other-user',
    `The token is that of the user ${quoted(named, 64)}, not of ${quoted(expected, 64)}.`,
    'Check whose ptn_token was sent: each is for one user, and one from an earlier sign-in may be of another.',
  );
  return { ...outcome, ok: false, diagnosis: mismatch };
}

/** Authenticates with the access token, and checks the passcode that comes back. */
export async function authenticate(
  transport: Transport,
  input: AuthenticateInput,
): Promise<AuthenticateOutcome> {
  const { authUrl, clientId, secretKey, acsToken } = input;
  const fields = { clientId, secretKey: secretKey.reveal(), acsToken: acsToken.reveal() };
  const request = toWireRequest(
    authenticateUrl(authUrl),
    operations.authenticate.encodeRequest(fields),
  );
  const outcome = await call(transport, request, operations.authenticate.readResponse);
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

/** What became of `ptn_sp` (section 4.2.2 rule 1). */
type PasscodeVerdict = 'match' | 'mismatch' | 'undecryptable' | 'not-checked';

/** The key and passcode of a user, as far as they are known. */
export interface UserSecrets {
  readonly key?: Secret;
  /** The passcode that was stored at the registration. */
  readonly superPasscode?: Secret;
}

export interface PasscodeCheck {
  readonly passcode: PasscodeVerdict;
  /** What `ptn_sp` decrypts to under the configured cipher. */
  readonly plaintext?: Uint8Array;
  readonly diagnosis?: Diagnosis;
  /** Other ciphers under which it makes sense, best first. */
  readonly candidates?: readonly CipherCandidate[];
  readonly notes: readonly string[];
}

/**
 * Decrypts `ptn_sp` with the user's key and compares it with the stored passcode, in time that
 * depends on the lengths alone. Where it can't be decrypted, or gives something else, it is tried
 * under every other cipher, and one that fits is named.
 */
export async function checkPasscode(
  ptnSp: string,
  user: UserSecrets,
  cipher: Cipher,
): Promise<PasscodeCheck> {
  const { key, superPasscode } = user;
  const notChecked = { passcode: 'not-checked' } as const;
  if (key === undefined) {
    const note = 'No key is known for this user, so ptn_sp was not decrypted.';
    return { ...notChecked, notes: [note] };
  }
  const decrypted = decryptPayload(ptnSp, key.reveal(), cipher);
  const isReadable = decrypted.ok && isText(decrypted.plaintext);
  if (decrypted.ok && superPasscode !== undefined) {
    const { plaintext } = decrypted;
    const isEqual = constantTimeEqual(plaintext, encodeUtf8(superPasscode.reveal()));
    if (isEqual) return { passcode: 'match', plaintext, notes: [] };
  } else if (isReadable) {
    const note = 'No passcode is stored for this user, so the decrypted one was not compared.';
    return { ...notChecked, plaintext: decrypted.plaintext, notes: [note] };
  }
  const undecryptable = { passcode: 'undecryptable', notes: [] } as const;
  const candidates = await identify(ptnSp, key, superPasscode, cipher, isReadable);
  const [best] = candidates;
  if (best !== undefined) {
    const diagnosis = diagnoseOtherCipher(best.cipher, formatCipher(cipher));
    return { ...undecryptable, diagnosis, candidates };
  }
  if (!decrypted.ok) return { ...undecryptable, diagnosis: diagnoseUndecryptable(decrypted) };
  const { plaintext } = decrypted;
  return isReadable
    ? { passcode: 'mismatch', diagnosis: diagnoseMismatch(), plaintext, notes: [] }
    : { ...undecryptable, diagnosis: diagnoseNoText(), plaintext };
}

/** Ciphers without a check decrypt anything: what is not text was not made with this key. */
function isText(plaintext: Uint8Array): boolean {
  const text = decodeUtf8(plaintext);
  return text !== undefined && !hasControls(text);
}

/**
 * Other ciphers that fit: those that give back the stored passcode; where there are none, and the
 * set cipher gives no text either, those that give other text: for certain where a passcode is
 * stored (it should have been that one), likely where none is.
 */
async function identify(
  ptnSp: string,
  key: Secret,
  superPasscode: Secret | undefined,
  cipher: Cipher,
  isReadable: boolean,
): Promise<readonly CipherCandidate[]> {
  const { identifyCipher } = await import('../diagnosis/cipher-identification.ts');
  const set = formatCipher(cipher);
  const search = (knownPlaintext?: string) =>
    identifyCipher([ptnSp], key.reveal(), { knownPlaintext, kind: 'passcode' }).filter(
      (candidate) => candidate.cipher !== set,
    );
  if (superPasscode === undefined) {
    return search().filter(({ confidence }) => confidence !== 'possible');
  }
  const giving = search(superPasscode.reveal());
  if (giving.length > 0 || isReadable) return giving;
  return search().filter(({ confidence }) => confidence === 'certain');
}
