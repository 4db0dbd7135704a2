import type { ChoiceQuestion, Prompts, TextQuestion } from '../../src/cli/terminal/prompts.ts';

/** A user who answers questions in a test, and the questions. */
export interface ScriptedUser extends Prompts {
  /** Every question as it was shown, refusals as `> why`, lines between them as they are. */
  readonly seen: readonly string[];
  /** The questions whose answer was not shown. */
  readonly unseen: readonly string[];
}

/** Answers in order: a text, the value of a choice, yes or no, or an error for a key such as Ctrl-C. */
export function scriptedUser(answers: readonly (string | boolean | Error)[]): ScriptedUser {
  const left = [...answers];
  const seen: string[] = [];
  const unseen: string[] = [];
  const next = (message: string): string | boolean => {
    seen.push(message);
    const answer = left.shift();
    if (answer === undefined) throw new Error(`no answer to ${message}`);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return {
    seen,
    unseen,
    text: async ({ message, fallback = '', hidden, check }: TextQuestion) => {
      if (hidden === true) unseen.push(message);
      for (;;) {
        const answer = String(next(message)) || fallback;
        const wrong = await check?.(answer);
        if (wrong === undefined) return answer;
        seen.push(`> ${wrong}`);
      }
    },
    choose: async <Value extends string>({ message, choices }: ChoiceQuestion<Value>) => {
      const answer = next(`${message} ${choices.map(({ value }) => value).join('|')}`);
      const found = choices.find(({ value }) => value === answer);
      if (found === undefined) throw new Error(`${String(answer)} is no choice of ${message}`);
      return found.value;
    },
    confirm: async ({ message, fallback }) => {
      const answer = next(message);
      return answer === '' ? fallback : answer === true;
    },
    say: (text) => {
      seen.push(text);
    },
  };
}
