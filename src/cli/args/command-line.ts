import { Command, CommanderError, Option } from 'commander';
import { nearest, ownProperty } from '../../text.ts';
import type { CommandEntry } from '../command.ts';
import { usage } from '../failure.ts';
import {
  type Flag,
  type Flags,
  flagName,
  isPositional,
  sourceName,
  takesValue,
} from './options.ts';
import { globalFlags, networkFlags } from './shared-flags.ts';
import { quote } from './values.ts';

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
  const elsewhere = ownProperty(otherPlaces, path);
  if (elsewhere !== undefined) throw usage(message, elsewhere);
  const suggested =
    ownProperty(otherNames, path) ??
    paths.find((each) => each.endsWith(` ${path}`)) ??
    nearest(path, paths);
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
 * Throws `usage` for the first word or option that the command doesn't take as it is.
 */
export function parseFlags(command: string, flags: Flags, argv: readonly string[]): Given {
  const tokens = typedTokens(argv, flags);
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    const { name, key = '', value = '' } = token;
    const flag = flags[key];
    if (flag === undefined) {
      if (name !== '') throw unknownOption(command, name, flags);
      throw surplus(command, value, flags, secretBefore(value, argv, tokens, flags));
    }
    if (name !== '') refuseValue(token, flag, flags);
    const texts = [...(given.get(key) ?? []), value];
    if (texts.length > 1 && !flag.repeatable && takesValue(flag)) {
      const { length } = tokens.filter((other) => other.key === key);
      const times = length === 2 ? 'twice' : `${length} times`;
      throw usage(`${name} was given ${times}.`, 'Give it once.');
    }
    given.set(key, texts);
  }
  return given;
}

/** `--json=true`; `--url`; `--url --client-id c`, where the next option isn't a value. The value isn't shown. */
function refuseValue({ name, value, joined }: TypedToken, flag: Flag<unknown>, flags: Flags): void {
  if (!takesValue(flag)) {
    if (joined) throw usage(`${name} takes no value.`, `Write ${name} alone.`);
    return;
  }
  const isOption = !joined && optionNames(flags).includes(value?.replace(/=.*$/s, '') ?? '');
  if (value !== undefined && !isOption) return;
  throw usage(
    `${name} needs a value: ${flag.about}.`,
    value === undefined
      ? `Write ${flag.syntax}.`
      : `Write ${flag.syntax}; a value that begins with "--" needs "=": ${name}=--….`,
  );
}

/** The secret flag or argument whose value is right before a word, which may belong to it. */
function secretBefore(
  word: string,
  argv: readonly string[],
  tokens: readonly TypedToken[],
  flags: Flags,
): Flag<unknown> | undefined {
  const before = argv[argv.lastIndexOf(word) - 1];
  const secrets = tokens.filter(
    ({ name, value }) => before === value || before === `${name}=${value}`,
  );
  return secrets.map(({ key = '' }) => flags[key]).find((flag) => flag?.secret);
}

/** Names the word that the command has no place for, unless it may belong to a secret before it. */
function surplus(command: string, word: string, flags: Flags, secret?: Flag<unknown>): Error {
  const what =
    secret === undefined
      ? `Unexpected word ${quote(word)}.`
      : `Unexpected word after the value of ${sourceName(secret)} (not shown: it may belong to it).`;
  const places = Object.values(flags).filter(isPositional);
  const takes =
    places.length === 0
      ? 'takes options only'
      : `takes ${places.map(({ syntax }) => syntax).join(' ')} and options`;
  return usage(what, `${command} ${takes}. Put a value with spaces in quotation marks.`);
}

/** With the nearest option; a known word of another command is not mistyped. */
function unknownOption(command: string, typed: string, flags: Flags): Error {
  const sentence = `Unknown option '${typed}'.`;
  if (optionNames(networkFlags).includes(typed)) {
    return usage(
      sentence,
      `${command} doesn't take ${typed}, which is for commands that send requests of their own.`,
    );
  }
  // The hyphens, which are right, don't make a word longer.
  const names = [...optionNames(flags), '--help', '--version'].map((name) => name.slice(2));
  const near = nearest(typed.replace(/^-+/, ''), names);
  if (near === undefined) return usage(sentence, 'Add --help to see what the command takes.');
  const suggestedOption = { typed, name: `--${near}` };
  return usage(sentence, `Did you mean --${near}?`, { suggestedOption });
}

export interface SuggestedOption {
  readonly typed: string;
  readonly name: string;
}

function optionNames(flags: Flags): readonly string[] {
  return Object.values(flags)
    .filter((flag) => !isPositional(flag))
    .map(sourceName);
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

/** What commander reads of a command line: the options in the order in which they were typed, then the words. */
export function typedTokens(rest: readonly string[], flags: Flags): readonly TypedToken[] {
  const tokens: TypedToken[] = [];
  const command = new Command().exitOverride().helpOption(false).configureOutput(silent);
  const places: string[] = [];
  for (const [key, flag] of Object.entries<Flag<unknown>>(flags)) {
    if (isPositional(flag)) {
      places.push(key);
      continue;
    }
    const name = sourceName(flag);
    command.addOption(new Option(takesValue(flag) ? `${name} <value>` : name));
    command.on(`option:${flagName(flag)}`, (text: string | null) => {
      const value = text ?? undefined;
      tokens.push({ name, value, joined: rest.includes(`${name}=${value}`), key });
    });
  }
  const last = rest.at(-1) ?? '';
  try {
    const { operands, unknown } = command.parseOptions([...rest]);
    for (const text of [...operands, ...unknown]) {
      if (/^-[^\d]/.test(text)) tokens.push(unknownToken(text, flags));
      else {
        const [key] = places;
        if (key === undefined || !flags[key]?.repeatable) places.shift();
        tokens.push({ name: '', value: text, joined: false, key });
      }
    }
    return tokens;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // The last option lacks its value.
    const [option] = Object.entries(flags).filter(([, flag]) => sourceName(flag) === last);
    const missing = { name: last, value: undefined, joined: false, key: option?.[0] };
    return [...typedTokens(rest.slice(0, -1), flags), missing];
  }
}

const silent = { writeErr: () => {}, writeOut: () => {} };

/** `--json=true` of an option without a value, or an option that the command doesn't take. */
function unknownToken(text: string, flags: Flags): TypedToken {
  const [name = '', value] = text.split(/=(.*)/s);
  const known = Object.entries(flags).find(([, flag]) => sourceName(flag) === name);
  return { name, value, joined: value !== undefined, key: known?.[0] };
}
