import type { Style } from '../reports/human.ts';

/** How questions are shown. */
export interface PromptLook {
  readonly style: Style;
  /** Whether the terminal shows more than ASCII. */
  readonly unicode: boolean;
}

/** A question that is answered with a line of text. */
export interface TextQuestion {
  readonly message: string;
  /** What Enter alone gives; without it, an empty answer is put to the check. */
  readonly fallback?: string;
  /** The answer is a secret: it is not shown while it is typed. */
  readonly hidden?: boolean;
  /** What is wrong with an answer, in a line or two; undefined if nothing is. */
  readonly check?: (answer: string) => Promise<string | undefined>;
}

/** One of the answers to choose from. */
export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** Shown while it is the one pointed at. */
  readonly about?: string;
}

/** A question with a few answers to choose from. */
export interface ChoiceQuestion<Value extends string> {
  readonly message: string;
  readonly choices: readonly Choice<Value>[];
  readonly fallback?: NoInfer<Value>;
}

/**
 * Ways to ask. Each rejects with AuthcliError `interrupted` on Ctrl-C or Ctrl-D, and with the
 * reason of the run's signal when that is aborted.
 */
export interface Prompts {
  text(question: TextQuestion): Promise<string>;
  choose<Value extends string>(question: ChoiceQuestion<Value>): Promise<Value>;
  confirm(question: { readonly message: string; readonly fallback: boolean }): Promise<boolean>;
  /** A line between the questions. */
  say(text: string): void;
}
