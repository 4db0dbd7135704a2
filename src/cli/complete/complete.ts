import { settingDescriptions } from '../../state/settings.ts';
import { escapeControls } from '../../text.ts';
import { commandTree, emptyLine, type Given, readCommandLine } from '../args/command-line.ts';
import {
  type CandidateKind,
  type Flag,
  isPositional,
  sourceName,
  takesValue,
} from '../args/options.ts';
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
export async function runCompletion([shell, ...given]: readonly string[], context: Context) {
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
async function complete(words: readonly string[], current: string, context: Context) {
  if (words.includes('--')) return 'files';
  const line = emptyLine();
  const [option] = words.slice(-1).filter((word) => /^-[^=]+$/.test(word));
  const before = option === undefined ? words : words.slice(0, -1);
  const wanted = await readCommandLine(before, line).catch(() => undefined);
  const flags = Object.entries<Flag<unknown>>(line.flags);
  const isLeft = ([key, flag]: (typeof flags)[number]) =>
    flag.repeatable || !(line.given.has(key) || sourceName(flag) === option);
  const [, awaiting] =
    flags.find(([, flag]) => takesValue(flag) && sourceName(flag) === option) ?? [];
  const [, place] = flags.find((entry) => isPositional(entry[1]) && isLeft(entry)) ?? [];
  const argument = awaiting ?? place;
  let found: readonly Offer[] | 'files' = [];
  if (current.startsWith('--') && awaiting === undefined)
    found = optionOffers(flags.filter(isLeft).map(([, flag]) => flag));
  else if (line.path === 'help' && typeof wanted === 'object')
    found = await helpOffers(wanted.help.join(' '));
  else if (argument !== undefined) found = await valueOffers(argument, line.given, context);
  else found = nextWords(line.path);
  return found === 'files' ? found : found.filter(([value]) => value.startsWith(current));
}

async function valueOffers(
  { choices, candidates, input }: Flag<unknown>,
  given: Given,
  context: Context,
): Promise<readonly Offer[] | 'files'> {
  if (choices !== undefined) return bare(choices);
  if (candidates === undefined) return input === 'file' || input === 'path' ? 'files' : [];
  const { AUTHCLI_CONFIG, AUTHCLI_PROFILE } = context.env;
  const config = given.get('config')?.at(-1) ?? (AUTHCLI_CONFIG || undefined);
  const profile = given.get('profile')?.at(-1) ?? (AUTHCLI_PROFILE || undefined);
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
  setting: async () => Object.entries(settingDescriptions),
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

function nextWords(path: string): readonly Offer[] {
  const members = commandTree().get(path)?.commands ?? [];
  return members.map((command) => [command.name(), command.summary()]);
}

async function helpOffers(path: string): Promise<readonly Offer[]> {
  if (path !== '') return nextWords(path);
  const { helpTopics } = await import('../terminal/help.ts');
  const topics = helpTopics.map((topic) => [topic, 'a topic of the help'] as const);
  return [...nextWords('').filter(([word]) => word !== 'help'), ...topics];
}

function optionOffers(flags: readonly Flag<unknown>[]): readonly Offer[] {
  const options = flags.filter((flag) => !isPositional(flag));
  const offers = options.map((flag) => [sourceName(flag), flag.about] as const);
  return [...offers, ['--help', 'how it is used']];
}
