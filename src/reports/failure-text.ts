import { callLine, callLines } from '../diagnosis/diagnosis.ts';
import { type Calls, type Diagnosis, isDiagnosisCode, type Stack } from '../errors.ts';
import {
  asStarted,
  displayWidth,
  plainStyle,
  type Style,
  wrapCode,
  wrapCommand,
  wrapText,
} from './human.ts';

/*
 * How a failure is printed, everywhere in the command line; all of the policy is in this file.
 *
 *     error: what happened, one line, with the value
 *     cause: why, if known
 *     fix:   what to change
 *            Java: the call that does it right
 *     next:  one complete command
 *
 * - A diagnosis is a cause; any other failure is an error. Both appear where a command adds what it was doing.
 * - Of the calls, that of the user's language is printed. While it is not known, the two likeliest are, and
 *   where the others are. --verbose prints all of them.
 * - --quiet leaves out `next:`.
 * - A terminal gets lines that fit: text continues below itself, a command with a backslash, so that it can be
 *   pasted. A pipe gets each part on one line.
 * - Secrets are hidden before anything is wrapped: in two lines they are not found. Whoever calls this has escaped
 *   control characters.
 */

export interface FailureParts {
  readonly code: string;
  /** What was being done, or what could not be. */
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
  readonly fix: string;
  readonly calls?: Calls | undefined;
  /** Further findings, such as a weak key in a wrongly encrypted one. */
  readonly further?: readonly Diagnosis[] | undefined;
  readonly next?: string | undefined;
}

export type Detail = 'quiet' | 'normal' | 'verbose';

export interface FailureLook {
  readonly style: Style;
  /** In columns; infinite without a terminal. */
  readonly width: number;
  readonly detail: Detail;
  /** The language of the user's application, where it is known. */
  readonly stack?: Stack | undefined;
  /** Hides the secrets of the run. */
  readonly redact: (text: string) => string;
  /** How authcli was started: `authcli`, `npx authcli`. */
  readonly program: string;
  /** The command line that explains a code. */
  readonly explainLine: (code: string) => string;
}

/** The look of files and pipes. */
export const plainLook: FailureLook = {
  style: plainStyle,
  width: Number.POSITIVE_INFINITY,
  detail: 'normal',
  redact: (text) => text,
  program: 'authcli',
  explainLine: (code) => `authcli explain ${code}`,
};

const labelColumns = 'cause: '.length;

export function failureText(parts: FailureParts, look: FailureLook): string[] {
  const { style, detail } = look;
  const { error, cause, fix, further = [], next } = parts;
  return [
    ...labelled(style.bad('error:'), proseOf(error, look)),
    ...labelled(style.bold('cause:'), proseOf(cause, look)),
    ...labelled(style.bold('fix:'), [...proseOf(fix, look), ...callsOf(parts, look)]),
    ...further.flatMap((found) => furtherLines(found, look)),
    ...(detail === 'quiet' ? [] : labelled(style.accent('next:'), commandOf(next, look))),
  ];
}

function furtherLines({ code, message, hint, calls }: Diagnosis, look: FailureLook): string[] {
  return [
    ...labelled(look.style.bold('also:'), proseOf(message, look)),
    ...labelled(look.style.bold('fix:'), [
      ...proseOf(hint, look),
      ...callsOf({ code, calls }, look),
    ]),
  ];
}

/** The lines beside a label; no label without a line. */
function labelled(label: string, lines: readonly string[]): string[] {
  const pad = ' '.repeat(labelColumns - displayWidth(label));
  return lines.map((line, index) =>
    index === 0 ? `${label}${pad}${line}` : `${' '.repeat(labelColumns)}${line}`,
  );
}

function proseOf(text: string | undefined, { width, redact, program }: FailureLook): string[] {
  if (text === undefined || text === '') return [];
  return asStarted(redact(text), program)
    .split('\n')
    .flatMap((line) => wrapText(line, width - labelColumns));
}

function commandOf(text: string | undefined, { width }: FailureLook): string[] {
  return text === undefined ? [] : wrapCommand(text, width - labelColumns);
}

/** At most two languages by default. */
const fewCalls = 2;

/** The calls for the user's language, else the likeliest and where the others are. */
export function callsOf(
  { code, calls = {} }: Pick<FailureParts, 'code' | 'calls'>,
  { stack, detail, width, explainLine }: FailureLook,
): string[] {
  const inCode = (line: string): string[] => {
    const [first = '', ...rest] = wrapCode(line, width - labelColumns - 2);
    return [first, ...rest.map((part) => `  ${part}`)];
  };
  const all = callLines(calls);
  if (detail === 'verbose') return all.flatMap(inCode);
  const own = stack && calls[stack];
  if (stack !== undefined && own !== undefined) return inCode(callLine(stack, own));
  const others = all.length > fewCalls && isDiagnosisCode(code);
  return [
    ...all.slice(0, fewCalls).flatMap(inCode),
    ...(others ? wrapCommand(`other languages: ${explainLine(code)}`, width - labelColumns) : []),
  ];
}
