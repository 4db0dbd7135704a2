import {
  type Flag,
  isPositional,
  placeholder,
  sourceName,
  takesValue,
  variableOf,
} from '../args/options.ts';
import { globalFlags, networkFlags } from '../args/shared-flags.ts';
import type { CommandDefinition, CommandEntry } from '../command.ts';
import { exitStatusMeanings, localStatusMeanings } from '../exit-status.ts';

/** A command as `commands --json` prints it; see schemas/commands-1.json. */
export type CommandDescription = ReturnType<typeof describe>;
export type ValueDescription = ReturnType<typeof describeValue>;
export type OptionDescription = ReturnType<typeof describeOption>;

/** Loads every command and describes it. */
export function describeCommands(
  commands: readonly CommandEntry[],
): Promise<readonly CommandDescription[]> {
  return Promise.all(commands.map(async (entry) => describe(entry, await entry.load())));
}

function describe({ summary }: CommandEntry, definition: CommandDefinition) {
  const { path, about, flags, exclusive = [], takesCommand = false } = definition;
  const { notes = [], examples } = definition;
  const all: Flag<unknown>[] = Object.values({ ...flags, ...globalFlags });
  return {
    name: path,
    summary,
    about,
    usage: `authcli ${path} ${synopsisOf(definition)}`,
    arguments: all.filter(isPositional).map(describeValue),
    options: all.filter((flag) => !isPositional(flag)).map(describeOption),
    exclusive: exclusive.map((keys) => keys.map((key) => sourceName(flags[key] as Flag<unknown>))),
    takes_command: takesCommand,
    notes,
    examples: Object.entries(examples).map(([purpose, line]) => ({ about: purpose, line })),
    exit_codes: exitCodesOf(definition),
  };
}

/** What follows the name of the command: `<text> [options]`. */
export function synopsisOf({ flags, takesCommand }: CommandDefinition): string {
  const positionals = Object.values<Flag<unknown>>(flags).filter(isPositional);
  const words = [...positionals.map(({ syntax }) => syntax), '[options]'];
  return [...words, ...(takesCommand ? ['[-- COMMAND]'] : [])].join(' ');
}

function describeValue(flag: Flag<unknown>) {
  const hasValue = isPositional(flag) || takesValue(flag);
  const type = !hasValue ? 'boolean' : placeholder(flag) === 'n' ? 'integer' : 'string';
  const { about, required, repeatable, secret } = flag;
  return {
    name: isPositional(flag) ? placeholder(flag) : sourceName(flag),
    about,
    type,
    /** `text` and `file` also take "-" and @FILE. */
    reads: hasValue ? flag.input : null,
    required,
    repeatable,
    secret,
    choices: flag.choices ?? null,
  };
}

function describeOption(flag: Flag<unknown>) {
  return {
    ...describeValue(flag),
    group: groupOf(flag),
    value: takesValue(flag) ? placeholder(flag) : null,
    default: flag.fallback ?? null,
    environment: variableOf(flag) ?? null,
    setting: flag.setting ?? null,
  };
}

const globals = new Set<unknown>(Object.values(globalFlags));
const wire = new Set<unknown>(Object.values(networkFlags));

/** The group of the help that shows an option. */
export function groupOf(flag: Flag<unknown>): 'command' | 'network' | 'output' | 'general' {
  if (flag.group === 'output') return 'output';
  if (wire.has(flag)) return 'network';
  return globals.has(flag) ? 'general' : 'command';
}

export function exitCodesOf({ flags }: CommandDefinition) {
  const sends = Object.values<unknown>(flags).some((flag) => wire.has(flag));
  const meanings = sends ? exitStatusMeanings : localStatusMeanings;
  return meanings.map(([status, meaning]) => ({ status, meaning }));
}
