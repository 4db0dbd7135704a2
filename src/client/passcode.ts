import { constantTimeEqual, decodeUtf8, encodeUtf8 } from '../bytes.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import type { Secret } from '../crypto/secret.ts';
import type { CipherCandidate } from '../diagnosis/cipher-identification.ts';
import {
  diagnoseMismatch,
  diagnoseNoText,
  diagnoseOtherCipher,
  diagnoseUndecryptable,
} from '../diagnosis/passcode.ts';
import type { Diagnosis } from '../errors.ts';
import { hasControls } from '../text.ts';

/** What became of `ptn_sp` (section 4.2.2 rule 1). */
export type PasscodeVerdict = 'match' | 'mismatch' | 'undecryptable' | 'not-checked';

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
  if (user.key === undefined) {
    return notChecked('No key is known for this user, so ptn_sp was not decrypted.');
  }
  const decrypted = decryptPayload(ptnSp, user.key.reveal(), cipher);
  const verdict = decrypted.ok ? compare(decrypted.plaintext, user.superPasscode) : undefined;
  if (verdict !== undefined) return verdict;
  const isReadable = decrypted.ok && isText(decrypted.plaintext);
  const candidates = await identify(ptnSp, { ...user, key: user.key }, cipher, isReadable);
  const [best] = candidates;
  if (best !== undefined) {
    const diagnosis = diagnoseOtherCipher(best.cipher, formatCipher(cipher));
    return { passcode: 'undecryptable', diagnosis, candidates, notes: [] };
  }
  if (!decrypted.ok) {
    return { passcode: 'undecryptable', diagnosis: diagnoseUndecryptable(decrypted), notes: [] };
  }
  const { plaintext } = decrypted;
  return isReadable
    ? { passcode: 'mismatch', diagnosis: diagnoseMismatch(), plaintext, notes: [] }
    : { passcode: 'undecryptable', diagnosis: diagnoseNoText(), plaintext, notes: [] };
}

/** The verdict if the plaintext alone decides it. */
function compare(
  plaintext: Uint8Array,
  superPasscode: Secret | undefined,
): PasscodeCheck | undefined {
  if (superPasscode !== undefined) {
    const isEqual = constantTimeEqual(plaintext, encodeUtf8(superPasscode.reveal()));
    return isEqual ? { passcode: 'match', plaintext, notes: [] } : undefined;
  }
  if (!isText(plaintext)) return undefined;
  const note = 'No passcode is stored for this user, so the decrypted one was not compared.';
  return { ...notChecked(note), plaintext };
}

function notChecked(note: string): PasscodeCheck {
  return { passcode: 'not-checked', notes: [note] };
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
  { key, superPasscode }: UserSecrets & { readonly key: Secret },
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
