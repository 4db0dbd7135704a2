import { nearest } from '../suggest.ts';
import type { CommandEntry } from './command.ts';
import { globalFlags } from './global-flags.ts';
import { usage } from './hints.ts';
import { flagName, takesValue } from './options.ts';

/** A command line taken apart: which command is meant, and what is said to it. */
export interface CommandLine {
  /** The command's words as given, also when they name none. */
  readonly words: readonly string[];
  /** Everything else before `--`. */
  readonly rest: readonly string[];
  /** What stands behind `--`; undefined without one. */
  readonly behind: readonly string[] | undefined;
}

const globalValueFlags = new Set(
  Object.values(globalFlags)
    .filter((flag) => takesValue(flag))
    .map((flag) => `--${flagName(flag)}`),
);
const globalNames = new Set(Object.values(globalFlags).map((flag) => `--${flagName(flag)}`));

/** Finds the words of the command among the options that may stand before or between them. */
export function splitCommandLine(
  argv: readonly string[],
  commands: readonly Pick<CommandEntry, 'path'>[],
): CommandLine {
  const end = argv.indexOf('--');
  const front = end === -1 ? argv : argv.slice(0, end);
  const wordAt = commandWords(front, commands);
  return {
    words: wordAt.map((index) => front[index] ?? ''),
    rest: front.filter((_, index) => !wordAt.includes(index)),
    behind: end === -1 ? undefined : argv.slice(end + 1),
  };
}

function commandWords(
  front: readonly string[],
  commands: readonly Pick<CommandEntry, 'path'>[],
): number[] {
  const found: number[] = [];
  let path = '';
  for (let index = 0; index < front.length; index += 1) {
    const token = front[index] ?? '';
    if (globalValueFlags.has(token)) index += 1;
    else if (token.startsWith('-') && token !== '-') {
      if (!globalNames.has(token.replace(/=.*$/s, '')) && found.length > 0) break;
    } else {
      const longer = path === '' ? token : `${path} ${token}`;
      const leads = commands.some((entry) => `${entry.path} `.startsWith(`${longer} `));
      const inGroup = path !== '' && !commands.some((entry) => entry.path === path);
      if (!leads && path !== '' && !inGroup) break;
      found.push(index);
      path = longer;
      if (!leads) break;
    }
  }
  return found;
}

/** The command that the words name. Throws `usage` with what is near, or with the members of a group. */
export function findCommand(
  words: readonly string[],
  commands: readonly CommandEntry[],
): CommandEntry {
  const path = words.join(' ');
  const found = commands.find((entry) => entry.path === path);
  if (found !== undefined) return found;
  const members = commands.filter((entry) => entry.path.startsWith(`${path} `));
  if (members.length > 0) {
    throw usage(
      `${path} needs a command.`,
      `One of: ${members.map((entry) => entry.path).join(', ')}.`,
    );
  }
  const near = nearest(
    path,
    commands.map((entry) => entry.path),
  );
  throw usage(
    `There is no command ${JSON.stringify(path)}.`,
    near === undefined
      ? '`authcli --help` lists the commands and the topics of help.'
      : `Did you mean ${near}?`,
  );
}
