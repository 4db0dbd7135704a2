import { AuthcliError } from '../errors.ts';
import { type Flag, flagName, isPositional } from './options.ts';
import type { Prompts } from './questions.ts';

/**
 * Asks for the value of a flag until it can be read; gives what `read` made of it.
 *
 * @param read as it reads a value of the command line: references, @FILE and checks. Throws
 *   AuthcliError `usage`, whose words are shown before the question is put again
 */
export async function askForFlag(
  flag: Flag<unknown>,
  prompts: Prompts,
  read: (text: string) => Promise<unknown>,
): Promise<unknown> {
  const name = isPositional(flag) ? flag.syntax : `--${flagName(flag)}`;
  const message = `${flag.about} (${name}):`;
  let value: unknown;
  let bug: unknown;
  const check = async (answer: string): Promise<string | undefined> => {
    if (answer === '') return 'A value is needed.';
    try {
      value = await read(answer);
      return undefined;
    } catch (error) {
      if (!(error instanceof AuthcliError) || error.code !== 'usage') {
        bug = error; // thrown once the question is off the screen
        return undefined;
      }
      return `${error.message} ${error.hint}`.trim();
    }
  };
  if (flag.choices === undefined) await prompts.text({ message, hidden: flag.secret, check });
  else await check(await prompts.choose({ message, choices: flag.choices.map(choiceOf) }));
  if (bug !== undefined) throw bug;
  return value;
}

function choiceOf(word: string) {
  return { value: word, label: word };
}
