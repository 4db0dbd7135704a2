import { Argument, Command, CommanderError, Option } from 'commander';
import { nearest } from '../../suggest.ts';
import { capitalised } from '../../text.ts';
import type { CommandEntry } from '../command.ts';
import { usage } from '../failure.ts';
import { globalFlags } from './global-flags.ts';
import { networkFlags } from './network-flags.ts';
import { type Flag, type Flags, flagName, isPositional, takesValue } from './options.ts';
import { quote } from './values.ts';
import { refuseWrongTokens } from './wrong-tokens.ts';

export interface CommandLine {
  /** The command's words, also when they name none. */
  readonly words: readonly string[];
  /** Everything else before `--`. */
  readonly rest: readonly string[];
  /** After `--`; undefined without one. */
  readonly behind: readonly string[] | undefined;
}

const globals = new Map(
  Object.values(globalFlags).map((flag) => [`--${flagName(flag)}`, takesValue(flag)]),
);

/** Options may be before and between the words of the command. */
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
    if (globals.get(token) === true) index += 1;
    else if (token.startsWith('-') && token !== '-') {
      const isGlobal = globals.has(token.replace(/=.*$/s, ''));
      if (!isGlobal && found.length > 0) break;
      if (!isGlobal && isValue(front[index + 1], token, commands)) index += 1;
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

/** Whether a token before the command's name is the value of this option: it may be a secret, and no command. */
function isValue(
  token: string | undefined,
  option: string,
  commands: readonly Pick<CommandEntry, 'path'>[],
): boolean {
  if (token === undefined || option.includes('=') || /^-./.test(token)) return false;
  return !commands.some((entry) => `${entry.path} `.startsWith(`${token} `));
}

/** What users look for under another name; too far from the right one for a typing mistake. */
const otherNames: Readonly<Record<string, string>> = {
  signup: 'simulate-signup',
  'sign-up': 'simulate-signup',
  register: 'simulate-signup',
  simulate: 'simulate-signup',
  login: 'signin',
  'log-in': 'signin',
  'sign-in': 'signin',
  serve: 'emulate app',
  server: 'emulate app',
  mock: 'emulate app',
  'emulate server': 'emulate app',
  keygen: 'key generate',
  check: 'verify',
  test: 'verify',
  lint: 'verify',
  conformance: 'verify',
  fuzz: 'explore',
  proxy: 'relay',
  capture: 'relay',
  record: 'relay',
  bench: 'load',
  benchmark: 'load',
  stress: 'load',
  status: 'doctor',
  health: 'doctor',
  setup: 'init',
  configure: 'init',
};

/** What is not a command at all, and where it is instead. */
const otherPlaces: Readonly<Record<string, string>> = {
  logs: 'authcli writes no log. `--trace` prints what a command sends and receives; `authcli emulate app` lists what arrives.',
  monitor: '`authcli verify --every 5m --url URL` runs the checks again and again.',
  watch:
    '`authcli verify --every 5m --url URL` runs the checks again and again; `authcli emulate app --ui` shows requests as they arrive.',
};

/** The command of these words. Throws `usage` with a suggestion, or with the members of a group. */
export function findCommand(
  words: readonly string[],
  commands: readonly CommandEntry[],
): CommandEntry {
  const path = words.join(' ');
  const found = commands.find((entry) => entry.path === path);
  if (found !== undefined) return found;
  const members = membersOf(path, commands);
  if (members !== undefined) throw usage(`${path} needs a command.`, members);
  const paths = commands.map((entry) => entry.path);
  const message = `Unknown command ${quote(path)}.`;
  const elsewhere = otherPlaces[path];
  if (elsewhere !== undefined) throw usage(message, elsewhere);
  const suggested =
    otherNames[path] ?? paths.find((each) => each.endsWith(` ${path}`)) ?? nearest(path, paths);
  if (suggested === undefined) {
    const siblings = membersOf(words.slice(0, -1).join(' '), commands);
    throw usage(message, siblings ?? '`authcli --help` lists commands and help topics.');
  }
  throw usage(message, `Did you mean "${suggested}"?`, { suggestedCommand: suggested });
}

function membersOf(group: string, commands: readonly CommandEntry[]): string | undefined {
  const members = commands.filter((entry) => entry.path.startsWith(`${group} `));
  return members.length === 0
    ? undefined
    : `One of: ${members.map((entry) => entry.path).join(', ')}.`;
}

/** The texts given on the command line, by option name. */
export type Given = ReadonlyMap<string, readonly string[]>;

/**
 * Reads `argv`, without the command's own words. What is missing may be in the environment or the profile.
 * Throws `usage` in commander's words, with its "did you mean".
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
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  refuseWrongTokens(name, typedTokens(own, flags), flags);
  try {
    command.parse([...argv], { from: 'user' });
  } catch (error) {
    throw translated(error, name, argv, flags);
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

/** Turns commander's "error: …" into a usage error, with the nearest option. */
function translated(
  error: unknown,
  command: string,
  argv: readonly string[],
  flags: Flags,
): unknown {
  if (!(error instanceof CommanderError)) return error;
  // The value of an unknown option may be a secret.
  const [message = ''] = error.message
    .replace(/^error: /, '')
    .replace(/^(unknown option '[^=]*)=.*$/s, "$1'")
    .split('\n');
  const sentence = capitalised(message).replace(/\.?$/, '.');
  const unknown = error.code === 'commander.unknownOption' ? unknownOption(argv, flags) : undefined;
  if (unknown !== undefined && isNetworkOption(unknown)) {
    return usage(
      sentence,
      `${command} doesn't take ${unknown}, which is for commands that send requests of their own.`,
    );
  }
  const suggested = unknown === undefined ? undefined : suggestedOption(unknown, flags);
  if (suggested === undefined) return usage(sentence, 'Add --help to see what the command takes.');
  return usage(sentence, `Did you mean ${suggested.name}?`, { suggestedOption: suggested });
}

/** A known word is not mistyped. */
function isNetworkOption(name: string): boolean {
  return Object.values(networkFlags).some((flag) => `--${flagName(flag)}` === name);
}

export interface SuggestedOption {
  readonly typed: string;
  readonly name: string;
}

function optionNames(flags: Flags): readonly string[] {
  return Object.values(flags).flatMap((flag) =>
    isPositional(flag) ? [] : [`--${flagName(flag)}`],
  );
}

/** The first option that the command doesn't take. */
function unknownOption(argv: readonly string[], flags: Flags): string | undefined {
  const names = optionNames(flags);
  return argv
    .map((token) => token.replace(/=.*$/s, ''))
    .find((token) => token.startsWith('--') && token !== '--' && !names.includes(token));
}

/** The nearest option that the command takes. The hyphens, which are right, don't make a word longer. */
function suggestedOption(typed: string, flags: Flags): SuggestedOption | undefined {
  const names = [...optionNames(flags), '--help', '--version'].map((name) => name.slice(2));
  const name = nearest(typed.slice(2), names);
  return name === undefined ? undefined : { typed, name: `--${name}` };
}

/** An option as it was typed, or a word. */
export interface TypedToken {
  /** `--url`; empty for a word. */
  readonly name: string;
  readonly value: string | undefined;
  readonly joined: boolean;
  /** The key of the flag or argument; undefined for what the command doesn't take. */
  readonly key: string | undefined;
}

/** The options and words of a command line in the order in which they were typed. */
export function typedTokens(rest: readonly string[], flags: Flags): readonly TypedToken[] {
  const keys = new Map(Object.entries(flags).map(([key, flag]) => [`--${flagName(flag)}`, key]));
  const places = Object.keys(flags).filter((key) => isPositional(flags[key] as Flag<unknown>));
  const tokens: TypedToken[] = [];
  let words = 0;
  for (let index = 0; index < rest.length; index += 1) {
    const text = rest[index] ?? '';
    const [, name = '', joinedValue] = /^(--[a-z0-9-]+)(?:=(.*))?$/s.exec(text) ?? [];
    const key = name === '' ? places[words] : keys.get(name);
    if (name === '' && !flags[key ?? '']?.repeatable) words += 1;
    const flag = key === undefined ? undefined : flags[key];
    const isBehind =
      name !== '' && joinedValue === undefined && flag !== undefined && takesValue(flag);
    if (isBehind) index += 1;
    const value = name === '' ? text : isBehind ? rest[index] : joinedValue;
    tokens.push({ name, value, joined: joinedValue !== undefined, key });
  }
  return tokens;
}
