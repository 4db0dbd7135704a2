import {
  ivLengths,
  ivRules,
  keyReadings,
  paddings,
  payloadEncodings,
  tagPlaces,
} from '../../crypto/cipher.ts';
import { cipherPresets } from '../../crypto/cipher-notation.ts';
import { hanging, wrapText } from '../../reports/human.ts';
import { ownProperty } from '../../text.ts';
import { unknownCommand } from '../args/command-line.ts';
import { globalFlags } from '../args/shared-flags.ts';
import type { CommandEntry } from '../command.ts';
import { exitStatusMeanings } from '../exit-status.ts';
import { commandHelp, environmentHelp, pairs } from './help.ts';

type Topic = (commands: readonly CommandEntry[], width: number) => Promise<string>;

const topics: Readonly<Record<string, Topic>> = {
  'exit-codes': async (_, width) => exitCodeHelp(width),
  environment: async (commands, width) => {
    const definitions = await Promise.all(commands.map((entry) => entry.load()));
    return environmentHelp(
      [globalFlags, ...definitions.map((definition) => definition.flags)],
      width,
    );
  },
  ciphers: async (_, width) => cipherHelp(width),
};

export const helpTopics = Object.keys(topics);

function exitCodeHelp(width: number): string {
  return [
    ...exitStatusMeanings.flatMap(([status, meaning]) =>
      hanging(`${String(status).padStart(4)}  `, meaning, width),
    ),
    '',
    ...wrapText(
      'If several apply, the first of 70, 2, 1, 3 counts. `emulate … -- COMMAND` exits with the status of COMMAND.',
      width,
    ),
    '',
  ].join('\n');
}

const cipherRemarks: Readonly<Record<string, string>> = {
  utf8: "the key's characters as bytes",
  'evp-sha256': 'OpenSSL and CryptoJS passphrases',
  sha1prng: "Java's seeded generator",
  prefix: 'random, before the ciphertext',
  'hex:…': 'fixed',
};

function remarked(words: readonly (string | number)[]): string {
  return words
    .map((word) => (cipherRemarks[word] === undefined ? word : `${word} (${cipherRemarks[word]})`))
    .join(', ');
}

const notation = [
  [
    'algorithm',
    'aes-256-cbc (default); aes-{128,192,256}-{cbc,ecb,ctr,cfb,gcm}, the same for aria-, des-ede3-cbc',
  ],
  ['key', remarked(keyReadings)],
  ['iv', remarked([...ivRules, 'hex:…'])],
  ['padding', remarked(paddings)],
  ['encoding', remarked(payloadEncodings)],
  ['tag', `${remarked(tagPlaces)} (gcm)`],
  ['ivlen', `${remarked(ivLengths)} (gcm)`],
] as const;

function cipherHelp(width: number): string {
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
    '',
  ].join('\n');
}

/** The help for the words behind `help` or before `--help`. Throws `usage` for unknown words. */
export async function helpOn(
  words: readonly string[],
  commands: readonly CommandEntry[],
  width: number,
  isWhole = false,
): Promise<string> {
  if (words.length === 0) return programHelp(commands, width);
  const path = words.join(' ');
  const topic = ownProperty(topics, path);
  if (topic !== undefined) return topic(commands, width);
  const isGroup = commands.some((entry) => entry.path.startsWith(`${path} `));
  const exact = commands.find((entry) => entry.path === path);
  if (exact !== undefined) return commandHelp(await exact.load(), width, isWhole);
  if (isGroup) return groupHelp(path, commands, width);
  throw unknownCommand(path, commands);
}

type Row = readonly [name: string, about: string];

const startHere: readonly Row[] = [
  ['authcli demo', 'a sign-up and a sign-in, explained step by step'],
  ['authcli init', 'set up your endpoint and the service interactively'],
  ['authcli simulate-signup --url URL', 'sign up a test user at your callback endpoint'],
  ['authcli verify --url URL', 'check the endpoint against the interface, also in CI'],
];

/** What `authcli --help` prints: commands by purpose. */
export function programHelp(commands: readonly CommandEntry[], width: number): string {
  return [
    ...wrapText(
      "authcli plays the other side of the sign-in service, and tells you what's wrong and how to fix it.",
      width,
    ),
    '',
    'Usage: authcli COMMAND [options]',
    '',
    ...pairs('Start here:', startHere, width),
    ...overview.flatMap(([title, rows]) => [
      '',
      ...pairs(
        `${title}:`,
        rows.map((row) => (typeof row === 'string' ? rowOf(row, commands) : row)),
        width,
      ),
    ]),
    '',
    ...wrapText('For programs and coding agents: commands, completion, mcp, openapi', width),
    ...wrapText(
      'More: authcli COMMAND --help, authcli help exit-codes, environment, ciphers',
      width,
    ),
    '',
  ].join('\n');
}

/** A name is a command with its summary, or a group with its members; every command is in it by its path or as a member. */
const overview: readonly (readonly [title: string, rows: readonly (Row | string)[]])[] = [
  [
    'Play one side',
    [
      ['simulate-…', 'act as the service: signup, key-exchange, registration'],
      ['signin', "act as the application's server; single calls: token, authenticate"],
      ['emulate …', 'run either side locally: app, service (tokens: issue-ptn-token)'],
    ],
  ],
  [
    'Test an application',
    [
      ['verify', 'check a callback endpoint; report diff compares two runs'],
      'explore',
      ['load', 'many sign-ups, every key checked; load export: with Artillery'],
    ],
  ],
  ['Work with real traffic', ['relay', 'analyze', 'learn', 'replay']],
  [
    'Keys and payloads',
    ['key', 'cipher', ['encrypt, decrypt', 'the partner_sp, ptn_sp or ubifill of a user']],
  ],
  ['Set up and troubleshoot', ['doctor', 'explain', 'config', 'users']],
];

const groupSummaries: Readonly<Record<string, string>> = {
  report: 'runs of verify, compared',
  key: 'per-user keys, RSA keys',
  cipher: 'the ciphers of the per-user key',
  config: 'settings, by profile',
  users: 'those whose keys are stored',
};

function rowOf(name: string, commands: readonly CommandEntry[]): Row {
  const own = commands.find(({ path }) => path === name);
  if (own !== undefined) return [name, own.summary];
  const words = commands.map(({ path }) => path.split(' '));
  const members = words.flatMap(([group, member = '']) => (group === name ? member : []));
  return [`${name} …`, `${groupSummaries[name]}: ${[...new Set(members)].join(', ')}`];
}

/** What help on a group prints, such as `key`: its commands. */
export function groupHelp(group: string, commands: readonly CommandEntry[], width: number): string {
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
    '',
  ].join('\n');
}
