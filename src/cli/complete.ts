import type { CompletionSpec, Offer, SpecFlag } from './completion-spec.ts';

/**
 * What a shell is to offer for the word at the cursor.
 * - `words`: these, each followed by a space
 * - `open`: these; the word goes on behind each of them
 * - `files`, `folders`: what the shell finds there, behind `prefix`
 */
export interface Completion {
  readonly mode: 'words' | 'open' | 'files' | 'folders';
  readonly prefix: string;
  readonly offers: readonly Offer[];
}

/** What completion asks of the local state and the environment. */
export interface CompletionWorld {
  readonly spec: CompletionSpec;
  readonly profiles: () => readonly string[];
  readonly userCodes: () => readonly string[];
  readonly variables: () => readonly string[];
}

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

function valueOffers(
  flag: SpecFlag,
  current: string,
  before: string,
  world: CompletionWorld,
): Completion {
  const found = offersOf(flag, current, world);
  return {
    ...found,
    prefix: before + found.prefix,
    offers: found.offers.map(([value, about]) => [before + value, about] as const),
  };
}

function offersOf(flag: SpecFlag, current: string, world: CompletionWorld): Completion {
  const { spec } = world;
  if (flag.references) {
    const [, kind] = /^(env|file|cmd):/.exec(current) ?? [];
    if (kind === 'file') return files('files', 'file:');
    if (kind === 'env')
      return matching(
        'words',
        world.variables().map((name) => [`env:${name}`, ''] as const),
        current,
      );
  }
  if (flag.choices !== undefined)
    return matching(
      'words',
      flag.choices.map((word) => [word, ''] as const),
      current,
    );
  switch (flag.candidates) {
    case 'cipher':
      return cipherOffers(current, spec.cipher);
    case 'profile':
      return matching(
        'words',
        world.profiles().map((name) => [name, ''] as const),
        current,
      );
    case 'user-code':
      return matching(
        'words',
        world.userCodes().map((code) => [code, ''] as const),
        current,
      );
    case 'report':
    case 'load-report':
      return current.includes('=')
        ? files('files', current.replace(/=.*$/s, '='))
        : matching('open', spec.words[flag.candidates] ?? [], current);
    case 'folder':
      return files('folders', '');
    case undefined:
      return plainOffers(flag, current);
    default:
      return matching('words', spec.words[flag.candidates] ?? [], current);
  }
}

/** What is known of a value by the way it is read alone. */
function plainOffers({ input, references }: SpecFlag, current: string): Completion {
  if (input === 'file' || input === 'path')
    return current.startsWith('@') ? files('files', '@') : files('files', '');
  if (input === 'text' && current.startsWith('@')) return files('files', '@');
  return references
    ? matching(
        'open',
        [
          ['env:', 'a variable holds it'],
          ['file:', 'a file holds it'],
          ['cmd:', 'a command prints it'],
        ],
        current,
      )
    : listed('words', []);
}

/** `aes-256-cbc?key=utf8&iv=` is written part by part. */
function cipherOffers(
  current: string,
  { algorithms, parts }: CompletionSpec['cipher'],
): Completion {
  const [, before = '', last = ''] = /^(.*[?&])?([^?&]*)$/s.exec(current) ?? [];
  if (before === '') {
    const whole = algorithms.includes(last);
    return whole
      ? listed('open', [
          [last, 'with the usual parts'],
          [`${last}?`, 'and its parts'],
        ])
      : matching(
          'words',
          algorithms.map((name) => [name, ''] as const),
          current,
        );
  }
  const [, part, value] = /^([a-z]+)=(.*)$/s.exec(last) ?? [];
  if (part === undefined) {
    const left = Object.keys(parts).filter((name) => !new RegExp(`[?&]${name}=`).test(before));
    return matching(
      'open',
      left.map((name) => [`${before}${name}=`, ''] as const),
      current,
    );
  }
  const values = (parts[part] ?? []).filter((word) => word.startsWith(value ?? ''));
  const offers = values.map((word) => [`${before}${part}=${word}`, ''] as const);
  return listed('open', offers);
}

function matching(mode: 'words' | 'open', offers: readonly Offer[], current: string): Completion {
  return listed(
    mode,
    offers.filter(([value]) => value.startsWith(current)),
  );
}

function listed(mode: 'words' | 'open', offers: readonly Offer[]): Completion {
  return { mode, prefix: '', offers };
}

function files(mode: 'files' | 'folders', prefix: string): Completion {
  return { mode, prefix, offers: [] };
}
