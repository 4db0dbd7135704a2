import type { State } from '../../state/state.ts';
import { escapeControls } from '../../text.ts';
import { commands } from '../commands/index.ts';
import type { Context } from '../context.ts';
import { openLocalState } from '../session.ts';
import type { CompletionSpec, Offer, SpecFlag } from './completion-spec.ts';
import { type BashLine, readBashLine } from './shell-words.ts';

/** Words to offer, or the files that the shell finds itself. */
export type Completion = readonly Offer[] | 'files';

export interface CompletionSources {
  readonly spec: CompletionSpec;
  readonly profiles: () => Promise<readonly string[]>;
  readonly userCodes: () => Promise<readonly string[]>;
}

/** The offers for `current`, the word at the cursor, after `words`. */
export async function complete(
  words: readonly string[],
  current: string,
  sources: CompletionSources,
): Promise<Completion> {
  if (words.includes('--')) return 'files';
  const line = readLine(words, sources.spec);
  const found =
    current.startsWith('--') && line.awaiting === undefined
      ? flagOffers(line, words)
      : await wordOffers(line, sources);
  return found === 'files' ? found : found.filter(([value]) => value.startsWith(current));
}

async function wordOffers(line: Line, sources: CompletionSources): Promise<Completion> {
  const { path, command, positionals, awaiting } = line;
  if (awaiting !== undefined) return valueOffers(awaiting, sources);
  if (path[0] === 'help') return helpOffers(path.slice(1), sources.spec);
  const argument = command?.positionals[positionals];
  if (argument !== undefined) return valueOffers(argument, sources);
  return positionals === 0 ? nextWords(path, sources.spec) : [];
}

async function valueOffers(
  { choices, candidates, input }: SpecFlag,
  { spec, profiles, userCodes }: CompletionSources,
): Promise<Completion> {
  if (choices !== undefined) return choices.map(withoutAbout);
  if (candidates === 'profile') return (await profiles()).map(withoutAbout);
  if (candidates === 'user-code') return (await userCodes()).map(withoutAbout);
  if (candidates !== undefined) return spec.words[candidates] ?? [];
  return input === 'file' || input === 'path' ? 'files' : [];
}

function withoutAbout(word: string): Offer {
  return [word, ''];
}

interface Line {
  readonly path: readonly string[];
  readonly command: CompletionSpec['commands'][number] | undefined;
  readonly flags: readonly SpecFlag[];
  readonly positionals: number;
  /** The flag whose value is completed. */
  readonly awaiting: SpecFlag | undefined;
}

function readLine(words: readonly string[], spec: CompletionSpec): Line {
  const path: string[] = [];
  let positionals = 0;
  let awaiting: SpecFlag | undefined;
  const commandAt = (): Line['command'] =>
    spec.commands.find((command) => command.path === path.join(' '));
  const flags = (): readonly SpecFlag[] => [...(commandAt()?.flags ?? []), ...spec.globals];
  for (const word of words) {
    const isFirst = path.length === 0 && positionals === 0;
    if (awaiting !== undefined) awaiting = undefined;
    else if (word.startsWith('-') && word !== '-')
      awaiting = flags().find(({ name, hasValue }) => hasValue && name === word);
    else if (path[0] === 'help' || (isFirst && word === 'help')) path.push(word);
    else if (positionals === 0 && leadsOn([...path, word], spec)) path.push(word);
    else positionals += 1;
  }
  return { path, command: commandAt(), flags: flags(), positionals, awaiting };
}

function leadsOn(path: readonly string[], { commands }: CompletionSpec): boolean {
  return commands.some((command) => `${command.path} `.startsWith(`${path.join(' ')} `));
}

/** Commands that share their next word are one offer. */
function nextWords(path: readonly string[], { commands }: CompletionSpec): readonly Offer[] {
  const before = path.length === 0 ? '' : `${path.join(' ')} `;
  const offers = new Map<string, string>();
  for (const command of commands) {
    if (!command.path.startsWith(before) || command.path === path.join(' ')) continue;
    const [word = '', ...more] = command.path.slice(before.length).split(' ');
    const others = offers.has(word) || more.length > 0;
    offers.set(word, others ? `${before}${word} …` : command.summary);
  }
  return [...offers, ...(path.length === 0 ? [['help', 'how a command is used'] as const] : [])];
}

function helpOffers(path: readonly string[], spec: CompletionSpec): readonly Offer[] {
  const topics = spec.topics.map((topic) => [topic, 'a topic of the help'] as const);
  const words = nextWords(path, spec).filter(([word]) => word !== 'help');
  return path.length === 0 ? [...words, ...topics] : words;
}

function flagOffers({ flags, command }: Line, words: readonly string[]): readonly Offer[] {
  const given = new Set(words.map((word) => word.replace(/=.*$/s, '')));
  const left = flags.filter(({ name, repeatable }) => repeatable || !given.has(name));
  const own = left.map(({ name, about }) => [name, about] as const);
  const version = command === undefined ? [['--version', 'the release'] as const] : [];
  return [...own, ['--help', 'how it is used'], ...version];
}

const mostUsers = 1000;

/**
 * Answers a completion script: prints "files" or "words", then "VALUE" or "VALUE<tab>ABOUT" for each offer.
 * It is called with `bash LINE REPLACED`, and by the other shells with `SHELL WORD... CURRENT`, in PowerShell
 * with a dot before each word. Errors offer nothing.
 */
export async function runCompletion(argv: readonly string[], context: Context): Promise<number> {
  try {
    context.stdout.write(await completionText(argv, context));
  } catch {
    context.stdout.write('words\n');
  }
  return 0;
}

async function completionText(argv: readonly string[], context: Context): Promise<string> {
  const { words, current, completed } = typedLine(argv);
  const found = await complete(words, current, await sourcesFor(words, context));
  if (found === 'files') return 'files\n';
  const lines = found.filter(isPlain).flatMap(([value, about]) => {
    const text = completed(value);
    return text === undefined ? [] : [about === '' ? text : `${text}\t${about}`];
  });
  return `${['words', ...lines].join('\n')}\n`;
}

/** bash quotes nothing by itself; the other scripts, or their shells, quote what is offered. */
function typedLine([shell, ...given]: readonly string[]): BashLine {
  const [line = '', replaced = ''] = given;
  if (shell === 'bash') {
    const typed = readBashLine(line, replaced);
    return { ...typed, words: typed.words.slice(1) };
  }
  const words = shell === 'powershell' ? given.map((word) => word.slice(1)) : given;
  const completed = (value: string) =>
    shell === 'powershell' && isBrokenByPowerShell(value) ? undefined : value;
  return { words: words.slice(0, -1), current: words.at(-1) ?? '', completed };
}

/** Windows PowerShell hands over a double quote, and a backslash behind blanks at the end, as something else. */
function isBrokenByPowerShell(value: string): boolean {
  return value.includes('"') || (value.endsWith('\\') && /\s/.test(value));
}

/** Control characters would break the lines between script and program, and shells show them as they are. */
function isPlain([value]: Offer): boolean {
  return escapeControls(value) === value;
}

async function sourcesFor(words: readonly string[], context: Context): Promise<CompletionSources> {
  const { env } = context;
  const config = lastOf('--config', words) ?? (env.AUTHCLI_CONFIG || undefined);
  const profile = lastOf('--profile', words) ?? (env.AUTHCLI_PROFILE || undefined);
  const state = (): Promise<State> => openLocalState(context, { config, profile });
  return {
    spec: await loadSpec(context),
    profiles: async () => (await state()).profiles.list(),
    userCodes: async () => {
      const { users } = await state();
      return users.count() > mostUsers ? [] : users.list().map(({ ptnCd }) => ptnCd);
    },
  };
}

/** What the build wrote; from the source it is computed. */
async function loadSpec(context: Context): Promise<CompletionSpec> {
  const ready = await context.completionText();
  if (ready !== undefined) return JSON.parse(ready) as CompletionSpec;
  const { completionSpec } = await import('./completion-spec.ts');
  return completionSpec(commands);
}

function lastOf(flag: string, words: readonly string[]): string | undefined {
  const joined = words.findLast((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
  const at = words.lastIndexOf(flag);
  return at === -1 ? joined : words[at + 1];
}
