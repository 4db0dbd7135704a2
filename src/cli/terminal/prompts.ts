import { styleText } from 'node:util';
import { confirm, input, password, select } from '@inquirer/prompts';
import { AuthcliError } from '../../errors.ts';
import { fitLine, wrapText } from '../../reports/human.ts';
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

/** Prompts of @inquirer, escaped: what is asked and offered may come from files. */
export function createPrompts({ input: keyboard, output, signal }: Terminal): Prompts {
  const width = () => columnsOf({ isTerminal: true, columns: output.columns });
  /** Wrapped where words end, behind a mark or a cursor; one column is for the cursor of the terminal. */
  const wrapped = (text: string) =>
    wrapText(escapeLines(text), width() - indent.length - 1).join(`\n${indent}`);
  const ask = async <T>(question: (context: Context) => Promise<T>): Promise<T> => {
    const ending = new AbortController();
    // On Ctrl-D and at its end readline pauses the input, and the question would wait for ever.
    const end = (): void => ending.abort();
    keyboard.once('pause', end);
    try {
      const either = AbortSignal.any([signal, ending.signal]);
      return await question({ input: keyboard, output, signal: either });
    } catch (error) {
      throw signal.aborted ? signal.reason : translated(error);
    } finally {
      keyboard.off('pause', end);
    }
  };
  return {
    text: ({ message, fallback, hidden = false, check }) => {
      const validate = async (answer: string) => {
        const wrong = await check?.(answer);
        return wrong === undefined ? true : wrapped(wrong);
      };
      const question = { message: wrapped(message), validate };
      return ask((context) =>
        hidden
          ? password({ ...question, mask: false }, context)
          : input({ ...question, default: fallback, theme }, context),
      );
    },
    choose: ({ message, choices }) => {
      const shown = choices.map(({ value, label, about }) => ({
        value,
        name: wrapped(label),
        description: about && wrapped(about),
      }));
      const question = { message: wrapped(message), loop: false };
      return ask((context) => select({ ...question, choices: shown }, context));
    },
    confirm: ({ message, fallback }) =>
      ask((context) => confirm({ message: wrapped(message), default: fallback }, context)),
    say: (text) => output.write(`${fitLine(terminalText(text), width()).join('\n')}\n`),
  };
}

const indent = '  ';

type Context = NonNullable<Parameters<typeof input>[1]>;

const theme = {
  style: {
    answer: (text: string) => styleText('cyan', escapeControls(text)),
    defaultAnswer: (text: string) => styleText('dim', `(${escapeControls(text)})`),
  },
};

function translated(error: unknown): unknown {
  const names = ['ExitPromptError', 'AbortPromptError', 'CancelPromptError'];
  if (!(error instanceof Error) || !names.includes(error.name)) return error;
  return new AuthcliError('interrupted', 'Interrupted.', { cause: error });
}
