import type { SettingName } from '../../state/settings.ts';
import { type Content, type InputLimit, textContent } from './input.ts';

/** As messages name it: "--url", "AUTHCLI_URL", "the setting url". */
export type Source = string;

/** What a shell completes a value with; files are completed by themselves. */
export type CandidateKind =
  | 'callback-check'
  | 'explore-operation'
  | 'application-fault'
  | 'service-fault'
  | 'cipher'
  | 'code'
  | 'profile'
  | 'setting'
  | 'user-code';

export interface Flag<T> {
  /** `--url <url>`, `--strict`, `<payload>`, `[key]`. */
  readonly syntax: string;
  readonly about: string;
  /**
   * How a value is read: `text` may be `-` for standard input or `@FILE`; `file` names a file whose content is
   * read; `path` and `word` are taken literally.
   */
  readonly input: 'text' | 'file' | 'path' | 'word';
  readonly repeatable: boolean;
  readonly required: boolean;
  readonly secret: boolean;
  /** A file of it may be open to others: it is only identified, and mostly public. */
  readonly anyMode?: boolean;
  /** Its value may be a reference: `env:NAME`, `file:PATH`, `cmd:COMMAND`. By default that of a secret may. */
  readonly references: boolean;
  /** The setting that is its default. */
  readonly setting?: SettingName;
  readonly fallback?: string;
  readonly choices?: readonly string[];
  /** How much is read of a file; by default what is enough for a key or a payload. */
  readonly limit?: InputLimit;
  /** Its place in the help; by default that of the command's own options. */
  readonly group?: 'output';
  readonly candidates?: CandidateKind;
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

/** What a flag may define beside its syntax; its text is read by `parse`, or its content by `read`. */
type Traits<T> = Partial<
  Omit<Flag<T>, 'syntax' | 'about' | 'repeatable' | 'required' | 'parse'>
> & {
  readonly parse?: (text: string) => T;
  readonly read?: (content: Content) => T;
};

/** `combine` turns the contents that were given into the value of the option. */
function flag<T, One>(
  base: Pick<Flag<T>, 'syntax' | 'about'> & Partial<Pick<Flag<T>, 'repeatable' | 'required'>>,
  { parse, read, ...traits }: Traits<One>,
  combine: (values: readonly Content[], read: (content: Content) => One) => T,
): Flag<T> {
  const readOne = read ?? (({ text }: Content) => (parse ? parse(text) : (text as One)));
  const { secret = false, references = secret } = traits;
  return {
    repeatable: false,
    required: false,
    input: 'text',
    ...base,
    ...traits,
    secret,
    references,
    parse: (values) => combine(values, readOne),
  };
}

/** A flag without a value. */
export function toggle(
  syntax: string,
  about: string,
  traits: Pick<Flag<boolean>, 'group'> = {},
): Flag<boolean> {
  return flag({ syntax, about }, { ...traits, input: 'word' }, (values) => values.length > 0);
}

/** The value may be absent. */
export function optional<T = string>(syntax: string, about: string, traits: Traits<T> = {}) {
  return flag<T | undefined, T>({ syntax, about }, traits, (values, read) => {
    const last = values.at(-1);
    return last && read(last);
  });
}

/** The value is the one given, or the default. */
export function defaulted<T = string>(
  syntax: string,
  about: string,
  fallback: string,
  traits: Traits<T> = {},
): Flag<T> {
  return flag({ syntax, about }, { ...traits, fallback }, (values, read) =>
    read(values.at(-1) ?? textContent(fallback)),
  );
}

/** Without a value the user is asked, or the run fails. */
export function required<T = string>(syntax: string, about: string, traits: Traits<T> = {}) {
  return flag<T, T>({ syntax, about, required: true }, traits, (values, read) =>
    read(values.at(-1) ?? textContent('')),
  );
}

/** The same flag, where the value may be absent. */
export function optionally<T>(given: Flag<T>): Flag<T | undefined> {
  const parse: Flag<T | undefined>['parse'] = (values, others) =>
    values.length === 0 ? undefined : given.parse(values, others);
  return { ...given, required: false, parse };
}

/** A flag that may be repeated; empty where it is absent. */
export function list<T = string>(syntax: string, about: string, traits: Traits<T> = {}) {
  return flag<readonly T[], T>({ syntax, about, repeatable: true }, traits, (values, read) =>
    values.map(read),
  );
}

/** `url` of `--url <url>`, `no-save` of `--no-save`. */
export function flagName(flag: Flag<unknown>): string {
  return /--([a-z0-9-]+)/.exec(flag.syntax)?.[1] ?? '';
}

/** `url` of `--url <url>`, `payload` of `<payload>`; empty for a toggle. */
export function placeholder(flag: Flag<unknown>): string {
  return /[<[]([^<>[\]]+)[>\]]/.exec(flag.syntax)?.[1] ?? '';
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

/** For example `AUTHCLI_URL`; undefined for a toggle and for an argument. */
export function environmentName(flag: Flag<unknown>): string | undefined {
  return takesValue(flag) && !isPositional(flag)
    ? `AUTHCLI_${flagName(flag).replaceAll('-', '_').toUpperCase()}`
    : undefined;
}
