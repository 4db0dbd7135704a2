import { settingDefinitions } from '../../state/settings.ts';
import { escapeControls } from '../../text.ts';
import {
  type CandidateKind,
  type Flag,
  isPositional,
  sourceName,
  takesValue,
} from '../args/options.ts';
import { globalFlags } from '../args/shared-flags.ts';
import { commands } from '../commands/index.ts';
import type { Context } from '../context.ts';
import { openLocalState } from '../session.ts';

type Offer = readonly [value: string, about: string];

/** With more, none is offered. */
const mostUsers = 1000;

/**
 * Answers a completion script: prints "files", which the shell finds itself, or "words", then "VALUE" or
 * "VALUE<tab>ABOUT" for each offer. It is called with `SHELL WORD... CURRENT`, in PowerShell with a dot before each
 * word. Errors offer nothing.
 */
export async function runCompletion(
  [shell, ...given]: readonly string[],
  context: Context,
): Promise<number> {
  // bash splits --url=x into three words.
  const typed = shell === 'bash' ? given.filter((word) => word !== '=') : given;
  const words = shell === 'powershell' ? typed.map((word) => word.slice(1)) : typed;
  try {
    const found = await complete(words.slice(0, -1), words.at(-1) ?? '', context);
    const offers = found === 'files' ? [] : found.filter(([value]) => isPlain(value, shell));
    const lines = offers.map(([value, about]) => (about === '' ? value : `${value}\t${about}`));
    context.stdout.write(`${[found === 'files' ? found : 'words', ...lines].join('\n')}\n`);
  } catch {
    context.stdout.write('words\n');
  }
  return 0;
}

/**
 * Control characters would break the lines between script and program. bash quotes nothing by itself; Windows
 * PowerShell hands over a double quote, and a backslash behind blanks at the end, as something else.
 */
function isPlain(value: string, shell: string | undefined): boolean {
  if (shell === 'bash') return /^[\w%+,./@\u0080-\uffff-]+$/.test(value);
  const isBroken = value.includes('"') || (value.endsWith('\\') && /\s/.test(value));
  return escapeControls(value) === value && !(shell === 'powershell' && isBroken);
}

/** The offers for `current`, the word at the cursor, after `words`. */
async function complete(
  words: readonly string[],
  current: string,
  context: Context,
): Promise<readonly Offer[] | 'files'> {
  if (words.includes('--')) return 'files';
  const line = await readLine(words);
  const { path, flags, places, awaiting } = line;
  const argument = awaiting ?? flags.filter(isPositional)[places];
  let found: readonly Offer[] | 'files' = [];
  if (current.startsWith('--') && awaiting === undefined) found = flagOffers(line, words);
  else if (path[0] === 'help') found = await helpOffers(path.slice(1));
  else if (argument !== undefined) found = await valueOffers(argument, words, context);
  else if (places === 0) found = nextWords(path);
  return found === 'files' ? found : found.filter(([value]) => value.startsWith(current));
}

interface Line {
  readonly path: readonly string[];
  /** Those of the command, and those that every command takes. */
  readonly flags: readonly Flag<unknown>[];
  /** How many arguments were given. */
  readonly places: number;
  /** The flag whose value is completed. */
  readonly awaiting: Flag<unknown> | undefined;
}

async function readLine(words: readonly string[]): Promise<Line> {
  const path: string[] = [];
  let places = 0;
  let awaiting: Flag<unknown> | undefined;
  let flags: readonly Flag<unknown>[] = Object.values(globalFlags);
  for (const word of words) {
    const next = [...path, word].join(' ');
    if (awaiting !== undefined) awaiting = undefined;
    else if (word.startsWith('-') && word !== '-')
      awaiting = flags.find((flag) => takesValue(flag) && sourceName(flag) === word);
    else if (places > 0) places += 1;
    else if (path[0] === 'help' || next === 'help') path.push(word);
    else if (commands.some((command) => `${command.path} `.startsWith(`${next} `))) {
      path.push(word);
      const entry = commands.find((command) => command.path === next);
      const own = entry === undefined ? {} : (await entry.load()).flags;
      flags = Object.values<Flag<unknown>>({ ...own, ...globalFlags });
    } else places += 1;
  }
  return { path, flags, places, awaiting };
}

async function valueOffers(
  { choices, candidates, input }: Flag<unknown>,
  words: readonly string[],
  context: Context,
): Promise<readonly Offer[] | 'files'> {
  if (choices !== undefined) return bare(choices);
  if (candidates === undefined) return input === 'file' || input === 'path' ? 'files' : [];
  const { env } = context;
  const config = lastOf('--config', words) ?? (env.AUTHCLI_CONFIG || undefined);
  const profile = lastOf('--profile', words) ?? (env.AUTHCLI_PROFILE || undefined);
  return offersOf[candidates](() => openLocalState(context, { config, profile }));
}

function bare(values: readonly string[]): readonly Offer[] {
  return values.map((value) => [value, ''] as const);
}

const offersOf: Readonly<
  Record<
    CandidateKind,
    (openState: () => ReturnType<typeof openLocalState>) => Promise<readonly Offer[]>
  >
> = {
  profile: async (openState) => bare((await openState()).profiles.list()),
  'user-code': async (openState) => {
    const { users } = await openState();
    return users.count() > mostUsers ? [] : bare(users.list().map(({ ptnCd }) => ptnCd));
  },
  setting: async () => settingDefinitions.map(({ name, description }) => [name, description]),
  cipher: async () => {
    const { algorithms } = await import('../../crypto/cipher.ts');
    return bare(algorithms.map(({ name }) => name));
  },
  'callback-check': async () => {
    const { checks } = await import('../../conformance/catalogue.ts');
    const { signinChecks } = await import('../../conformance/signin-catalogue.ts');
    return [...checks, ...signinChecks].map(({ id, title }) => [id, title]);
  },
  'explore-operation': async () => {
    const { operations } = await import('../../explore/operations.ts');
    return operations.map(({ id, about }) => [id, about]);
  },
  'application-fault': () => faultOffers('application'),
  'service-fault': () => faultOffers('service'),
  code: async () => {
    const { explanationGroups } = await import('../explain/explanations.ts');
    const all = explanationGroups().flatMap(({ explanations }) => explanations);
    return all.map(({ code, title }) => [code, title]);
  },
};

async function faultOffers(side: 'application' | 'service'): Promise<readonly Offer[]> {
  const { applicationFaults, serviceFaults } = await import('../../emulator/faults.ts');
  const { tlsFaults } = await import('../../emulator/faults/tls.ts');
  const own = side === 'application' ? applicationFaults : serviceFaults;
  return [...own, ...tlsFaults(side)].map(({ name, title }) => [name, title]);
}

function lastOf(flag: string, words: readonly string[]): string | undefined {
  const joined = words.findLast((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
  const at = words.lastIndexOf(flag);
  return at === -1 ? joined : words[at + 1];
}

/** Commands that share their next word are one offer. */
function nextWords(path: readonly string[]): readonly Offer[] {
  const before = path.length === 0 ? '' : `${path.join(' ')} `;
  const found = new Map<string, string>();
  for (const command of commands) {
    if (!command.path.startsWith(before) || command.path === path.join(' ')) continue;
    const [word = '', ...more] = command.path.slice(before.length).split(' ');
    const others = found.has(word) || more.length > 0;
    found.set(word, others ? `${before}${word} …` : command.summary);
  }
  return [...found, ...(path.length === 0 ? [['help', 'how a command is used'] as const] : [])];
}

async function helpOffers(path: readonly string[]): Promise<readonly Offer[]> {
  const { helpTopics } = await import('../terminal/help.ts');
  const topics = helpTopics.map((topic) => [topic, 'a topic of the help'] as const);
  const words = nextWords(path).filter(([word]) => word !== 'help');
  return path.length === 0 ? [...words, ...topics] : words;
}

function flagOffers({ flags }: Line, words: readonly string[]): readonly Offer[] {
  const given = new Set(words.map((word) => word.replace(/=.*$/s, '')));
  const left = flags.filter((flag) => flag.repeatable || !given.has(sourceName(flag)));
  const options = left.filter((flag) => !isPositional(flag));
  const names = options.map((flag) => [sourceName(flag), flag.about] as const);
  return [...names, ['--help', 'how it is used']];
}
