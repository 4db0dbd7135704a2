import confirm from '@inquirer/confirm';
import input from '@inquirer/input';
import password from '@inquirer/password';
import select from '@inquirer/select';
import { AuthcliError } from '../errors.ts';
import { fitLine, marks, wrapText } from '../reports/human.ts';
import type { ChoiceQuestion, PromptLook, Prompts, TextQuestion } from './questions.ts';
import { columnsOf } from './style.ts';

/** The keyboard, the screen, and what ends a question from outside. */
export interface PromptStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Asks on a terminal. The only place that knows the package that does it. */
export function createPrompts(
  { input: keyboard, output, signal }: PromptStreams,
  look: PromptLook,
): Prompts {
  const width = (): number => columnsOf({ isTerminal: true, columns: output.columns });
  const theme = themeOf(look, width);
  const ask = async <T>(question: (context: Context) => Promise<T>): Promise<T> => {
    const ending = new AbortController();
    const stopWatching = watchForEnd(keyboard, () => ending.abort());
    try {
      return await question({
        input: keyboard,
        output,
        signal: AbortSignal.any([signal, ending.signal]),
      });
    } catch (error) {
      throw signal.aborted ? signal.reason : translated(error);
    } finally {
      stopWatching();
    }
  };
  return {
    text: (question) => ask((context) => askText(question, theme, context)),
    choose: (question) => ask((context) => askChoice(fitted(question, width()), theme, context)),
    confirm: ({ message, fallback }) =>
      ask((context) => confirm({ message, default: fallback, theme }, context)),
    say: (text) => output.write(`${fitLine(text, width()).join('\n')}\n`),
  };
}

/** The choices in lines that end where words do, beside the mark of the one pointed at. */
function fitted<Value extends string>(
  question: ChoiceQuestion<Value>,
  width: number,
): ChoiceQuestion<Value> {
  const choices = question.choices.map((choice) => ({
    ...choice,
    label: beside('  ', choice.label, width),
    ...(choice.about !== undefined && { about: beside('', choice.about, width) }),
  }));
  return { ...question, choices };
}

/** The text behind `head`, further lines below each other; one column is the cursor's. */
function beside(head: string, text: string, width: number): string {
  return wrapText(text, width - head.length - 1).join(`\n${' '.repeat(head.length)}`);
}

type Context = NonNullable<Parameters<typeof input>[1]>;
type Theme = ReturnType<typeof themeOf>;

function askText(question: TextQuestion, theme: Theme, context: Context): Promise<string> {
  const { message, fallback, hidden, check } = question;
  const validate = async (answer: string): Promise<string | true> =>
    (await check?.(answer)) ?? true;
  return hidden === true
    ? password({ message, validate, theme, mask: false }, context)
    : input({ message, default: fallback, validate, theme }, context);
}

function askChoice<Value extends string>(
  { message, choices, fallback }: ChoiceQuestion<Value>,
  theme: Theme,
  context: Context,
): Promise<Value> {
  const shown = choices.map(({ value, label, about }) => ({
    value,
    name: label,
    short: label.replaceAll(/\n */g, ' '),
    ...(about === undefined ? {} : { description: about }),
  }));
  return select({ message, choices: shown, default: fallback, loop: false, theme }, context);
}

/**
 * The package colours by itself, also under NO_COLOR; our own style knows better. It hands more than
 * the text to these functions, and chalk would print all of it.
 */
function themeOf({ style, unicode }: PromptLook, width: () => number) {
  return {
    prefix: { idle: style.accent('?'), done: style.good(unicode ? marks.good : '+') },
    icon: { cursor: unicode ? '❯' : '>' },
    spinner: { interval: 80, frames: ['-', '\\', '|', '/'].map(style.accent) },
    style: {
      answer: (text: string) => style.accent(text),
      message: (text: string) => style.bold(beside('  ', text, width())),
      error: (text: string) => style.bad(`> ${beside('  ', text, width())}`),
      defaultAnswer: (text: string) => style.dim(`(${text})`),
      help: (text: string) => style.dim(text),
      highlight: (text: string) => style.accent(text),
      key: (text: string) => style.bold(text),
      disabled: (text: string) => style.dim(text),
      description: (text: string) => style.dim(text),
      maskedText: '[input is not shown]',
      keysHelpTip: (keys: readonly [key: string, action: string][]) =>
        style.dim(keys.map(([key, action]) => `${key} ${action}`).join(', ')),
    },
  };
}

/**
 * Calls `ended` when the keyboard has no more to give: Ctrl-D on an empty line makes readline close
 * without a word, and the question would wait for ever.
 */
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

/** Ctrl-C and Ctrl-D as an interruption; what else goes wrong as it is. */
function translated(error: unknown): unknown {
  const names = ['ExitPromptError', 'AbortPromptError', 'CancelPromptError'];
  if (!(error instanceof Error) || !names.includes(error.name)) return error;
  return new AuthcliError('interrupted', 'Interrupted.', { cause: error });
}
