import { wrapText } from '../reports/human.ts';
import type { CommandEntry } from './command.ts';
import { pairs } from './help.ts';

const startHere = [
  ['authcli demo', 'a sign-up and a sign-in, explained step by step'],
  ['authcli init', 'set up by questions where your endpoint and the service are'],
] as const;

const mostUsed = [
  ['authcli simulate-signup --url URL', 'sign a test user up at your callback endpoint'],
  ['authcli signin --ptn-token TOKEN', 'sign a user in, as your server would'],
  ['authcli verify --url URL', 'check the endpoint against the interface, here and in CI'],
  [
    'authcli key unwrap TEXT --private-key FILE',
    "open a wrapped key, or say why it can't be opened",
  ],
] as const;

/** The help of the program: what it is for, the commands people come for, and all of them. */
export function programHelp(commands: readonly CommandEntry[], width: number): string {
  return [
    ...wrapText(
      'authcli plays the other side of the sign-in service, and says what is wrong and how to mend it.',
      width,
    ),
    '',
    'Usage: authcli COMMAND [options]',
    '',
    ...pairs('Start here:', startHere, width),
    '',
    ...pairs('What people come for:', mostUsed, width),
    ...overview(commands).flatMap(([title, rows]) => ['', ...pairs(`${title}:`, rows, width)]),
    '',
    ...wrapText(
      'Every command explains itself: authcli COMMAND --help. Also: authcli help exit-codes, help environment, help ciphers',
      width,
    ),
    '',
  ].join('\n');
}

/** What the commands are for, each with the first words of its commands, in the order of the help. */
const purposes: readonly (readonly [title: string, words: readonly string[]])[] = [
  [
    'Play the service towards your endpoint',
    [
      'simulate-signup',
      'simulate-key-exchange',
      'simulate-registration',
      'verify',
      'load',
      'report',
    ],
  ],
  ['Play your server towards the service', ['signin', 'token', 'authenticate', 'verify-service']],
  ['Run either side here', ['demo', 'emulate', 'issue-ptn-token']],
  ['Keys, ciphers and payloads', ['key', 'cipher', 'encrypt', 'decrypt']],
  [
    'Set up, and find out what is wrong',
    ['init', 'doctor', 'explain', 'config', 'users', 'completion', 'commands'],
  ],
];

/** What a group of commands is about; its members are in one line of the overview. */
const groupSummaries: Readonly<Record<string, string>> = {
  key: 'per-user keys and RSA key pairs',
  cipher: 'the ciphers of the per-user key',
  config: 'settings, by profile',
  users: 'the users whose keys are known here',
};

type Row = readonly [name: string, about: string];

/** Every command under what it is for; one that nobody has placed is under the last. */
function overview(commands: readonly CommandEntry[]): (readonly [title: string, rows: Row[]])[] {
  const placed = new Set(purposes.flatMap(([, words]) => words));
  const others = commands.map(firstWord).filter((word) => !placed.has(word));
  return purposes.map(([title, words], index) => {
    const all = index === purposes.length - 1 ? [...words, ...new Set(others)] : words;
    return [title, all.flatMap((word) => rowsOf(word, commands))];
  });
}

function rowsOf(word: string, commands: readonly CommandEntry[]): Row[] {
  const members = commands.filter((entry) => firstWord(entry) === word);
  const summary = groupSummaries[word];
  if (summary === undefined) return members.map(({ path, summary: about }) => [path, about]);
  const names = new Set(members.map(({ path }) => path.split(' ')[1] ?? ''));
  return [[`${word} …`, `${summary}: ${[...names].join(', ')}`]];
}

function firstWord({ path }: CommandEntry): string {
  return path.split(' ')[0] ?? '';
}

/** The help of a group of commands: `authcli key`. */
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
