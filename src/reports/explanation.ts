import { type Calls, type Language, languages } from '../diagnosis/catalogue-entry.ts';
import { languageNames } from '../diagnosis/catalogue-hint.ts';
import { displayWidth, padEnd, type Style, wrapText } from './human.ts';

/** What kind of thing a code names. */
export type ExplanationKind = 'diagnosis' | 'error' | 'check' | 'emulator code';

/** What is known of one code; parts that it doesn't have are absent. */
export interface Explanation {
  readonly code: string;
  readonly kind: ExplanationKind;
  /** One line without a full stop. */
  readonly title: string;
  readonly meaning: string;
  /** What authcli looks at, and what it sees there. */
  readonly recognised?: string;
  /** What to change, as an instruction. */
  readonly mend: string;
  /** The right call per stack. */
  readonly calls?: Calls;
  readonly example?: string;
  /** The section of the interface: "2.2". */
  readonly section?: string;
  /** A command line that shows it. */
  readonly tryIt?: string;
}

/** An explanation for people, in lines of at most `width` columns. */
export function explanationLines(
  explanation: Explanation,
  { style, width }: { readonly style: Style; readonly width: number },
): string[] {
  const { code, kind, title, meaning, recognised, mend, calls = {}, example } = explanation;
  const place = explanation.section === undefined ? '' : `, section ${explanation.section}`;
  const part = (heading: string, text: string | undefined): string[] =>
    text === undefined ? [] : ['', style.bold(heading), ...hanging('  ', text, width)];
  return [
    `${style.accent(code)}  ${style.dim(`${kind}${place}`)}`,
    ...wrapText(`${title}.`, width).map(style.bold),
    '',
    ...wrapText(meaning, width),
    ...part('How it is recognised', recognised),
    ...part('What to change', mend),
    ...callLines(calls, { style, width }),
    ...part('For example', example),
    ...part('Try it', explanation.tryIt),
  ];
}

/** Each call behind the names of its stacks, stacks with the same call together. */
function callLines(
  calls: Calls,
  { style, width }: { readonly style: Style; readonly width: number },
): string[] {
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

/** Breaks code at spaces; a longer piece behind the last bracket, comma or dot that fits. */
function wrapCode(code: string, width: number): string[] {
  return wrapText(code, width).flatMap((line) => {
    const pieces: string[] = [];
    let rest = line;
    while (displayWidth(rest) > width) {
      const at = /^.*[(,.]/.exec(rest.slice(0, width))?.[0].length ?? width;
      pieces.push(rest.slice(0, at));
      rest = rest.slice(at);
    }
    return [...pieces, rest];
  });
}

/** The calls in the order of the languages, each with the names of the stacks that have it. */
export function stacksByCall(calls: Calls): readonly (readonly [string, readonly string[]])[] {
  const stacks = new Map<string, string[]>();
  for (const language of languages) {
    const call = calls[language satisfies Language];
    if (call === undefined) continue;
    stacks.set(call, [...(stacks.get(call) ?? []), languageNames[language]]);
  }
  return [...stacks];
}

function hanging(indent: string, text: string, width: number): string[] {
  return wrapText(text, width - indent.length).map((line) => indent + line);
}
