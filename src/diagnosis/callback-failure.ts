import { type Cipher, defaultCipher } from '../crypto/cipher.ts';
import type { Calls, Diagnosis } from '../errors.ts';
import { decryptionCalls } from './decryption-calls/index.ts';
import { type ErrorSituation, errorSituations } from './error-situations.ts';
import { type RecognisedError, recogniseErrorText } from './error-text.ts';

/** A callback that failed, as far as its response shows it. */
export interface FailedCallback {
  /** The text of `message`, and that of the whole body. */
  readonly texts: readonly (string | undefined)[];
  /** Of a registration, the cipher that its fields are encrypted under. */
  readonly cipher?: Cipher;
}

/**
 * The diagnosis of a failed callback whose response quotes a library's error: what that means, the
 * likeliest cause, the fix and the calls. Unchanged where no known error is in it.
 */
export function diagnoseErrorText(failed: Diagnosis, { texts, cipher }: FailedCallback): Diagnosis {
  const found = texts.map((text) => text && recogniseErrorText(text)).find((error) => error);
  if (!found) return failed;
  const situation: ErrorSituation = errorSituations[found.situation];
  // Only a registration is decrypted: in a key exchange the same error is about something else.
  if (situation.code !== undefined && cipher === undefined) return failed;
  return {
    code: situation.code ?? failed.code,
    message: messageOf(found, situation),
    hint: situation.fix,
    calls: situationCalls(situation, cipher),
    evidence: {
      ...failed.evidence,
      error_text: found.quote,
      situation: found.situation,
      ...(found.stack && { stack: found.stack }),
    },
  };
}

function messageOf({ quote, detail }: RecognisedError, { title, causes }: ErrorSituation): string {
  const seen = `The application reports "${quote}". ${title}.`;
  return `${seen} ${detail ?? `Likely cause: ${causes[0].cause}`}`;
}

/** The calls of a situation: those that decrypt are for `cipher`, by default the default one. */
export function situationCalls(
  { calls, decryption }: Pick<ErrorSituation, 'calls' | 'decryption'>,
  cipher?: Cipher,
): Calls {
  if (decryption === undefined || (cipher === undefined && calls !== undefined)) return calls ?? {};
  return decryptionCalls(cipher ?? defaultCipher, { decodes: decryption === 'of-text' });
}
