import { type Cipher, defaultCipher } from '../crypto/cipher.ts';
import { type Calls, type Diagnosis, isPayloadCode } from '../errors.ts';
import { decryptionCalls } from './decryption-calls.ts';
import { type ErrorCause, experiments } from './error-causes.ts';
import { describeSituation, type Sent } from './error-situations.ts';
import { type ErrorReading, readErrorText } from './error-text.ts';

/** A callback that failed, as far as its response shows it. */
interface FailedCallback extends Sent {
  /** The text of `message`, and that of the whole body. */
  readonly texts: readonly (string | undefined)[];
}

/**
 * The diagnosis of a failed callback whose status has a meaning of its own, or whose response quotes an error:
 * what that means, the likely cause, its fix and calls. Unchanged where nothing is recognised.
 */
export function diagnoseErrorText(failed: Diagnosis, callback: FailedCallback): Diagnosis {
  const { texts, ...sent } = callback;
  const readings = texts.map((text) => readErrorText(text ?? '', sent));
  const reading = readings.find((one) => one?.known) ?? readings.find((one) => one !== undefined);
  if (reading === undefined) return failed;
  const { situation, causes, confidence, type, stack, source, field, quote } = reading;
  const code = situation && causes.length > 0 && sent.cipher && describeSituation(situation).code;
  return {
    code: code || failed.code,
    message: [...new Set([...reported(reading, failed), tellCauses(reading)])].join(' ').trim(),
    hint: fixOf(reading) ?? failed.hint,
    calls: confidence === undefined ? {} : callsOfCause(causes[0], sent.cipher),
    confidence,
    evidence: {
      ...failed.evidence,
      ...(quote && { error_text: quote }),
      ...(situation && { situation }),
      ...(type && { error_type: type }),
      ...(source && { source }),
      ...(field && { field }),
      ...(stack && { stack }),
    },
  };
}

function reported({ quote, title, source }: ErrorReading, failed: Diagnosis): readonly string[] {
  if (quote === '') return [failed.message];
  const place = source === undefined ? '' : ` at ${source}`;
  const first = `The application reports "${quote}"${place}.`;
  return title === '' ? [failed.message, first] : [first, `${title}.`];
}

function tellCauses({ causes, confidence }: ErrorReading): string {
  const [first, second] = causes;
  if (second) return `Likely causes: 1. ${first?.cause} 2. ${second.cause}`;
  return confidence === 'likely' ? `Likely cause: ${first?.cause}` : (first?.cause ?? '');
}

/** The fix of the cause; of two, each with what shows it, unless that is beside the causes. */
export function fixOf({ causes, confidence }: ErrorReading, namesExperiments = true) {
  const [first, second] = causes;
  if (first === undefined || second === undefined) return first?.fix;
  const shown = ({ test }: ErrorCause) =>
    namesExperiments ? `, which ${experiments[test]} shows` : '';
  const ifFirst = confidence === undefined ? `If it is the first${shown(first)}: ` : '';
  return `${ifFirst}${first.fix} If it is the second${shown(second)}: ${second.fix}`;
}

/** The same without what its response seems to say, which the log or an experiment shows to be about something else. */
export function withoutWords(failed: Diagnosis): Diagnosis {
  const { situation, error_text: text, error_type, field, ...evidence } = failed.evidence ?? {};
  if (situation === undefined) return failed;
  const code = isPayloadCode(failed.code) ? 'code-not-success' : failed.code;
  const responds = text === undefined ? '' : ` "${text}"`;
  const message = `The application refuses the request${responds && `, and responds${responds}`}.`;
  return { code, message, hint: '', calls: {}, evidence };
}

/** The calls of a cause: those that decrypt are for `cipher`, by default the default one. */
export function callsOfCause(cause: ErrorCause | undefined, cipher?: Cipher): Calls {
  const { calls = {}, decryption } = cause ?? {};
  if (decryption === undefined) return calls;
  return decryptionCalls(cipher ?? defaultCipher, { decodes: decryption === 'of-text' });
}
