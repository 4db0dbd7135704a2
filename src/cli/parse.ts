import { Argument, Command, CommanderError, Option } from 'commander';
import { usage } from './hints.ts';
import { type Flag, type Flags, flagName, isPositional, takesValue } from './options.ts';

/** The texts given on the command line, by option name. */
export type Given = ReadonlyMap<string, readonly string[]>;

/**
 * Reads `argv` (without the command's own words) against `flags`; the words of positional
 * arguments too. What is missing is left to the reader of options, which may find it elsewhere or
 * ask for it. Throws `usage` in commander's words, with its "did you mean".
 */
export function parseFlags(name: string, flags: Flags, argv: readonly string[]): Given {
  const given = new Map<string, string[]>();
  const command = new Command(name)
    .exitOverride()
    .helpOption(false)
    .configureOutput({
      writeErr: () => {},
      writeOut: () => {},
    });
  const positionals: string[] = [];
  for (const [key, flag] of Object.entries(flags)) {
    if (isPositional(flag)) {
      positionals.push(key);
      command.addArgument(new Argument(flag.syntax.replace(/^<(.*)>$/, '[$1]')));
    } else addOption(command, flag, (value) => given.set(key, [...(given.get(key) ?? []), value]));
  }
  command.action(() => {});
  try {
    command.parse([...argv], { from: 'user' });
  } catch (error) {
    throw translated(error);
  }
  positionals.forEach((key, index) => {
    const words = [command.processedArgs[index] ?? []].flat() as string[];
    if (words.length > 0) given.set(key, words);
  });
  return given;
}

function addOption(command: Command, flag: Flag<unknown>, take: (value: string) => void): void {
  command.addOption(new Option(flag.syntax, flag.about));
  command.on(`option:${flagName(flag)}`, (value: string | null) => {
    take(takesValue(flag) ? (value ?? '') : '');
  });
}

/** Commander's "error: … (Did you mean …?)" as one of ours. */
function translated(error: unknown): unknown {
  if (!(error instanceof CommanderError)) return error;
  const [message = '', ...hint] = error.message.replace(/^error: /, '').split('\n');
  const said = `${message.charAt(0).toUpperCase()}${message.slice(1)}`.replace(/\.?$/, '.');
  const near = hint.join(' ').replace(/^\((.*)\)$/, '$1');
  return usage(said, near === '' ? 'Add --help to see what the command takes.' : near);
}
