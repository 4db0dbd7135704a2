import {
  environmentName,
  type Flag,
  flagName,
  isPositional,
  placeholder,
  takesValue,
} from '../args/options.ts';
import { globalFlags, networkFlags } from '../args/shared-flags.ts';
import type { CommandDefinition, CommandEntry } from '../command.ts';
import { exitStatusMeanings, localStatusMeanings } from '../exit-status.ts';

type OptionGroup = 'command' | 'network' | 'output' | 'general';

/** A command as `commands --json` prints it; see schemas/commands-1.json. */
export interface CommandDescription {
  readonly name: string;
  readonly summary: string;
  readonly about: string;
  readonly usage: string;
  readonly arguments: readonly ValueDescription[];
  readonly options: readonly OptionDescription[];
  readonly exclusive: readonly (readonly string[])[];
  readonly takes_command: boolean;
  readonly notes: readonly string[];
  readonly examples: readonly { readonly about: string; readonly line: string }[];
  readonly exit_codes: readonly { readonly status: number; readonly meaning: string }[];
}

export interface ValueDescription {
  readonly name: string;
  readonly about: string;
  readonly type: 'boolean' | 'integer' | 'string';
  /** `text` and `file` also take "-" and @FILE. */
  readonly reads: 'text' | 'file' | 'path' | 'word' | null;
  readonly required: boolean;
  readonly repeatable: boolean;
  readonly secret: boolean;
  readonly choices: readonly string[] | null;
}

export interface OptionDescription extends ValueDescription {
  readonly group: OptionGroup;
  readonly value: string | null;
  readonly default: string | null;
  readonly environment: string | null;
  readonly setting: string | null;
}

/** Loads every command and describes it. */
export function describeCommands(
  commands: readonly CommandEntry[],
): Promise<readonly CommandDescription[]> {
  return Promise.all(commands.map(async (entry) => describe(entry, await entry.load())));
}

function describe({ summary }: CommandEntry, definition: CommandDefinition): CommandDescription {
  const { path, about, flags, exclusive = [], takesCommand = false } = definition;
  const { notes = [], examples } = definition;
  const all = { ...flags, ...globalFlags };
  const nameOf = (key: string): string => `--${flagName(all[key as keyof typeof all])}`;
  return {
    name: path,
    summary,
    about,
    usage: usageOf(definition),
    arguments: Object.values<Flag<unknown>>(flags).filter(isPositional).map(describeValue),
    options: Object.values<Flag<unknown>>(all)
      .filter((flag) => !isPositional(flag))
      .map(describeOption),
    exclusive: exclusive.map((keys) => keys.map(nameOf)),
    takes_command: takesCommand,
    notes,
    examples: Object.entries(examples).map(([about, line]) => ({ about, line })),
    exit_codes: exitCodesOf(definition),
  };
}

/** The synopsis: `authcli encrypt <text> [options]`. */
export function usageOf({ path, flags, takesCommand }: CommandDefinition): string {
  const positionals = Object.values<Flag<unknown>>(flags).filter(isPositional);
  const words = ['authcli', path, ...positionals.map(({ syntax }) => syntax), '[options]'];
  return [...words, ...(takesCommand === true ? ['[-- COMMAND]'] : [])].join(' ');
}

function describeValue(flag: Flag<unknown>): ValueDescription {
  const hasValue = isPositional(flag) || takesValue(flag);
  return {
    name: isPositional(flag) ? placeholder(flag) : `--${flagName(flag)}`,
    about: flag.about,
    type: !hasValue ? 'boolean' : placeholder(flag) === 'n' ? 'integer' : 'string',
    reads: hasValue ? flag.input : null,
    required: flag.required,
    repeatable: flag.repeatable,
    secret: flag.secret,
    choices: flag.choices ?? null,
  };
}

function describeOption(flag: Flag<unknown>): OptionDescription {
  return {
    ...describeValue(flag),
    group: groupOf(flag),
    value: takesValue(flag) ? placeholder(flag) : null,
    default: flag.fallback ?? null,
    environment: environmentName(flag) ?? null,
    setting: flag.setting ?? null,
  };
}

const globals = new Set<unknown>(Object.values(globalFlags));
const wire = new Set<unknown>(Object.values(networkFlags));

/** The group of the help that shows an option. */
export function groupOf(flag: Flag<unknown>): OptionGroup {
  if (flag.group === 'output') return 'output';
  if (wire.has(flag)) return 'network';
  return globals.has(flag) ? 'general' : 'command';
}

export function exitCodesOf(definition: CommandDefinition): CommandDescription['exit_codes'] {
  const sends = Object.values<unknown>(definition.flags).some((flag) => wire.has(flag));
  const meanings = sends ? exitStatusMeanings : localStatusMeanings;
  return meanings.map(([status, meaning]) => ({ status, meaning }));
}
