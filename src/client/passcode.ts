import { constantTimeEqual, decodeUtf8, encodeUtf8 } from '../bytes.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import { decryptPayload, type PayloadFailure } from '../crypto/payload-ciphers.ts';
import { diagnosis } from '../diagnosis/catalogue-entry.ts';
import type { CipherCandidate } from '../diagnosis/cipher-identification.ts';
import type { Diagnosis, DiagnosisCode } from '../errors.ts';

/** What became of `ptn_sp` (section 4.2.2 rule 1). */
export type PasscodeVerdict = 'match' | 'mismatch' | 'undecryptable' | 'not-checked';

/** What is known of a user here. */
export interface UserSecrets {
  /** The per-user key, plain. */
  readonly key?: string;
  /** The passcode that was stored at the registration. */
  readonly superPasscode?: string;
}

/** The verdict on an encrypted passcode. */
export interface PasscodeCheck {
  readonly passcode: PasscodeVerdict;
  /** What `ptn_sp` decrypts to, where it does under the cipher that is set. */
  readonly plaintext?: Uint8Array;
  /** Why it isn't a match. */
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
  const decrypted = decryptPayload(ptnSp, user.key, cipher);
  const verdict = decrypted.ok ? compare(decrypted.plaintext, user.superPasscode) : undefined;
  if (verdict !== undefined) return verdict;
  const isReadable = decrypted.ok && isText(decrypted.plaintext);
  const candidates = await identify(ptnSp, { ...user, key: user.key }, cipher, isReadable);
  const plaintext = decrypted.ok ? decrypted.plaintext : undefined;
  const [best] = candidates;
  if (best !== undefined) return wrong('undecryptable', otherCipher(best, cipher), { candidates });
  if (!decrypted.ok) return wrong('undecryptable', undecryptable(decrypted));
  if (!isReadable) return wrong('undecryptable', otherKey(), { plaintext });
  return wrong('mismatch', mismatch(), { plaintext });
}

/** The verdict where the plaintext alone decides it. */
function compare(
  plaintext: Uint8Array,
  superPasscode: string | undefined,
): PasscodeCheck | undefined {
  if (superPasscode !== undefined) {
    const isEqual = constantTimeEqual(plaintext, encodeUtf8(superPasscode));
    return isEqual ? { passcode: 'match', plaintext, notes: [] } : undefined;
  }
  if (!isText(plaintext)) return undefined;
  const note = 'No passcode is stored for this user, so the decrypted one was not compared.';
  return { ...notChecked(note), plaintext };
}

function notChecked(note: string): PasscodeCheck {
  return { passcode: 'not-checked', notes: [note] };
}

function wrong(
  passcode: PasscodeVerdict,
  failure: Diagnosis,
  seen: Pick<PasscodeCheck, 'plaintext' | 'candidates'> = {},
): PasscodeCheck {
  return { passcode, diagnosis: failure, ...seen, notes: [] };
}

/** Ciphers without a check decrypt anything: what is no text was not made with this key. */
function isText(plaintext: Uint8Array): boolean {
  const text = decodeUtf8(plaintext);
  return text !== undefined && !/\p{Cc}/u.test(text);
}

/**
 * Other ciphers that fit: those that give back the stored passcode; where there are none, and the
 * set cipher gives no text either, those that give other text: for certain where a passcode is
 * stored (it should have been that one), likely where none is.
 */
async function identify(
  ptnSp: string,
  { key, superPasscode }: UserSecrets & { readonly key: string },
  cipher: Cipher,
  isReadable: boolean,
): Promise<readonly CipherCandidate[]> {
  const { identifyCipher } = await import('../diagnosis/cipher-identification.ts');
  const set = formatCipher(cipher);
  const search = (knownPlaintext?: string) =>
    identifyCipher([ptnSp], key, { knownPlaintext, kind: 'passcode' }).filter(
      (candidate) => candidate.cipher !== set,
    );
  if (superPasscode === undefined) {
    return search().filter(({ confidence }) => confidence !== 'possible');
  }
  const giving = search(superPasscode);
  if (giving.length > 0 || isReadable) return giving;
  return search().filter(({ confidence }) => confidence === 'certain');
}

function otherCipher(best: CipherCandidate, cipher: Cipher): Diagnosis {
  return diagnosis(
    'cipher-mismatch',
    `ptn_sp is not encrypted with the cipher that is set, ${formatCipher(cipher)}; it makes sense under ${best.cipher}.`,
    `Set the cipher to ${best.cipher}`,
  );
}

const codeOf: Readonly<Record<PayloadFailure, DiagnosisCode>> = {
  'payload-encoding': 'payload-encoding',
  'payload-length': 'payload-encoding',
  'salt-missing': 'cipher-mismatch',
  'key-unusable': 'cipher-mismatch',
  'bad-padding': 'bad-padding',
  'bad-tag': 'bad-tag',
};

function undecryptable({ failure, detail }: { failure: PayloadFailure; detail: string }) {
  return diagnosis(
    codeOf[failure],
    `ptn_sp can't be decrypted with the key of this user: ${detail}.`,
    'Either it was encrypted with another key, such as one that a later key exchange replaced, or with a cipher that is not known here.',
  );
}

function otherKey(): Diagnosis {
  return diagnosis(
    'wrong-key',
    'ptn_sp decrypts to no text: it was encrypted with another key, or another cipher.',
    "Look whether the key was replaced by a later key exchange, and check the cipher's setting.",
  );
}

function mismatch(): Diagnosis {
  return diagnosis(
    'passcode-mismatch',
    'ptn_sp decrypts to another passcode than the one that was stored at the registration.',
    'Look whether the user registered again since, and whether the stored passcode is that of this user.',
  );
}
