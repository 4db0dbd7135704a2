import type { SettingName } from '../state/settings.ts';
import { type Content, textContent } from './content.ts';

/** Where a value came from, in the words of a message: "--url", "AUTHCLI_URL", "the setting url". */
export type Source = string;

/**
 * How a value's text becomes content.
 * - `text`: `-` is standard input, `@FILE` a file
 * - `file`: the content of the file that is named; `-` and `@FILE` as well
 * - `path`: the text as it is, a path to write to or to hand on
 * - `word`: the text as it is
 */
export type Input = 'text' | 'file' | 'path' | 'word';

/** What a flag is about, as the help groups it; without a group it is about what the command does. */
export type FlagGroup = 'output';

/** What is offered for a value when a shell completes it; `file` also for every value that names one. */
export type CandidateKind =
  | 'callback-check'
  | 'service-check'
  | 'application-fault'
  | 'service-fault'
  | 'cipher'
  | 'code'
  | 'command'
  | 'file'
  | 'folder'
  | 'load-report'
  | 'profile'
  | 'report'
  | 'setting'
  | 'user-code';

/** One flag of a command: how it is written, explained and read. */
export interface Flag<T> {
  /** As in the help: `--url <url>`, `--no-save`. */
  readonly syntax: string;
  readonly about: string;
  readonly input: Input;
  readonly repeatable: boolean;
  /** Its value is hidden in every output. */
  readonly secret: boolean;
  /** Its value may be a reference: `env:NAME`, `file:PATH`, `cmd:COMMAND`. */
  readonly references: boolean;
  /** The setting of the profile that stands in for it. */
  readonly setting?: SettingName;
  /** Shown in the help. */
  readonly fallback?: string;
  readonly choices?: readonly string[];
  readonly group?: FlagGroup;
  readonly candidates?: CandidateKind;
  readonly required: boolean;
  /** Reads the values given (none: the flag is absent). Throws AuthcliError `usage` without naming the flag. */
  readonly parse: (values: readonly Content[]) => T | Promise<T>;
}

// biome-ignore lint/suspicious/noExplicitAny: a record of flags of any value types; OptionsOf gives each its own
export type Flags = Readonly<Record<string, Flag<any>>>;

/** The values of a record of flags, by the same names. */
export type OptionsOf<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends Flag<infer Value> ? Value : never;
};

/** What can be said of a flag beside its syntax and explanation. */
export interface FlagTraits {
  readonly input?: Input;
  readonly secret?: boolean;
  /** Default: as `secret`. */
  readonly references?: boolean;
  readonly setting?: SettingName;
  readonly fallback?: string;
  readonly choices?: readonly string[];
  readonly group?: FlagGroup;
  readonly candidates?: CandidateKind;
}

/** How one value is read: from its text, or from its bytes where they need not be text. */
interface Reading<T> {
  readonly parse?: (text: string) => T;
  readonly read?: (content: Content) => T;
}

type Traits<T> = FlagTraits & Reading<T>;

/** Also with what reads a value once it has loaded what it needs for that. */
interface ListReading<T> extends Reading<T> {
  readonly readLate?: (content: Content) => Promise<T>;
}

function flag<T>(
  base: Pick<Flag<T>, 'syntax' | 'about' | 'parse'> & Partial<Flag<T>>,
  traits: FlagTraits,
): Flag<T> {
  const { input = 'text', secret = false, references = secret } = traits;
  const { setting, fallback, choices, group, candidates } = traits;
  return {
    repeatable: false,
    required: false,
    ...base,
    ...{ input, secret, references, setting, fallback, choices, group, candidates },
  };
}

function reader<T>(traits: Traits<T>): (content: Content) => T {
  const { parse, read } = traits;
  return read ?? (({ text }) => (parse === undefined ? (text as T) : parse(text)));
}

/** A flag without a value. */
export function toggle(
  syntax: string,
  about: string,
  traits: Pick<FlagTraits, 'group'> = {},
): Flag<boolean> {
  return flag(
    { syntax, about, parse: (values) => values.length > 0 },
    { ...traits, input: 'word' },
  );
}

/** A flag whose value may be absent; the last one given counts. */
export function optional<T = string>(
  syntax: string,
  about: string,
  traits: Traits<T> = {},
): Flag<T | undefined> {
  const read = reader(traits);
  const parse = (values: readonly Content[]): T | undefined => {
    const last = values.at(-1);
    return last === undefined ? undefined : read(last);
  };
  return flag<T | undefined>({ syntax, about, parse }, traits);
}

/** A flag that has a value in every run: given, or the default. */
export function defaulted<T = string>(
  syntax: string,
  about: string,
  fallback: string,
  traits: Traits<T> = {},
): Flag<T> {
  const read = reader(traits);
  const parse = (values: readonly Content[]): T => read(values.at(-1) ?? textContent(fallback));
  return flag<T>({ syntax, about, parse }, { ...traits, fallback });
}

/** A flag that the command can't do without. */
export function required<T = string>(
  syntax: string,
  about: string,
  traits: Traits<T> = {},
): Flag<T> {
  const read = reader(traits);
  const parse = (values: readonly Content[]): T => read(values.at(-1) ?? textContent(''));
  return flag<T>({ syntax, about, parse, required: true }, traits);
}

/** A flag that may be given several times. */
export function list<T = string>(
  syntax: string,
  about: string,
  traits: FlagTraits & ListReading<T> = {},
): Flag<readonly T[]> {
  const { readLate } = traits;
  const read = reader(traits);
  const parse = (values: readonly Content[]) =>
    readLate === undefined ? values.map(read) : Promise.all(values.map(readLate));
  return flag<readonly T[]>({ syntax, about, parse, repeatable: true }, traits);
}

/** The long name without dashes: `url` of `--url <url>`, `no-save` of `--no-save`. */
export function flagName(flag: Flag<unknown>): string {
  return /--([a-z0-9-]+)/.exec(flag.syntax)?.[1] ?? '';
}

/** The word for its value: `url` of `--url <url>`, `payload` of `<payload>`; empty where it has none. */
export function placeholder(flag: Flag<unknown>): string {
  return /[<[]([^>\]]+)[>\]]/.exec(flag.syntax)?.[1] ?? '';
}

/** Whether it is a positional argument rather than a flag. */
export function isPositional(flag: Flag<unknown>): boolean {
  return !flag.syntax.startsWith('-');
}

/** Whether the flag is followed by a value. */
export function takesValue(flag: Flag<unknown>): boolean {
  return flag.syntax.includes('<');
}

/** The environment variable that stands in for the flag; undefined for a flag without a value. */
export function environmentName(flag: Flag<unknown>): string | undefined {
  return takesValue(flag)
    ? `AUTHCLI_${flagName(flag).replaceAll('-', '_').toUpperCase()}`
    : undefined;
}
