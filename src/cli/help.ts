import { wrapText } from '../reports/human.ts';
import type { CommandDefinition, CommandEntry } from './command.ts';
import { globalFlags } from './global-flags.ts';
import { networkFlags } from './network-flags.ts';
import { environmentName, type Flag, type Flags, isPositional } from './options.ts';

const width = 100;

/** The help of one command: purpose, usage, flags by group, examples. */
export function commandHelp(definition: CommandDefinition): string {
  const { path, flags, notes = [], examples } = definition;
  const positionals = Object.values<Flag<unknown>>(flags).filter(isPositional);
  const network = new Set<unknown>(Object.values(networkFlags));
  const own = Object.entries(flags).filter(([, flag]) => !isPositional(flag) && !network.has(flag));
  const wire = Object.entries(flags).filter(([, flag]) => network.has(flag));
  const words = [...positionals.map((flag) => flag.syntax), '[options]'];
  if (definition.takesCommand) words.push('[-- COMMAND]');
  return [
    ...wrapText(definition.about, width),
    '',
    `Usage: authcli ${path} ${words.join(' ')}`,
    ...section('Arguments', positionals),
    ...section(
      'Options',
      own.map(([, flag]) => flag),
    ),
    ...section(
      'Network',
      wire.map(([, flag]) => flag),
    ),
    ...section('Options of every command', Object.values(globalFlags)),
    ...notes.flatMap((note) => ['', ...wrapText(note, width)]),
    '',
    'Examples:',
    ...examples.flatMap(({ about, line }) => [`  # ${about}`, `  ${line}`]),
    '',
    'A value "-" reads standard input, "@FILE" a file; a secret may be env:NAME, file:PATH or cmd:COMMAND.',
    'Each option with a value can be set as AUTHCLI_ plus its name. Exit statuses: authcli help exit-codes',
    '',
  ].join('\n');
}

function section(title: string, flags: readonly Flag<unknown>[]): string[] {
  if (flags.length === 0) return [];
  const column = Math.max(...flags.map((flag) => flag.syntax.length)) + 4;
  return ['', `${title}:`, ...flags.flatMap((flag) => flagHelp(flag, column))];
}

function flagHelp(flag: Flag<unknown>, column: number): string[] {
  const traits = [
    flag.choices === undefined ? undefined : flag.choices.join(', '),
    flag.fallback === undefined ? undefined : `default ${flag.fallback}`,
    flag.setting === undefined ? undefined : `setting ${flag.setting}`,
    flag.repeatable && !isPositional(flag) ? 'repeatable' : undefined,
  ].filter((trait) => trait !== undefined);
  const about = traits.length === 0 ? flag.about : `${flag.about} (${traits.join('; ')})`;
  const [first = '', ...rest] = wrapText(about, width - column);
  return [
    `  ${flag.syntax}`.padEnd(column) + first,
    ...rest.map((line) => ' '.repeat(column) + line),
  ];
}

/** The help of the program: what it is for, the commands people come for, and all of them. */
export function programHelp(commands: readonly CommandEntry[]): string {
  return [
    'authcli plays the other side of the sign-in service, and says what is wrong and how to mend it.',
    '',
    'Usage: authcli COMMAND [options]',
    '',
    'Start here:',
    '  authcli demo                         a sign-up and a sign-in, explained step by step',
    '  authcli init                         set up by questions where your endpoint and the service are',
    '',
    'What people come for:',
    '  authcli simulate-signup --url URL    sign a test user up at your callback endpoint',
    '  authcli signin --ptn-token TOKEN     sign a user in, as your server would',
    '  authcli verify --url URL             check the endpoint against the interface, here and in CI',
    "  authcli key unwrap TEXT --private-key FILE   open a wrapped key, or say why it can't be opened",
    '',
    ...commandList('Commands:', commands),
    '',
    'Every command explains itself: authcli COMMAND --help. Also: authcli help exit-codes, help environment, help ciphers',
    '',
  ].join('\n');
}

/** The help of a group of commands: `authcli key`. */
export function groupHelp(group: string, commands: readonly CommandEntry[]): string {
  const members = commands.filter(({ path }) => path.startsWith(`${group} `));
  return [
    `Usage: authcli ${group} COMMAND [options]`,
    '',
    ...commandList('Commands:', members),
    '',
  ].join('\n');
}

function commandList(title: string, commands: readonly CommandEntry[]): string[] {
  const column = Math.max(...commands.map(({ path }) => path.length)) + 2;
  return [title, ...commands.map(({ path, summary }) => `  ${path.padEnd(column)}${summary}`)];
}

/** The help topic on environment variables: one for each flag with a value, of the flags given. */
export function environmentHelp(flags: readonly Flags[]): string {
  const names = new Map<string, string>();
  for (const flag of flags.flatMap((record) => Object.values<Flag<unknown>>(record))) {
    const name = isPositional(flag) ? undefined : environmentName(flag);
    if (name !== undefined && !names.has(name)) names.set(name, flag.about);
  }
  const column = Math.max(...[...names.keys()].map((name) => name.length)) + 2;
  return [
    'Each flag with a value can be set in the environment. A flag on the command line counts more, the profile less.',
    '',
    ...[...names].sort().map(([name, about]) => `  ${name.padEnd(column)}${about}`),
    '',
    'Also obeyed: NO_COLOR, FORCE_COLOR, CI, HTTP_PROXY, HTTPS_PROXY, NO_PROXY.',
    '',
  ].join('\n');
}
