import { type Cipher, defaultCipher } from '../../crypto/cipher.ts';
import { formatCipher } from '../../crypto/cipher-notation.ts';
import { callsOfCause, fixOf } from '../../diagnosis/callback-failure.ts';
import { stackNames } from '../../diagnosis/diagnosis.ts';
import { type CauseId, errorCauses } from '../../diagnosis/error-causes.ts';
import { describeSituation } from '../../diagnosis/error-situations.ts';
import { type ErrorReading, readErrorText } from '../../diagnosis/error-text.ts';
import type { Calls } from '../../errors.ts';
import type { Explanation, LikelyCauseText } from '../../reports/explanation.ts';
import type { Session } from '../session.ts';
import { widthOf } from '../terminal/style.ts';
import { testCommands } from './texts.ts';

/**
 * What the error of a library means, by its text or a line of a stack trace; undefined if it shows none. Calls
 * that decrypt are those of `cipher`.
 */
export function explainErrorText(text: string, cipher: Cipher): Explanation | undefined {
  const isDefault = formatCipher(cipher) === formatCipher(defaultCipher);
  const reading = readErrorText(text, isDefault ? {} : { cipher });
  if (reading === undefined) return undefined;
  const { situation, title, quote, causes, confidence } = reading;
  return {
    code: quote,
    kind: 'error text',
    title: title || 'An error that authcli does not know',
    meaning: meaningOf(reading),
    recognised: originOf(reading),
    causes: causes.map(({ cause, test }) => ({ cause, command: testCommands[test] })),
    fix: fixOf(reading, false) ?? unknownFix,
    calls: confidence === undefined ? {} : callsFor(reading, callsOfCause(causes[0], cipher)),
    ...(situation && { section: describeSituation(situation).section }),
  };
}

const unknownFix =
  'Read the line of the application that the trace names; `authcli simulate-signup --url URL --trace` shows the request that it got.';

/** What is certain of it. */
function meaningOf({ field, type, source, causes, confidence }: ErrorReading): string {
  const sure = {
    certain: 'The words can mean nothing else.',
    likely: 'One cause is ahead of others.',
  };
  return [
    type && `The exception is ${type}.`,
    source && `The application's own frame is ${source}.`,
    field && `It is about ${field}.`,
    confidence ? sure[confidence] : causes.length > 0 && 'The commands tell the causes apart.',
    causes.length === 0 && 'The text alone does not show the cause.',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Causes by their ids, with the command that shows each. */
export function causesOf(...ids: readonly CauseId[]): readonly LikelyCauseText[] {
  return ids.map((id) => ({
    cause: errorCauses[id].cause.replace(/\{\w+\}/g, ''),
    command: testCommands[errorCauses[id].test],
  }));
}

function originOf({ stack, known }: ErrorReading): string | undefined {
  if (known === undefined) return undefined;
  const from = stack === undefined ? 'a library that several languages use' : stackNames[stack];
  return `The text "${known.text}" is from ${from}. It is looked for in the message of a failed callback, and in its body.`;
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
  const look = session.failureLook(style, widthOf(context.stdout));
  return { ...look, stack: look.detail === 'verbose' ? undefined : look.stack };
}
