import { type Cipher, defaultCipher, formatCipher } from '../../crypto/cipher.ts';
import { callsOfCause, fixOf } from '../../diagnosis/callback-failure.ts';
import { type CauseId, errorCauses } from '../../diagnosis/error-causes.ts';
import { describeSituation } from '../../diagnosis/error-situations.ts';
import { type ErrorReading, fieldIn, readErrorText } from '../../diagnosis/error-text.ts';
import { hintOfStatus } from '../../diagnosis/http-status.ts';
import type { Calls } from '../../errors.ts';
import type { Explanation, LikelyCauseText } from '../../reports/explanation.ts';
import { excerptOf } from '../../text.ts';
import type { Session } from '../session.ts';
import { widthOf } from '../terminal/style.ts';
import { testCommands } from './texts.ts';

/**
 * What an error text or a line of a stack trace means; undefined if it shows no error. Calls that decrypt are those
 * of `cipher`.
 */
export function explainErrorText(text: string, cipher: Cipher): Explanation | undefined {
  const isDefault = formatCipher(cipher) === formatCipher(defaultCipher);
  const status = statusIn(text);
  const reading = readErrorText(text, { status, ...(isDefault ? {} : { cipher }) });
  return reading && explanationOf(reading, text, cipher);
}

/** What is certain of a text in which nothing is recognised. */
export function explainUnknownText(text: string, cipher: Cipher): Explanation {
  return explanationOf({ title: '', quote: '', causes: [] }, text, cipher);
}

function explanationOf(reading: ErrorReading, text: string, cipher: Cipher): Explanation {
  const { situation, title, quote, causes, confidence } = reading;
  return {
    code: quote || excerptOf(text.trim(), 160),
    kind: 'error text',
    title: title || 'authcli does not know this error',
    meaning: meaningOf(reading, text),
    causes: causes.map(({ cause, test }) => ({ cause, command: testCommands[test] })),
    fix: fixOf(reading, false) ?? unknownFix,
    calls: confidence === undefined ? {} : callsFor(reading, callsOfCause(causes[0], cipher)),
    section: situation && describeSituation(situation).section,
  };
}

const unknownFix =
  'Read what the application logs at that time, which `authcli simulate-signup --url URL --app-log FILE` shows beside the failure. With --probe instead, it tries what the application accepts.';

/** What is certain of it, beyond what it says itself. */
function meaningOf({ field, type, source, quote, causes }: ErrorReading, text: string): string {
  const status = causes.length > 0 ? undefined : statusIn(text);
  const hint = status && hintOfStatus(status);
  const about = field ?? (causes.length > 0 ? undefined : fieldIn(text));
  return [
    type && !quote.includes(type) && `The exception is ${type}.`,
    status && `The HTTP status is ${status}${hint ? `. ${hint}` : '.'}`,
    source && `It comes from ${source}.`,
    about && !quote.includes(about) && `It is about ${about}.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** The HTTP status that an error response repeats in its body. */
function statusIn(text: string): number | undefined {
  const [, status] = /"status(?:_?code)?" ?: ?"?([45]\d\d)\b/i.exec(text) ?? [];
  return status === undefined ? undefined : Number(status);
}

/** Causes by their ids, with the command that shows each. */
export function causesOf(...ids: readonly CauseId[]): readonly LikelyCauseText[] {
  return ids.map((id) => ({
    cause: errorCauses[id].cause.replace(/\{\w+\}/g, ''),
    command: testCommands[errorCauses[id].test],
  }));
}

/** In the language of the text, where it names one. */
function callsFor({ stack }: ErrorReading, calls: Calls): Calls {
  const call = stack && calls[stack];
  return stack === undefined || call === undefined ? calls : { [stack]: call };
}

/** How explanations are printed: the calls in the user's language alone, unless --verbose asks for all. */
export async function explanationLook(session: Session) {
  await session.readStack();
  const { style, context } = session;
  return session.failureLook(style, widthOf(context.stdout));
}
