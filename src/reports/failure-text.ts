import { callLine, callLines } from '../diagnosis/diagnosis.ts';
import type { Calls, Diagnosis, Evidence, Stack } from '../errors.ts';
import { escapeControls } from '../text.ts';
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
 *     log:   what the application reported itself
 *     fix:   what to change
 *            Java: the call that does it right
 *     next:  one complete command
 *
 * - A diagnosis is a cause; any other failure is an error. Both appear where a command adds what it was doing.
 * - Of the calls, that of the user's language is printed; while nothing shows which it is, how to name it is.
 *   --verbose prints all of them. No line of code is printed twice in a run.
 * - --quiet leaves out `next:`.
 * - A terminal gets lines that fit: text continues below itself, a command with a backslash, so that it can be
 *   pasted. A pipe gets each part on one line.
 * - Secrets are hidden before anything is wrapped: in two lines they are not found. Whoever calls this has escaped
 *   control characters.
 */

export interface FailureParts {
  /** What was being done, or what could not be. */
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
  readonly fix: string;
  readonly calls?: Calls | undefined;
  readonly evidence?: Evidence | undefined;
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
  /** The language of the user's application, where there is evidence of it. */
  readonly stack?: Stack | undefined;
  /** How to name it, printed in place of the code while there is none. */
  readonly stackHint: string;
  /** The lines of code that this run has printed. */
  readonly printed: Set<string>;
  /** Hides the secrets of the run. */
  readonly redact: (text: string) => string;
  /** How authcli was started: `authcli`, `npx authcli`. */
  readonly program: string;
}

/** The look of texts for programs, who have no flags. */
export const plainLook = (stack?: Stack): FailureLook => ({
  style: plainStyle,
  width: Number.POSITIVE_INFINITY,
  detail: 'normal',
  stack,
  stackHint: '',
  printed: new Set(),
  redact: (text) => text,
  program: 'authcli',
});

const labelColumns = 'cause: '.length;

export function failureText(parts: FailureParts, look: FailureLook): string[] {
  const { style, detail } = look;
  const { error, cause, fix, further = [], next } = parts;
  return [
    ...labelled(style.bad('error:'), proseOf(error, look)),
    ...labelled(style.bold('cause:'), proseOf(cause, look)),
    ...labelled(style.bold('log:'), reportedOf(parts, look)),
    ...labelled(style.bold('fix:'), [...proseOf(fix, look), ...callsOf(parts.calls, look)]),
    ...further.flatMap(({ message, hint, calls }) => [
      ...labelled(style.bold('also:'), proseOf(message, look)),
      ...labelled(style.bold('fix:'), [...proseOf(hint, look), ...callsOf(calls, look)]),
    ]),
    ...(detail === 'quiet' || next === undefined
      ? []
      : labelled(style.accent('next:'), wrapCommand(next, look.width - labelColumns))),
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

/** Where the application failed, and the lines of its log; of others, so escaped here. */
function reportedOf({ evidence }: FailureParts, { width, redact }: FailureLook): string[] {
  const { source = [], log = [] } = evidence ?? {};
  return [source, log]
    .flat()
    .flatMap((line) => wrapText(escapeControls(redact(`${line}`)), width - labelColumns));
}

/** The call in the user's language; without one how to name it. What the run has printed is not repeated. */
export function callsOf(calls: Calls = {}, look: FailureLook): string[] {
  const { stack, stackHint, detail, width, printed } = look;
  const all = callLines(calls);
  const own = stack && calls[stack];
  const known = stack === undefined || own === undefined ? [] : [callLine(stack, own)];
  const isAsked = detail === 'verbose' || stack !== undefined || all.length === 0;
  const lines = detail === 'verbose' ? all : isAsked ? known : [stackHint];
  return lines
    .filter((line) => line !== '' && !printed.has(line) && printed.add(line))
    .flatMap((line) => {
      if (line === stackHint) return proseOf(line, look);
      const [first = '', ...rest] = wrapCode(line, width - labelColumns - 2);
      return [first, ...rest.map((part) => `  ${part}`)];
    });
}
