import type { CipherCandidate } from '../diagnosis/cipher-identification.ts';
import type { Diagnosis } from '../errors.ts';
import type { Failure } from './hints.ts';

/** The line that sets the cipher of the profile; it stands in the hint wherever another cipher fits. */
export function setCipherLine(cipher: string): string {
  return `authcli config set cipher '${cipher}'`;
}

/** The failure of a decryption: where another cipher fits, its hint says how to set it. */
export function payloadFailure(diagnosis: Diagnosis, fittingCipher: string | undefined): Failure {
  if (fittingCipher === undefined) return diagnosis;
  const hint = `If the other side is right, set its cipher:\n  ${setCipherLine(fittingCipher)}`;
  return { ...diagnosis, hint };
}

/** The failure of a passcode check, in the same way; undefined where there was none. */
export function passcodeFailure(
  diagnosis: Diagnosis | undefined,
  candidates: readonly CipherCandidate[] | undefined,
): Failure | undefined {
  return diagnosis && payloadFailure(diagnosis, candidates?.[0]?.cipher);
}
