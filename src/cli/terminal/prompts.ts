import { confirm, input, password, select } from '@inquirer/prompts';
import { AuthcliError } from '../../errors.ts';
import { fitLine, marks, type Style, wrapText } from '../../reports/human.ts';
import { escapeControls, escapeLines } from '../../text.ts';
import { columnsOf, terminalText } from './style.ts';

export interface TextQuestion {
  readonly message: string;
  /** The answer of Enter alone; without it, an empty answer is checked. */
  readonly fallback?: string;
  readonly hidden?: boolean;
  /** Returns what is wrong with the answer; undefined if it is valid. */
  readonly check?: (answer: string) => Promise<string | undefined>;
}

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** Shown while the choice is highlighted. */
  readonly about?: string;
}

export interface ChoiceQuestion<Value extends string> {
  readonly message: string;
  readonly choices: readonly Choice<Value>[];
  readonly fallback?: NoInfer<Value>;
}

/**
 * Each rejects with AuthcliError `interrupted` on Ctrl-C or Ctrl-D, and with the reason of the run's signal
 * when that is aborted.
 */
export interface Prompts {
  text(question: TextQuestion): Promise<string>;
  choose<Value extends string>(question: ChoiceQuestion<Value>): Promise<Value>;
  confirm(question: { readonly message: string; readonly fallback: boolean }): Promise<boolean>;
  say(text: string): void;
}

interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Prompts of @inquirer in the colours and width of this terminal. */
export function createPrompts(terminal: Terminal, style: Style): Prompts {
  const { input: keyboard, output, signal } = terminal;
  const width = (): number => columnsOf({ isTerminal: true, columns: output.columns });
  const theme = themeOf(style, width);
  const ask = async <T>(question: (context: Context) => Promise<T>): Promise<T> => {
    const ending = new AbortController();
    const stopWatching = watchForEnd(keyboard, () => ending.abort());
    try {
      const either = AbortSignal.any([signal, ending.signal]);
      return await question({ input: keyboard, output, signal: either });
    } catch (error) {
      throw signal.aborted ? signal.reason : translated(error);
    } finally {
      stopWatching();
    }
  };
  return {
    text: ({ message, fallback, hidden = false, check }) => {
      const validate = async (answer: string) => (await check?.(answer)) ?? true;
      return ask((context) =>
        hidden
          ? password({ message, validate, theme, mask: false }, context)
          : input({ message, default: fallback, validate, theme }, context),
      );
    },
    choose: ({ message, choices, fallback }) => {
      const shown = choices.map(({ value, label, about }) => ({
        value,
        name: beside('  ', label, width()), // beside the cursor
        short: escapeControls(label),
        description: about && beside('', about, width()),
      }));
      const question = { message, choices: shown, default: fallback, loop: false, theme };
      return ask((context) => select(question, context));
    },
    confirm: ({ message, fallback }) =>
      ask((context) => confirm({ message, default: fallback, theme }, context)),
    say: (text) => output.write(`${fitLine(terminalText(text), width()).join('\n')}\n`),
  };
}

type Context = NonNullable<Parameters<typeof input>[1]>;

/** Wrapped behind `head`; one column is for the cursor. */
function beside(head: string, text: string, width: number): string {
  return wrapText(escapeLines(text), width - head.length - 1).join(`\n${' '.repeat(head.length)}`);
}

/**
 * Replaces the colours of the package, which ignore NO_COLOR. It passes more than the text to these
 * functions, and chalk would print all of it.
 */
function themeOf(style: Style, width: () => number) {
  const dim = (text: string) => style.dim(text);
  return {
    prefix: { idle: style.accent('?'), done: style.good(marks.good) },
    icon: { cursor: '❯' },
    spinner: { interval: 80, frames: ['-', '\\', '|', '/'].map(style.accent) },
    style: {
      answer: (text: string) => style.accent(escapeControls(text)),
      message: (text: string) => style.bold(beside('  ', text, width())),
      error: (text: string) => style.bad(`> ${beside('  ', text, width())}`),
      defaultAnswer: (text: string) => style.dim(`(${escapeControls(text)})`),
      highlight: (text: string) => style.accent(text),
      key: (text: string) => style.bold(text),
      help: dim,
      disabled: dim,
      description: dim,
      maskedText: '[input is not shown]',
      keysHelpTip: (keys: readonly [key: string, action: string][]) =>
        style.dim(keys.map(([key, action]) => `${key} ${action}`).join(', ')),
    },
  };
}

/** Calls `ended` on Ctrl-D on an empty line: readline closes without an event, and the question would wait for ever. */
function watchForEnd(keyboard: NodeJS.ReadStream, ended: () => void): () => void {
  const onKey = (_: unknown, key: { ctrl?: boolean; name?: string } | undefined): void => {
    if (key?.ctrl !== true || key.name !== 'd') return;
    setImmediate(() => {
      if (keyboard.isPaused()) ended();
    });
  };
  keyboard.on('keypress', onKey);
  keyboard.once('end', ended);
  return () => {
    keyboard.off('keypress', onKey);
    keyboard.off('end', ended);
  };
}

function translated(error: unknown): unknown {
  const names = ['ExitPromptError', 'AbortPromptError', 'CancelPromptError'];
  if (!(error instanceof Error) || !names.includes(error.name)) return error;
  return new AuthcliError('interrupted', 'Interrupted.', { cause: error });
}
