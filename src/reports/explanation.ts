import { stacksByCall } from '../diagnosis/diagnosis.ts';
import type { Calls } from '../errors.ts';
import type { FailureLook } from './failure-text.ts';
import {
  asStarted,
  commandAsStarted,
  displayWidth,
  hanging,
  padEnd,
  wrapCode,
  wrapText,
} from './human.ts';

export type ExplanationKind =
  | 'diagnosis'
  | 'error'
  | 'check'
  | 'emulator code'
  | 'error text'
  | 'field'
  | 'HTTP status'
  | 'exit status';

/** A likely cause, as a sentence, and the command that confirms or excludes it. */
export interface LikelyCauseText {
  readonly cause: string;
  readonly command: string;
}

export interface Explanation {
  readonly code: string;
  readonly kind: ExplanationKind;
  /** One line without a full stop. */
  readonly title: string;
  readonly meaning: string;
  readonly recognised?: string;
  /** The likeliest first. */
  readonly causes?: readonly LikelyCauseText[];
  readonly fix: string;
  readonly calls?: Calls;
  readonly example?: string;
  /** The section of the interface: "2.2". */
  readonly section?: string;
  /** A command line that shows it. */
  readonly tryIt?: string;
}

/** An explanation in lines of at most `width` columns, with the calls of one language, or of all. */
export function explanationLines(explanation: Explanation, look: FailureLook): string[] {
  const { style, width, stack, program } = look;
  const isWhole = look.detail === 'verbose';
  const { code, kind, title, meaning, recognised, fix, calls = {}, example } = explanation;
  const { causes = [], tryIt } = explanation;
  // An error text shows its language; where it shows none, no call is known to fit.
  const languages = Object.keys(calls).length;
  const own = !isWhole && stack && calls[stack] ? { [stack]: calls[stack] } : undefined;
  const isOpen = kind === 'error text' && !own && languages > 1 && !isWhole;
  // The example of what authcli finds in a peer is wrong code, not the fix.
  const isMistake = kind === 'diagnosis' || kind === 'check';
  const place = explanation.section === undefined ? '' : `, section ${explanation.section}`;
  const part = (heading: string, text: string | undefined): string[] =>
    text === undefined
      ? []
      : ['', style.bold(heading), ...hanging('  ', asStarted(text, program), width)];
  return [
    ...headingLines(code, `${kind}${place}`, look),
    ...wrapText(`${title}.`, width).map(style.bold),
    ...(meaning === '' ? [] : ['', ...wrapText(asStarted(meaning, program), width)]),
    ...part('How it is recognised', recognised),
    ...causeLines(causes, look),
    ...part(isMistake ? 'Typical mistake' : 'For example', example),
    ...part('What to change', fix),
    ...callLines(isOpen ? {} : (own ?? calls), look),
    ...(isOpen ? [`  --stack (${Object.keys(calls).join(', ')}) shows the call.`] : []),
    ...part('Try it', tryIt && commandAsStarted(tryIt, program)),
  ];
}

/** A long text, such as that of an error, has lines of its own. */
function headingLines(code: string, about: string, { style, width }: FailureLook): string[] {
  const fits = displayWidth(code) + displayWidth(about) + 2 <= width;
  if (fits) return [`${style.accent(code)}  ${style.dim(about)}`];
  return [...wrapText(code, width).map(style.accent), style.dim(about)];
}

/** The causes in their order, each with its command below. */
function causeLines(causes: readonly LikelyCauseText[], { style, width, program }: FailureLook) {
  if (causes.length === 0) return [];
  const lines = causes.flatMap(({ cause, command }, index) => [
    ...hanging(`  ${index + 1}. `, cause, width),
    `     ${style.accent(commandAsStarted(command, program))}`,
  ]);
  const heading = causes.length > 1 ? 'Likely causes, the likeliest first' : 'Likely cause';
  return ['', style.bold(heading), ...lines];
}

function callLines(calls: Calls, { style, width }: FailureLook): string[] {
  const rows = stacksByCall(calls).map(([call, names]) => [names.join(', '), call] as const);
  const column = Math.max(0, ...rows.map(([names]) => displayWidth(names)));
  return rows.flatMap(([names, call]) => {
    const [first = '', ...rest] = wrapCode(call, width - column - 6);
    const indent = ' '.repeat(column + 6);
    return [
      `    ${style.dim(padEnd(names, column))}  ${first}`,
      ...rest.map((line) => indent + line),
    ];
  });
}
