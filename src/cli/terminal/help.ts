import {
  ivLengths,
  ivRules,
  keyReadings,
  paddings,
  payloadEncodings,
  tagPlaces,
} from '../../crypto/cipher.ts';
import { cipherPresets } from '../../crypto/cipher-notation.ts';
import { hanging, type Style, wrapText } from '../../reports/human.ts';
import { ownProperty } from '../../text.ts';
import { unknownCommand } from '../args/command-line.ts';
import { environmentName, type Flag, isPositional, sourceName } from '../args/options.ts';
import { globalFlags } from '../args/shared-flags.ts';
import type { CommandDefinition, CommandEntry } from '../command.ts';
import { exitStatusMeanings } from '../exit-status.ts';
import { exitCodesOf, groupOf, usageOf } from './command-description.ts';

type Topic = (commands: readonly CommandEntry[], width: number) => Promise<readonly string[]>;

const topics: Readonly<Record<string, Topic>> = {
  'exit-codes': async (_, width) => [
    ...exitStatusMeanings.flatMap(([status, meaning]) =>
      hanging(`${String(status).padStart(4)}  `, meaning, width),
    ),
    '',
    ...wrapText(
      'If several apply, the first of 70, 2, 1, 3 counts. `emulate … -- COMMAND` exits with the status of COMMAND.',
      width,
    ),
  ],
  environment: environmentHelp,
  ciphers: async (_, width) => cipherHelp(width),
};

export const helpTopics = Object.keys(topics);

/** The help on these words: a topic, a command, a group, or the program. Throws `usage` for unknown ones. */
export async function helpOn(
  words: readonly string[],
  commands: readonly CommandEntry[],
  width: number,
  isWhole = false,
): Promise<string> {
  const path = words.join(' ');
  const topic = ownProperty(topics, path);
  const exact = commands.find((entry) => entry.path === path);
  let lines: readonly string[];
  if (path === '') lines = programHelp(commands, width);
  else if (topic !== undefined) lines = await topic(commands, width);
  else if (exact !== undefined) lines = commandHelp(await exact.load(), width, isWhole);
  else if (commands.some((entry) => entry.path.startsWith(`${path} `)))
    lines = groupHelp(path, commands, width);
  else throw unknownCommand(path, commands);
  return [...lines, ''].join('\n');
}

/** Makes headings bold: lines after an empty one that end with a colon. */
export function withHeadings(text: string, { bold }: Style): string {
  return text.replace(/(?<=\n\n)[A-Z][^\n]*:(?=\n)/g, bold);
}

type Row = readonly [name: string, about: string];

const startHere: readonly Row[] = [
  ['authcli demo', 'a sign-up and a sign-in, explained step by step'],
  ['authcli init', 'set up your endpoint and the service interactively'],
  ['authcli simulate-signup --url URL', 'sign up a test user at your callback endpoint'],
  ['authcli verify --url URL', 'check the endpoint against the interface, also in CI'],
];

/** Commands by purpose: a name is a command with its summary, or a group with its members. */
const overview: Readonly<Record<string, readonly (Row | string)[]>> = {
  'Start here': startHere,
  'Play one side': [
    ['simulate-…', 'act as the service: signup, key-exchange, registration'],
    ['signin', "act as the application's server; single calls: token, authenticate"],
    ['emulate …', 'run either side locally: app, service (tokens: issue-ptn-token)'],
  ],
  'Test an application': [
    ['verify', 'check a callback endpoint; report diff compares two runs'],
    'explore',
    ['load', 'many sign-ups, every key checked; load export: with Artillery'],
  ],
  'Work with real traffic': ['relay', 'analyze', 'learn', 'replay'],
  'Keys and payloads': [
    'key',
    'cipher',
    ['encrypt, decrypt', 'the partner_sp, ptn_sp or ubifill of a user'],
  ],
  'Set up and troubleshoot': ['doctor', 'explain', 'config', 'users'],
};

const groupSummaries: Readonly<Record<string, string>> = {
  report: 'runs of verify, compared',
  key: 'per-user keys, RSA keys',
  cipher: 'the ciphers of the per-user key',
  config: 'settings, by profile',
  users: 'those whose keys are stored',
};

function programHelp(commands: readonly CommandEntry[], width: number): string[] {
  const rowOf = (name: string): Row => {
    const own = commands.find(({ path }) => path === name);
    const words = commands.map(({ path }) => path.split(' '));
    const members = words.flatMap(([group, member = '']) => (group === name ? member : []));
    if (own !== undefined) return [name, own.summary];
    return [`${name} …`, `${groupSummaries[name]}: ${[...new Set(members)].join(', ')}`];
  };
  return [
    ...wrapText(
      "authcli plays the other side of the sign-in service, and tells you what's wrong and how to fix it.",
      width,
    ),
    '',
    'Usage: authcli COMMAND [options]',
    ...Object.entries(overview).flatMap(([title, rows]) => {
      const shown = rows.map((row) => (typeof row === 'string' ? rowOf(row) : row));
      return ['', ...pairs(`${title}:`, shown, width)];
    }),
    '',
    ...wrapText('For programs and coding agents: commands, completion, mcp, openapi', width),
    ...wrapText(
      'More: authcli COMMAND --help, authcli help exit-codes, environment, ciphers',
      width,
    ),
  ];
}

/** What help on a group prints, such as `key`: its commands. */
function groupHelp(group: string, commands: readonly CommandEntry[], width: number): string[] {
  const members = commands.filter(({ path }) => path.startsWith(`${group} `));
  const rows = members.map(({ path, summary }) => [path, summary] as const);
  const summary = groupSummaries[group];
  return [
    ...(summary === undefined ? [] : [`authcli ${group}: ${summary}.`, '']),
    `Usage: authcli ${group} COMMAND [options]`,
    '',
    ...pairs('Commands:', rows, width),
    '',
    `More: authcli ${group} COMMAND --help`,
  ];
}

/** Notes, and options that many commands share, are only in the whole of it. */
function commandHelp(definition: CommandDefinition, width: number, isWhole: boolean): string[] {
  const { flags, notes = [], examples, about, path } = definition;
  const all = [...Object.values<Flag<unknown>>(flags), ...Object.values(globalFlags)];
  const options = (group: string) =>
    all.filter((flag) => !isPositional(flag) && groupOf(flag) === group);
  const network = options('network');
  const own = network.length > 0 ? 'What to send and how to evaluate it' : 'Options';
  const shared = Object.entries({
    Network: network,
    Output: options('output'),
    'Every command': options('general'),
  }).filter(([, some]) => some.length > 0);
  const section = (title: string, some: readonly Flag<unknown>[]) => {
    const rows = some.map((flag) => [flag.syntax, aboutOf(flag, isWhole)] as const);
    return rows.length === 0 ? [] : ['', ...pairs(`${title}:`, rows, width, 36)];
  };
  return [
    ...wrapText(about, width),
    '',
    ...wrapText(`Usage: ${usageOf(definition)}`, width),
    ...section('Arguments', all.filter(isPositional)),
    ...section(own, options('command')),
    ...(isWhole
      ? shared.flatMap(([title, some]) => section(title, some))
      : ['', ...shared.flatMap(([title, some]) => hanging(`${title}: `, names(some), width))]),
    ...(isWhole ? notes.flatMap((note) => ['', ...wrapText(note, width)]) : []),
    '',
    'Examples:',
    ...Object.entries(examples).flatMap(([purpose, line]) => [
      ...wrapText(purpose, width - 4).map((part) => `  # ${part}`),
      `  ${line}`,
    ]),
    '',
    'Exit status:',
    ...exitCodesOf(definition)
      .filter(({ status }) => status < 70)
      .flatMap(({ status, meaning }) => hanging(`  ${status}  `, meaning, width)),
    '',
    ...wrapText(
      'A value "-" reads standard input, "@FILE" a file; a secret may be env:NAME, file:PATH or cmd:COMMAND.',
      width,
    ),
    ...wrapText(
      `More: authcli ${isWhole ? '' : `${path} --help --all, `}help exit-codes, help environment, help ciphers`,
      width,
    ),
  ];
}

function names(flags: readonly Flag<unknown>[]): string {
  return flags.map(sourceName).join(', ');
}

/** Where else a value comes from, and a long default, are said in the whole help. */
function aboutOf(flag: Flag<unknown>, isWhole: boolean): string {
  const { about, fallback = '', setting, required, repeatable, choices } = flag;
  const isOption = !isPositional(flag);
  const traits = [
    required && isOption && 'required',
    choices?.join(', '),
    fallback !== '' && (isWhole || fallback.length < 30) && `default ${fallback}`,
    isWhole && setting && `setting ${setting}`,
    isWhole && environmentName(flag),
    repeatable && isOption && 'repeatable',
  ].filter(Boolean);
  return traits.length === 0 ? about : `${about} (${traits.join('; ')})`;
}

/** Rows below a title, wrapped. An explanation with fewer than `narrowest` columns is below its name. */
export function pairs(
  title: string,
  rows: readonly Row[],
  width: number,
  narrowest = 18,
): string[] {
  const column = Math.max(...rows.map(([name]) => name.length)) + 4;
  const isBeside = width - column >= narrowest;
  const lines = rows.flatMap(([name, about]) =>
    isBeside
      ? hanging(`  ${name}`.padEnd(column), about, width)
      : [...hanging('  ', name, width), ...hanging('      ', about, width)],
  );
  return [title, ...lines];
}

/** One row for each variable, as the first command that has it describes it. */
async function environmentHelp(
  commands: readonly CommandEntry[],
  width: number,
): Promise<readonly string[]> {
  const definitions = await Promise.all(commands.map((entry) => entry.load()));
  const abouts = new Map<string, string>();
  for (const flags of [globalFlags, ...definitions.map((definition) => definition.flags)]) {
    for (const flag of Object.values<Flag<unknown>>(flags)) {
      const name = environmentName(flag);
      if (name !== undefined && !abouts.has(name)) abouts.set(name, flag.about);
    }
  }
  return [
    ...wrapText(
      'Every option with a value can be set in the environment. An option overrides its variable, a variable overrides the setting of the profile.',
      width,
    ),
    ...pairs('', [...abouts].sort(), width),
    '',
    ...wrapText(
      'Also supported: NO_COLOR, FORCE_COLOR (0 to 3), TERM, CI, HTTP_PROXY, HTTPS_PROXY, NO_PROXY.',
      width,
    ),
  ];
}

const cipherRemarks: Readonly<Record<string, string>> = {
  utf8: "the key's characters as bytes",
  'evp-sha256': 'OpenSSL and CryptoJS passphrases',
  sha1prng: "Java's seeded generator",
  prefix: 'random, before the ciphertext',
  'hex:…': 'fixed',
};

function cipherHelp(width: number): string[] {
  const list = (words: readonly (string | number)[]) =>
    words
      .map((word) => (cipherRemarks[word] ? `${word} (${cipherRemarks[word]})` : word))
      .join(', ');
  const notation: readonly Row[] = [
    [
      'algorithm',
      'aes-256-cbc (default); aes-{128,192,256}-{cbc,ecb,ctr,cfb,gcm}, the same for aria-, des-ede3-cbc',
    ],
    ['key', list(keyReadings)],
    ['iv', list([...ivRules, 'hex:…'])],
    ['padding', list(paddings)],
    ['encoding', list(payloadEncodings)],
    ['tag', `${list(tagPlaces)} (gcm)`],
    ['ivlen', `${list(ivLengths)} (gcm)`],
  ];
  return [
    ...wrapText(
      'The cipher of the per-user key is written ALGORITHM?key=…&iv=…&padding=…&encoding=…',
      width,
    ),
    ...pairs('', notation, width),
    '',
    ...wrapText(
      "The first value of each row is the default. To set a cipher for the profile: `authcli config set cipher '…'`. Common ciphers:",
      width,
    ),
    '',
    ...cipherPresets.flatMap(({ cipher, description }) => [
      `  ${cipher}`,
      ...hanging('      ', description, width),
    ]),
  ];
}
