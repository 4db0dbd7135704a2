import {
  type Completion,
  type CompletionWorld,
  files,
  listed,
  matching,
  valueOffers,
} from './complete-values.ts';
import type { CompletionSpec, Offer, SpecFlag } from './completion-spec.ts';

/** The offers for `current`, the word at the cursor, behind the `words` of the command line. */
export function complete(
  words: readonly string[],
  current: string,
  world: CompletionWorld,
): Completion {
  if (words.includes('--')) return files('files', '');
  const { spec } = world;
  const line = readLine(words, spec);
  if (line.awaiting !== undefined) return valueOffers(line.awaiting, current, '', world);
  const [, flagGiven, value] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (flagGiven !== undefined) {
    const flag = line.flags.find(({ name }) => name === flagGiven);
    return flag?.hasValue === true
      ? valueOffers(flag, value ?? '', `${flagGiven}=`, world)
      : listed('words', []);
  }
  if (current.startsWith('-') && current !== '-') {
    return matching('words', flagOffers(line, words), current);
  }
  if (line.path[0] === 'help')
    return matching('words', helpOffers(line.path.slice(1), spec), current);
  if (line.command === undefined) {
    const isLost = line.positionals > 0;
    return matching('words', isLost ? [] : nextWords(line.path, spec), current);
  }
  const group = nextWords(line.path, spec);
  const positional = line.command.positionals[line.positionals];
  if (group.length > 0 && line.positionals === 0 && positional === undefined)
    return matching('words', group, current);
  return positional === undefined
    ? listed('words', [])
    : valueOffers(positional, current, '', world);
}

interface Line {
  /** The words of the command. */
  readonly path: readonly string[];
  readonly command: CompletionSpec['commands'][number] | undefined;
  readonly flags: readonly SpecFlag[];
  /** How many arguments stand behind the command. */
  readonly positionals: number;
  /** The flag whose value comes next. */
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
    if (awaiting !== undefined) awaiting = undefined;
    else if (word.startsWith('-') && word !== '-')
      awaiting = flags().find(({ name, hasValue }) => hasValue && name === word);
    else if (path[0] === 'help' || leadsOn([...path, word], spec)) path.push(word);
    else if (path.length === 0 && word === 'help') path.push(word);
    else positionals += 1;
  }
  return { path, command: commandAt(), flags: flags(), positionals, awaiting };
}

function leadsOn(path: readonly string[], { commands }: CompletionSpec): boolean {
  return commands.some((command) => `${command.path} `.startsWith(`${path.join(' ')} `));
}

/** The words that may follow: of several commands with the same next word, one offer for all of them. */
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
