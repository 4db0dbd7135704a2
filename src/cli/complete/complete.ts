import { escapeControls } from '../../text.ts';
import { commands } from '../commands/index.ts';
import type { Context } from '../context.ts';
import { openLocalState } from '../session.ts';
import type { CompletionSpec, Offer, SpecFlag } from './completion-spec.ts';

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
  const spec = await loadSpec(context);
  const line = readLine(words, spec);
  const { path, command, positionals, awaiting } = line;
  const argument = awaiting ?? command?.positionals[positionals];
  let found: readonly Offer[] | 'files' = [];
  if (current.startsWith('--') && awaiting === undefined) found = flagOffers(line, words);
  else if (path[0] === 'help') found = helpOffers(path.slice(1), spec);
  else if (argument !== undefined) found = await valueOffers(argument, words, spec, context);
  else if (positionals === 0) found = nextWords(path, spec);
  return found === 'files' ? found : found.filter(([value]) => value.startsWith(current));
}

/** What the build wrote; from the source it is computed. */
async function loadSpec(context: Context): Promise<CompletionSpec> {
  const ready = await context.packageText('dist/completion.json').catch(() => undefined);
  if (ready !== undefined) return JSON.parse(ready) as CompletionSpec;
  const { completionSpec } = await import('./completion-spec.ts');
  return completionSpec(commands);
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
  const commandAt = () => spec.commands.find((command) => command.path === path.join(' '));
  const flags = () => [...(commandAt()?.flags ?? []), ...spec.globals];
  const leadsOn = (next: string) =>
    spec.commands.some((command) => `${command.path} `.startsWith(`${next} `));
  for (const word of words) {
    if (awaiting !== undefined) awaiting = undefined;
    else if (word.startsWith('-') && word !== '-')
      awaiting = flags().find(({ name, hasValue }) => hasValue && name === word);
    else if (positionals > 0) positionals += 1;
    else if (path[0] === 'help' || (path.length === 0 && word === 'help')) path.push(word);
    else if (leadsOn([...path, word].join(' '))) path.push(word);
    else positionals += 1;
  }
  return { path, command: commandAt(), flags: flags(), positionals, awaiting };
}

async function valueOffers(
  { choices, candidates, input }: SpecFlag,
  words: readonly string[],
  { words: known }: CompletionSpec,
  context: Context,
): Promise<readonly Offer[] | 'files'> {
  const bare = (values: readonly string[]) => values.map((value) => [value, ''] as const);
  if (choices !== undefined) return bare(choices);
  if (candidates === undefined) return input === 'file' || input === 'path' ? 'files' : [];
  if (candidates !== 'profile' && candidates !== 'user-code') return known[candidates] ?? [];
  const { env } = context;
  const config = lastOf('--config', words) ?? (env.AUTHCLI_CONFIG || undefined);
  const profile = lastOf('--profile', words) ?? (env.AUTHCLI_PROFILE || undefined);
  const { profiles, users } = await openLocalState(context, { config, profile });
  if (candidates === 'profile') return bare(profiles.list());
  return users.count() > mostUsers ? [] : bare(users.list().map(({ ptnCd }) => ptnCd));
}

function lastOf(flag: string, words: readonly string[]): string | undefined {
  const joined = words.findLast((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
  const at = words.lastIndexOf(flag);
  return at === -1 ? joined : words[at + 1];
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

function flagOffers({ flags }: Line, words: readonly string[]): readonly Offer[] {
  const given = new Set(words.map((word) => word.replace(/=.*$/s, '')));
  const left = flags.filter(({ name, repeatable }) => repeatable || !given.has(name));
  return [...left.map(({ name, about }) => [name, about] as const), ['--help', 'how it is used']];
}
