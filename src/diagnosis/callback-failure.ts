import { type Cipher, defaultCipher } from '../crypto/cipher.ts';
import type { Calls, Diagnosis } from '../errors.ts';
import { decryptionCalls } from './decryption-calls.ts';
import {
  type CallbackStep,
  type ErrorSituation,
  errorSituations,
  type LikelyCause,
  likelyCauses,
  type SituationId,
} from './error-situations.ts';
import { type RecognisedError, recogniseErrorText } from './error-text.ts';

/** A callback that failed, as far as its response shows it. */
interface FailedCallback {
  readonly step: CallbackStep;
  /** The text of `message`, and that of the whole body. */
  readonly texts: readonly (string | undefined)[];
  /** Of a registration, the cipher that its fields are encrypted under. */
  readonly cipher?: Cipher;
}

/**
 * The diagnosis of a failed callback whose response quotes a library's error: what that means, the
 * likeliest cause, the fix and the calls. Unchanged where no known error is in it.
 */
export function diagnoseErrorText(failed: Diagnosis, callback: FailedCallback): Diagnosis {
  const { texts, cipher } = callback;
  const found = texts.map((text) => text && recogniseErrorText(text)).find((error) => error);
  if (!found) return failed;
  const situation: ErrorSituation = errorSituations[found.situation];
  // Only a registration is decrypted: in a key exchange the same error is about something else.
  if (situation.code !== undefined && cipher === undefined) return failed;
  const likeliest = likeliestCause(situation, found, callback);
  const { cause, fix, calls = {} } = likeliest ?? {};
  return {
    code: situation.code ?? failed.code,
    message: `${reported(found.quote, situation)} ${found.detail ?? `Likely cause: ${cause}`}`,
    hint: fix ?? situation.fix,
    calls: fix === undefined ? situationCalls(situation, cipher) : calls,
    evidence: {
      ...failed.evidence,
      error_text: found.quote,
      situation: found.situation,
      ...(found.stack && { stack: found.stack }),
    },
  };
}

/** The cause that the text names, else the first that this callback can have. */
function likeliestCause(
  situation: ErrorSituation,
  { surroundings }: RecognisedError,
  { step }: FailedCallback,
): LikelyCause | undefined {
  const possible = likelyCauses(situation).filter((cause) => (cause.step ?? step) === step);
  return possible.find(({ names }) => names?.[step]?.test(surroundings)) ?? possible[0];
}

function reported(quote: string, { title }: ErrorSituation): string {
  return `The application reports "${quote}". ${title}.`;
}

/** The same without the likely cause, for one that was found by trying. */
export function withoutLikelyCause(failed: Diagnosis): Diagnosis {
  const { error_text: quote, situation } = failed.evidence ?? {};
  if (typeof quote !== 'string' || !isSituation(situation)) return failed;
  return { ...failed, message: reported(quote, errorSituations[situation]) };
}

function isSituation(id: unknown): id is SituationId {
  return typeof id === 'string' && Object.hasOwn(errorSituations, id);
}

/** The calls of a situation: those that decrypt are for `cipher`, by default the default one. */
export function situationCalls(
  { calls, decryption }: Pick<ErrorSituation, 'calls' | 'decryption'>,
  cipher?: Cipher,
): Calls {
  if (decryption === undefined || (cipher === undefined && calls !== undefined)) return calls ?? {};
  return decryptionCalls(cipher ?? defaultCipher, { decodes: decryption === 'of-text' });
}
