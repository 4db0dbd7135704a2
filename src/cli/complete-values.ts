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

/** The offers for the value of a flag or an argument; `before` is what stands before it in the word. */
export function valueOffers(
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

/** Those of the offers that the word at the cursor begins. */
export function matching(
  mode: 'words' | 'open',
  offers: readonly Offer[],
  current: string,
): Completion {
  return listed(
    mode,
    offers.filter(([value]) => value.startsWith(current)),
  );
}

/** The offers as they are. */
export function listed(mode: 'words' | 'open', offers: readonly Offer[]): Completion {
  return { mode, prefix: '', offers };
}

/** What the shell finds behind `prefix`. */
export function files(mode: 'files' | 'folders', prefix: string): Completion {
  return { mode, prefix, offers: [] };
}
