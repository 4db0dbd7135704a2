import { type Cipher, defaultCipher } from '../../crypto/cipher.ts';
import { formatCipher } from '../../crypto/cipher-notation.ts';
import { situationCalls } from '../../diagnosis/callback-failure.ts';
import { stackNames } from '../../diagnosis/diagnosis.ts';
import {
  type ErrorSituation,
  errorSituations,
  likelyCauses,
  type SituationId,
} from '../../diagnosis/error-situations.ts';
import { type RecognisedError, recogniseErrorText } from '../../diagnosis/error-text.ts';
import type { Calls } from '../../errors.ts';
import type { Explanation, LikelyCauseText } from '../../reports/explanation.ts';
import type { Session } from '../session.ts';
import { widthOf } from '../terminal/style.ts';
import { testCommands } from './texts.ts';

/**
 * What the error of a library means, by its text or a line of a stack trace; undefined if unknown. Calls that
 * decrypt are those of `cipher`.
 */
export function explainErrorText(text: string, cipher: Cipher): Explanation | undefined {
  const found = recogniseErrorText(text);
  if (found === undefined) return undefined;
  const situation: ErrorSituation = errorSituations[found.situation];
  const { title, meaning, fix, section } = situation;
  const isDefault = formatCipher(cipher) === formatCipher(defaultCipher);
  return {
    code: found.quote,
    kind: 'error text',
    title,
    meaning: [meaning, found.detail].filter(Boolean).join(' '),
    recognised: `${originOf(found)} It is looked for in the message of a failed callback, and in its body.`,
    causes: causesOf(found.situation),
    fix,
    calls: callsFor(found, situationCalls(situation, isDefault ? undefined : cipher)),
    section,
  };
}

/** The causes of a situation, with the command that shows each. */
export function causesOf(id: SituationId): readonly LikelyCauseText[] {
  return likelyCauses(errorSituations[id]).map(({ cause, test }) => ({
    cause,
    command: testCommands[test],
  }));
}

function originOf({ stack, text }: RecognisedError): string {
  const from = stack === undefined ? 'a library that several languages use' : stackNames[stack];
  return `The text "${text}" is from ${from}.`;
}

/** In the language of the text, where it names one. */
function callsFor({ stack }: RecognisedError, calls: Calls): Calls {
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
