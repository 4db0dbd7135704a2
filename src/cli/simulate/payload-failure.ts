import type { CipherCandidate } from '../../diagnosis/cipher-readings.ts';
import type { Diagnosis } from '../../errors.ts';
import type { Failure } from '../failure.ts';

/** The command that sets the cipher of the profile. */
export function setCipherLine(cipher: string): string {
  return `authcli config set cipher '${cipher}'`;
}

/** If another cipher fits, the hint is the command that sets it. */
export function payloadFailure(diagnosis: Diagnosis, fittingCipher: string | undefined): Failure {
  if (fittingCipher === undefined) return diagnosis;
  const hint = `If the other side is right, set its cipher: \`${setCipherLine(fittingCipher)}\`.`;
  return { ...diagnosis, hint, next: { words: ['config', 'set', 'cipher', fittingCipher] } };
}

export function passcodeFailure(
  diagnosis: Diagnosis | undefined,
  candidates: readonly CipherCandidate[] | undefined,
): Failure | undefined {
  return diagnosis && payloadFailure(diagnosis, candidates?.[0]?.cipher);
}
