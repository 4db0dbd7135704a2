import type { Calls, CatalogueEntry, Language } from './catalogue-entry.ts';

/** The stacks by the name people know them by. */
export const languageNames: Readonly<Record<Language, string>> = {
  java: 'Java',
  kotlin: 'Kotlin',
  node: 'Node',
  python: 'Python',
  php: 'PHP',
  go: 'Go',
  csharp: '.NET',
  ruby: 'Ruby',
};

/** The instruction of an entry and, where it has calls, the right call of each stack, in one line. */
export function hintOf({ mend, calls }: CatalogueEntry): string {
  return calls === undefined ? mend : `${mend} ${callsLine(calls)}`;
}

/** The right calls with the stacks they are for, stacks with the same call together: "Java and Kotlin". */
export function callsByStacks(calls: Calls): readonly (readonly [stacks: string, call: string])[] {
  const stacks = new Map<string, string[]>();
  for (const [language, name] of Object.entries(languageNames)) {
    const call = calls[language as Language];
    if (call !== undefined) stacks.set(call, [...(stacks.get(call) ?? []), name]);
  }
  return [...stacks].map(([call, names]) => [names.join(' and '), call]);
}

/** "Java and Kotlin: `…`; Node: `…`" */
function callsLine(calls: Calls): string {
  const parts = callsByStacks(calls).map(([stacks, call]) => `${stacks}: ${call}`);
  return `${parts.join('; ')}.`;
}

const stack = Object.values(languageNames).join('|').replaceAll('.', '\\.');
const callStart = new RegExp(`(?:(?<=[.:]) |; )(?=(?:${stack})(?: and (?:${stack}))*: )`);

/**
 * A hint of {@link hintOf} for people to read: the instruction, and below it each call in a line of
 * its own, set in by two spaces. A hint without calls is one line.
 */
export function hintLines(hint: string): readonly string[] {
  const [mend = '', ...calls] = hint.split(callStart);
  return [
    mend,
    ...calls.map((call, at) => `  ${at < calls.length - 1 ? call : call.replace(/\.$/, '')}`),
  ];
}
