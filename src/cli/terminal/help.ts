import { Argument, Command, Option } from 'commander';
import {
  cipherPresets,
  ivLengths,
  ivRules,
  keyReadings,
  paddings,
  payloadEncodings,
  tagPlaces,
} from '../../crypto/cipher.ts';
import { asStarted, commandAsStarted, hanging, type Style, wrapText } from '../../reports/human.ts';
import { settingDescriptions, settingNames } from '../../state/settings.ts';
import { ownProperty } from '../../text.ts';
import { commandTree, unknownCommand } from '../args/command-line.ts';
import {
  type Flag,
  type Flags,
  isPositional,
  placeholder,
  sourceName,
  takesValue,
  variableOf,
  variableOfSetting,
} from '../args/options.ts';
import { globalFlags, networkFlags } from '../args/shared-flags.ts';
import type { CommandDefinition, CommandEntry } from '../command.ts';
import { commands } from '../commands/index.ts';
import { exitStatusMeanings, localStatusMeanings } from '../exit-status.ts';

interface Look {
  readonly width: number;
  readonly style: Style;
  /** How authcli was started: `authcli`, `npx authcli`. */
  readonly program: string;
}

const topics: Readonly<Record<string, (look: Look) => string | Promise<string>>> = {
  options: optionsHelp,
  environment: environmentHelp,
  'exit-codes': ({ width }) => {
    const order =
      'If several apply, the first of 70, 2, 1, 3 counts. `emulate … -- COMMAND` exits with the status of COMMAND.';
    const rows = exitStatusMeanings.map(([status, meaning]) => [String(status), meaning] as const);
    return [...pairs(rows, width), '', ...wrapText(order, width)].join('\n');
  },
  ciphers: cipherHelp,
};

export const helpTopics = Object.keys(topics);

const forPrograms = 'commands, completion, mcp, openapi';
const more = `help ${helpTopics.join(', ')}`;

/** The help on these words: a topic, a command, a group, or the program. Throws `usage` for unknown ones. */
export async function helpOn(
  words: readonly string[],
  isWhole: boolean,
  look: Look,
): Promise<string> {
  const path = words.join(' ');
  const topic = ownProperty(topics, path);
  if (topic !== undefined) return topic(look);
  const command = commandTree().get(path);
  if (command === undefined || path === 'help') throw unknownCommand(path);
  const entry = commands.find((each) => each.path === path);
  if (entry !== undefined) describe(command, await entry.load(), isWhole, look);
  else if (path !== '') addText(command, look, `More: ${look.program} ${path} COMMAND --help`);
  else {
    const hidden = commands.filter(({ heading }) => heading === undefined);
    const others = hidden
      .map(({ path: name }) => name)
      .filter((name) => !forPrograms.includes(name));
    command.description(
      "Plays the other side of the sign-in service, and tells you what's wrong and how to fix it.",
    );
    const also = `Also: ${others.join(', ')}. For programs and agents: ${forPrograms}.`;
    const { program } = look;
    addText(command, look, also, `More: ${program} COMMAND --help, ${program} ${more}`);
  }
  return rendered(command, look);
}

function rendered(command: Command, { width, style }: Look): string {
  let text = '';
  command.configureHelp({
    helpWidth: width,
    minWidthToWrap: 20,
    styleTitle: style.bold,
    subcommandTerm: (member) => `${member.name()}${member.commands.length > 0 ? ' …' : ''}`,
  });
  command.configureOutput({
    getOutHasColors: () => true,
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

/** Below the options or commands, wrapped. */
function addText(command: Command, { width, program }: Look, ...texts: readonly string[]): void {
  const lines = texts.flatMap((text) => wrapText(asStarted(text, program), width));
  command.addHelpText('after', ['', ...lines].join('\n'));
}

/** Notes, where values come from, and the options that many commands share are only in the whole of it. */
function describe(command: Command, definition: CommandDefinition, isWhole: boolean, look: Look) {
  const { about, path, flags, notes = [], examples } = definition;
  const { program } = look;
  command.description(about).usage(synopsisOf(definition));
  for (const flag of Object.values<Flag<unknown>>(flags))
    if (isPositional(flag)) command.addArgument(new Argument(flag.syntax, flag.about));
  addOptions(command, flags, isWhole);
  const meanings = exitCodesOf(definition).filter(({ status }) => status < 70);
  const statuses = `Exit status: ${meanings.map(({ status, meaning }) => `${status} ${meaning}`).join('; ')}.`;
  const shared = Object.values<Flag<unknown>>({ ...flags, ...globalFlags })
    .filter((flag) => !isPositional(flag) && groupOf(flag) !== 'command')
    .map(sourceName);
  if (isWhole) for (const note of [...notes, statuses]) addText(command, look, note);
  else addText(command, look, `Common options: ${shared.join(', ')}`);
  const lines = Object.entries(examples).flatMap(([purpose, line]) => [
    ...wrapText(purpose, look.width - 4).map((part) => `  # ${part}`),
    `  ${commandAsStarted(line, program)}`,
  ]);
  command.addHelpText('after', ['', look.style.bold('Examples:'), ...lines].join('\n'));
  addText(
    command,
    look,
    `More: ${isWhole ? '' : `${program} ${path} --help --all, `}${program} ${more}`,
  );
}

const headings = {
  command: 'Options:',
  network: 'Network:',
  output: 'Output:',
  general: 'Every command:',
} as const;

function addOptions(command: Command, flags: Flags, isWhole: boolean): void {
  for (const flag of Object.values<Flag<unknown>>(flags).filter((each) => !isPositional(each))) {
    const { syntax, about, fallback = '', choices, required, repeatable, setting } = flag;
    const traits = [required && 'required', repeatable && 'repeatable'];
    const from = isWhole && setting !== undefined && `setting ${setting}`;
    const text = [about, ...traits, from].filter(Boolean).join('; ');
    const option = new Option(syntax, text).helpGroup(headings[groupOf(flag)]);
    if (choices !== undefined) option.choices(choices);
    if (fallback !== '' && (isWhole || fallback.length < 30)) option.default(fallback, fallback);
    const variable = variableOf(flag);
    if (isWhole && variable !== undefined) option.env(variable);
    command.addOption(option.hideHelp(!isWhole && groupOf(flag) !== 'command'));
  }
}

function optionsHelp(look: Look): string {
  const command = new Command('authcli').usage('COMMAND [options]').helpOption(false);
  command.description(
    'Every command takes the options of output and those at the end, before or after its name; those of the network are for the commands that send requests. A value "-" reads standard input, "@FILE" a file; a secret may be env:NAME, file:PATH or cmd:COMMAND.',
  );
  addOptions(command, { ...networkFlags, ...globalFlags }, true);
  return rendered(command, look);
}

type Row = readonly [name: string, about: string];

/** Rows, wrapped. An explanation with fewer than 18 columns is below its name. */
export function pairs(rows: readonly Row[], width: number): string[] {
  const column = Math.max(...rows.map(([name]) => name.length)) + 4;
  return rows.flatMap(([name, about]) =>
    width - column >= 18
      ? hanging(`  ${name}`.padEnd(column), about, width)
      : [...hanging('  ', name, width), ...hanging('      ', about, width)],
  );
}

/** One row for each variable: a setting, or as the first command that has it describes it. */
export async function variableRows(): Promise<readonly Row[]> {
  const definitions = await Promise.all(commands.map((entry) => entry.load()));
  const abouts = new Map(
    settingNames.map((name) => [variableOfSetting(name), settingDescriptions[name]]),
  );
  for (const flags of [...definitions.map((definition) => definition.flags), globalFlags]) {
    for (const flag of Object.values<Flag<unknown>>(flags)) {
      const name = variableOf(flag);
      if (name !== undefined && !abouts.has(name)) abouts.set(name, flag.about);
    }
  }
  return [...abouts].sort();
}

/** What others define and authcli obeys. */
export const commonVariables =
  'NO_COLOR, FORCE_COLOR (0 to 3), TERM, CI, HTTP_PROXY, HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS';

async function environmentHelp({ width }: Look) {
  return [
    ...wrapText(
      'These are read from the environment, and nothing else. An option overrides its variable, a variable overrides the setting of the profile.',
      width,
    ),
    '',
    ...pairs(await variableRows(), width),
    '',
    ...wrapText(`Also supported: ${commonVariables}.`, width),
  ].join('\n');
}

function cipherHelp({ width, program }: Look): string {
  const notation: readonly Row[] = [
    [
      'algorithm',
      'aes-256-cbc (default); aes-{128,192,256}-{cbc,ecb,ctr,cfb,gcm}, the same for aria-, des-ede3-cbc',
    ],
    [
      'key',
      `${keyReadings.join(', ')}; utf8 are the key's characters as bytes, evp-… passphrases of OpenSSL and CryptoJS, sha1prng is Java's seeded generator`,
    ],
    ['iv', `${ivRules.join(', ')}, hex:…; prefix is random, before the ciphertext`],
    ['padding', paddings.join(', ')],
    ['encoding', payloadEncodings.join(', ')],
    ['tag', `${tagPlaces.join(', ')} (gcm)`],
    ['ivlen', `${ivLengths.join(', ')} (gcm)`],
  ];
  return [
    ...wrapText(
      'The cipher of the per-user key is written ALGORITHM?key=…&iv=…&padding=…&encoding=…',
      width,
    ),
    '',
    ...pairs(notation, width),
    '',
    ...wrapText(
      asStarted(
        "The first value of each row is the default. To set a cipher for the profile: `authcli config set cipher '…'`. Common ciphers:",
        program,
      ),
      width,
    ),
    '',
    ...cipherPresets.flatMap(({ cipher, description }) => [
      `  ${cipher}`,
      ...hanging('      ', description, width),
    ]),
  ].join('\n');
}

/** A command as `commands --json` prints it; see schemas/commands-1.json. */
export type CommandDescription = ReturnType<typeof description>;
export type ValueDescription = ReturnType<typeof describeValue>;
export type OptionDescription = ReturnType<typeof describeOption>;

/** Loads every command and describes it. */
export function describeCommands() {
  return Promise.all(commands.map(async (entry) => description(entry, await entry.load())));
}

function description({ summary }: CommandEntry, definition: CommandDefinition) {
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
function synopsisOf({ flags, takesCommand }: CommandDefinition): string {
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
function groupOf(flag: Flag<unknown>): 'command' | 'network' | 'output' | 'general' {
  if (flag.group === 'output') return 'output';
  if (wire.has(flag)) return 'network';
  return globals.has(flag) ? 'general' : 'command';
}

function exitCodesOf({ flags }: CommandDefinition) {
  const sends = Object.values<unknown>(flags).some((flag) => wire.has(flag));
  const meanings = sends ? exitStatusMeanings : localStatusMeanings;
  return meanings.map(([status, meaning]) => ({ status, meaning }));
}
