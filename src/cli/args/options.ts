import type { SettingName } from '../../state/settings.ts';
import { type Content, textContent } from './input.ts';
import type { InputLimit } from './input-limit.ts';

/** As messages name it: "--url", "AUTHCLI_URL", "the setting url". */
export type Source = string;

/**
 * How a value is read: `text` may be `-` for standard input or `@FILE`; `file` names a file whose content is
 * read; `path` and `word` are taken literally.
 */
export type Input = 'text' | 'file' | 'path' | 'word';

/** How the help groups a flag; without a group it belongs to the command. */
export type FlagGroup = 'output';

/** What a shell completes a value with; files are completed by themselves. */
export type CandidateKind =
  | 'callback-check'
  | 'service-check'
  | 'explore-operation'
  | 'application-fault'
  | 'service-fault'
  | 'cipher'
  | 'code'
  | 'profile'
  | 'setting'
  | 'user-code';

export interface Flag<T> {
  readonly syntax: string;
  readonly about: string;
  readonly input: Input;
  readonly repeatable: boolean;
  readonly secret: boolean;
  /** A file of it may be open to others: it is only identified, and mostly public. */
  readonly anyMode?: boolean;
  /** Its value may be a reference: `env:NAME`, `file:PATH`, `cmd:COMMAND`. */
  readonly references: boolean;
  /** The setting that is its default. */
  readonly setting?: SettingName;
  readonly fallback?: string;
  readonly choices?: readonly string[];
  /** How much is read of a file; by default what is enough for a key or a payload. */
  readonly limit?: InputLimit;
  readonly group?: FlagGroup;
  readonly candidates?: CandidateKind;
  readonly required: boolean;
  /**
   * `values` is empty where the flag is absent. Throws AuthcliError `usage` without naming the flag, or rejects
   * with it where the type is a promise.
   */
  readonly parse: (values: readonly Content[], others?: OtherOptions) => T;
}

/** What the value of a flag may depend on. */
export interface OtherOptions {
  /** The options that are listed before it. */
  readonly before: Readonly<Record<string, unknown>>;
  /** Asks for one of those; throws `usage` where the user can't be asked. */
  readonly ask: (key: string) => Promise<unknown>;
}

// biome-ignore lint/suspicious/noExplicitAny: a record of flags of any value types; OptionsOf gives each its own
export type Flags = Readonly<Record<string, Flag<any>>>;

export type OptionsOf<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends Flag<infer Value> ? Awaited<Value> : never;
};

/** What a flag may define; `references` defaults to `secret`. */
type FlagTraits = Partial<
  Omit<Flag<unknown>, 'syntax' | 'about' | 'repeatable' | 'required' | 'parse'>
>;

type Traits<T> = FlagTraits & {
  readonly parse?: (text: string) => T;
  readonly read?: (content: Content) => T;
};

function flag<T>(
  base: Pick<Flag<T>, 'syntax' | 'about' | 'parse'> & Partial<Flag<T>>,
  traits: FlagTraits,
): Flag<T> {
  const { input = 'text', secret = false, references = secret } = traits;
  const { anyMode, setting, fallback, choices, limit, group, candidates } = traits;
  return {
    repeatable: false,
    required: false,
    ...base,
    ...{ input, secret, anyMode, references, setting, fallback, choices, limit, group, candidates },
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

/** The value may be absent. */
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

/** The value is the one given, or the default. */
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

/** Without a value the user is asked, or the run fails. */
export function required<T = string>(
  syntax: string,
  about: string,
  traits: Traits<T> = {},
): Flag<T> {
  const read = reader(traits);
  const parse = (values: readonly Content[]): T => read(values.at(-1) ?? textContent(''));
  return flag<T>({ syntax, about, parse, required: true }, traits);
}

/** The same flag, where the value may be absent. */
export function optionally<T>(given: Flag<T>): Flag<T | undefined> {
  const parse = (values: readonly Content[], others?: OtherOptions): T | undefined =>
    values.length === 0 ? undefined : given.parse(values, others);
  return { ...given, required: false, parse };
}

/** A flag that may be repeated; empty where it is absent. */
export function list<T = string>(
  syntax: string,
  about: string,
  traits: Traits<T> = {},
): Flag<readonly T[]> {
  const read = reader(traits);
  const parse = (values: readonly Content[]) => values.map(read);
  return flag<readonly T[]>({ syntax, about, parse, repeatable: true }, traits);
}

/** `url` of `--url <url>`, `no-save` of `--no-save`. */
export function flagName(flag: Flag<unknown>): string {
  return /--([a-z0-9-]+)/.exec(flag.syntax)?.[1] ?? '';
}

/** `url` of `--url <url>`, `payload` of `<payload>`; empty for a toggle. */
export function placeholder(flag: Flag<unknown>): string {
  return /[<[]([^>\]]+)[>\]]/.exec(flag.syntax)?.[1] ?? '';
}

/** Whether it is an argument, such as `<payload>`, instead of an option. */
export function isPositional(flag: Flag<unknown>): boolean {
  return !flag.syntax.startsWith('-');
}

/** As messages name it: `--url`, `<payload>`. */
export function sourceName(flag: Flag<unknown>): Source {
  return isPositional(flag) ? flag.syntax : `--${flagName(flag)}`;
}

/** Whether an option has a value. */
export function takesValue(flag: Flag<unknown>): boolean {
  return flag.syntax.includes('<');
}

/** For example `AUTHCLI_URL`; undefined for a toggle. */
export function environmentName(flag: Flag<unknown>): string | undefined {
  return takesValue(flag)
    ? `AUTHCLI_${flagName(flag).replaceAll('-', '_').toUpperCase()}`
    : undefined;
}
