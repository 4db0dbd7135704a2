import type { Cipher } from '../crypto/cipher.ts';
import { briefCipher, formatCipher } from '../crypto/cipher-notation.ts';
import type { Diagnosis } from '../errors.ts';
import { shellWord } from '../text.ts';
import type { ProbeVerdict } from './cipher-probe.ts';
import { decryptionCalls } from './decryption-calls/index.ts';

/** The cipher that authcli encrypts with, and where it comes from, such as "profile default". */
export interface ConfiguredCipher {
  readonly cipher: Cipher;
  readonly origin?: string | undefined;
}

/**
 * Weighs what a probe found against the cipher that is configured: which of the two sides to change
 * only the service's specification says, so both fixes are given, that of the application first.
 *
 * @returns undefined where the application accepts the configured cipher; the probe's own diagnosis
 *   where it found none; else `cipher-mismatch`, with the calls by stack that decrypt the configured
 *   cipher, and `evidence.cipher` (configured) and `evidence.fitting_cipher` (the application's)
 */
export function diagnoseProbedCipher(
  { cipher, accepted, diagnosis }: Pick<ProbeVerdict, 'cipher' | 'accepted' | 'diagnosis'>,
  { cipher: configured, origin }: ConfiguredCipher,
): Diagnosis | undefined {
  if (cipher === undefined) return diagnosis;
  const sent = formatCipher(configured);
  if (accepted.some((other) => formatCipher(other) === sent)) return undefined;
  const [theirs, ours] = [briefCipher(cipher, configured), briefCipher(configured, cipher)];
  const sender = origin === undefined ? 'authcli' : `authcli (${origin})`;
  const decodes = cipher.encoding !== configured.encoding || configured.encoding !== 'base64';
  return {
    code: 'cipher-mismatch',
    message: `The application decrypts ${theirs}; ${sender} sends ${ours}.`,
    hint: `If the service specifies ${ours}, change the application to decrypt it. If ${theirs} is right: \`authcli config set cipher ${shellWord(theirs)}\`.`,
    calls: decryptionCalls(configured, { decodes }),
    evidence: { cipher: sent, fitting_cipher: formatCipher(cipher) },
  };
}
