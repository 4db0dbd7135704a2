import {
  type Calls,
  type Diagnosis,
  type DiagnosisCode,
  type Evidence,
  type Stack,
  stacks,
} from '../errors.ts';

/** A certain diagnosis whose fix is particular to what was observed; {@link diagnose} has those of the catalogue. */
export function diagnosis(
  code: DiagnosisCode,
  message: string,
  hint: string,
  evidence?: Evidence,
): Diagnosis {
  return { code, confidence: 'certain', message, hint, calls: {}, ...(evidence && { evidence }) };
}

/** The same as a cause that is clearly ahead of others, but not proven. */
export function likely(found: Diagnosis): Diagnosis {
  return { ...found, confidence: 'likely' };
}

/** As they are shown. */
export const stackNames: Readonly<Record<Stack, string>> = {
  java: 'Java',
  kotlin: 'Kotlin',
  node: 'Node',
  python: 'Python',
  php: 'PHP',
  go: 'Go',
  csharp: '.NET',
  ruby: 'Ruby',
};

/** Each call once, in the order of the stacks, with the names of those that share it. */
export function stacksByCall(
  calls: Calls,
): readonly (readonly [call: string, names: readonly string[]])[] {
  const names = new Map<string, string[]>();
  for (const stack of stacks) {
    const call = calls[stack];
    if (call !== undefined) names.set(call, [...(names.get(call) ?? []), stackNames[stack]]);
  }
  return [...names];
}

/** A line for each call: "Java and Kotlin: f()". */
export function callLines(calls: Calls): readonly string[] {
  return stacksByCall(calls).map(([call, names]) => `${names.join(' and ')}: ${call}`);
}

/** "Java: f()" */
export function callLine(stack: Stack, call: string): string {
  return `${stackNames[stack]}: ${call}`;
}
