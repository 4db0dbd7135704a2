import { Command, type CommanderError, Option } from 'commander';
import { counted, nearest } from '../../text.ts';
import type { AnyCommand, CommandEntry } from '../command.ts';
import { commands } from '../commands/index.ts';
import { usage } from '../failure.ts';
import { pemOnCommandLine } from './input.ts';
import { type Flag, type Flags, flagName, isPositional } from './options.ts';
import { globalFlags } from './shared-flags.ts';
import { quote } from './values.ts';

/** The texts of options and arguments, by the names of the options, in the order in which they were typed. */
export type Given = Map<string, readonly string[]>;

/** What the user typed, as far as it was read. */
export interface CommandLine {
  /** The words of the command, also where they name none. */
  path: string;
  definition?: AnyCommand;
  /** Those of the command, and those that every command takes. */
  flags: Flags;
  readonly given: Given;
  /** The command after `--`. */
  behind: readonly string[];
}

/** What a line asks for instead of a run. */
export type Wanted = 'version' | { readonly help: readonly string[] };

export function emptyLine(): CommandLine {
  return { path: '', flags: globalFlags, given: new Map(), behind: [] };
}

/**
 * Reads `argv` into `line`, which keeps what was read before this throws `usage` for an unknown command, option or
 * word. Without a result, the command is to be run. No value of what is unknown is shown: it may be a secret.
 */
export async function readCommandLine(
  argv: readonly string[],
  line: CommandLine,
): Promise<Wanted | undefined> {
  const end = argv.indexOf('--');
  const front = end === -1 ? argv : argv.slice(0, end);
  const behind = end === -1 ? [] : argv.slice(end + 1);
  if (front.some((token) => token.startsWith('-----'))) throw pemOnCommandLine();
  const tree = commandTree();
  let words: readonly string[] = [];
  for (const command of tree.values()) {
    command.action(() => {
      words = command.args;
    });
    command.hook('preSubcommand', (parent, called) => load(parent, called, line));
    command.exitOverride((error) => {
      throw refusal(error, command, line);
    });
  }
  const root = tree.get('') as Command;
  addOptions(root, globalFlags, line.given);
  addSwitch(root, '-V, --version', line.given);
  addSwitch(root, '-h, --help', line.given);
  await root.parseAsync(front, { from: 'user' });
  const { path, definition, given } = line;
  if (given.has('version')) return 'version';
  if (path === 'help') return { help: words };
  if (definition === undefined && words.length > 0) {
    line.path = `${path} ${words[0]}`.trim();
    throw unknownCommand(line.path);
  }
  if (path === '' || given.has('help')) return { help: path.split(' ').filter(Boolean) };
  if (definition === undefined) throw usage(`${path} needs a command.`, oneOf(path));
  if (definition.takesCommand) line.behind = behind;
  takeWords(definition.takesCommand ? words : [...words, ...behind], line);
  return undefined;
}

/** What the groups contain, beside the names of their members. */
const groups: Readonly<Record<string, string>> = {
  key: 'per-user keys, RSA keys',
  cipher: 'the ciphers of the per-user key',
  emulate: 'run either side on this machine',
  report: 'compare runs of verify',
  users: 'those whose keys are stored',
  config: 'settings, by profile',
  'config profile': 'sets of settings and users',
};

const help: Omit<CommandEntry, 'load'> = { path: 'help', summary: 'how a command is used' };

/** All commands and groups by their words, before any is loaded. */
export function commandTree(): ReadonlyMap<string, Command> {
  const tree = new Map<string, Command>();
  const add = (command: Command, path: string): Command => {
    tree.set(path, command);
    return command
      .usage('COMMAND [options]')
      .helpOption(false)
      .helpCommand(false)
      .allowExcessArguments()
      .configureOutput({ writeErr: () => {} });
  };
  add(new Command('authcli'), '');
  for (const { path, heading, summary } of [...commands, help]) {
    const words = path.split(' ');
    for (const [index, word] of words.entries()) {
      const at = words.slice(0, index + 1).join(' ');
      if (tree.has(at)) continue;
      const parent = tree.get(words.slice(0, index).join(' '));
      const isHidden = index === 0 && heading === undefined;
      const members = membersOf(at).map((name) => name.slice(at.length + 1).split(' ')[0]);
      const about = at === path ? summary : `${groups[at]}: ${[...new Set(members)].join(', ')}`;
      const command = add(parent?.command(word, { hidden: isHidden }) as Command, at);
      command.summary(about).helpGroup(index === 0 ? `${heading}:` : '');
    }
  }
  return tree;
}

/** Loads what is called, on the way to it, with its options. */
async function load(parent: Command, called: Command, line: CommandLine): Promise<void> {
  line.path = `${line.path} ${called.name()}`.trim();
  const entry = commands.find(({ path }) => path === line.path);
  // `load` is a command, and the group of `load export`.
  const isGroup = called.commands.some((member) => parent.args.includes(member.name()));
  if (entry === undefined || isGroup) return;
  line.definition = await entry.load();
  line.flags = { ...line.definition.flags, ...globalFlags };
  addOptions(called, line.definition.flags, line.given);
  if (line.given.has('help')) addSwitch(called, '--all', line.given);
}

function addOptions(command: Command, flags: Flags, given: Given): void {
  for (const [key, flag] of Object.entries<Flag<unknown>>(flags)) {
    if (isPositional(flag)) continue;
    command.addOption(new Option(flag.syntax));
    command.on(`option:${flagName(flag)}`, (text: string | null) => {
      const before = flag.repeatable ? (given.get(key) ?? []) : [];
      given.set(key, [...before, text ?? '']);
    });
  }
}

function addSwitch(command: Command, syntax: string, given: Given): void {
  const option = new Option(syntax);
  command.addOption(option).on(`option:${option.name()}`, () => given.set(option.name(), ['']));
}

/** The arguments among `words`; what is too much isn't shown beside a secret, to which it may belong. */
function takeWords(words: readonly string[], { path, flags, given }: CommandLine): void {
  const places = Object.entries<Flag<unknown>>(flags).filter(([, flag]) => isPositional(flag));
  let left = words;
  for (const [key, { repeatable }] of places) {
    const taken = repeatable ? left : left.slice(0, 1);
    if (taken.length > 0) given.set(key, taken);
    left = left.slice(taken.length);
  }
  const [word = ''] = left;
  if (
    /^(?:https?:\/\/|[\w.-]+:\d+(?:\/|$))/i.test(word) &&
    flags.url !== undefined &&
    !given.has('url')
  ) {
    given.set('url', [word]);
    left = left.slice(1);
  }
  if (left.length === 0) return;
  const takes = places.map(([, { syntax }]) => `${syntax} and `).join('');
  const hasSecret = [...given.keys()].some((key) => flags[key]?.secret);
  throw usage(
    hasSecret
      ? `Unexpected ${counted(left.length, 'word')} (not shown: a secret may be cut at a space).`
      : `Unexpected word ${quote(left[0] ?? '')}.`,
    `${path} takes ${takes}options${takes === '' ? ' only' : ''}. Put a value with spaces in quotation marks.`,
  );
}

/** What commander refuses: of a command that doesn't exist its first option. */
function refusal({ message }: CommanderError, command: Command, line: CommandLine): Error {
  const { args, commands: members, options } = command;
  const { definition, flags, path } = line;
  const [word = '-'] = args;
  if (definition === undefined && members.length > 0 && !word.startsWith('-'))
    return unknownCommand(`${path} ${word}`.trim());
  const [text = '', suggestion = ''] = message.replace(/^error: /, '').split('\n');
  const [, option = '', value] = /^unknown option '([^'=]*)(=.*)?'/.exec(text) ?? [];
  const known = value !== undefined && options.some(({ long }) => long === option);
  if (known || Object.values(flags).some(({ syntax }) => syntax === option))
    return usage(`${option} takes no value.`, `Write ${option} alone.`);
  if (option !== '')
    return usage(
      `Unknown option '${option}'.`,
      suggestion.slice(1, -1) || 'Add --help to see what the command takes.',
    );
  const [, syntax = ''] = /'(.*)'/.exec(text) ?? [];
  const flag = Object.values<Flag<unknown>>(flags).find((each) => each.syntax === syntax);
  return usage(`${syntax.split(' ')[0]} needs a value: ${flag?.about}.`, `Write ${syntax}.`);
}

/** With the command that was probably intended, or the members of its group. */
export function unknownCommand(path: string): Error {
  const paths = commands.map((entry) => entry.path);
  const found = paths.find((each) => each.endsWith(` ${path}`)) ?? nearest(path, paths);
  const group = path.split(' ').slice(0, -1);
  const others = oneOf(group.join(' ')) ?? '`authcli --help` lists commands and help topics.';
  return usage(
    `Unknown command ${quote(path)}.`,
    found === undefined ? others : `Did you mean ${quote(found)}?`,
    { words: [...(found?.split(' ') ?? group), '--help'] },
  );
}

function oneOf(group: string): string | undefined {
  const members = membersOf(group);
  return members.length === 0 ? undefined : `One of: ${members.join(', ')}.`;
}

function membersOf(group: string): readonly string[] {
  return commands.map(({ path }) => path).filter((path) => path.startsWith(`${group} `));
}
