import type { SettingName } from '../../state/settings.ts';
import { type Content, type InputLimit, textContent } from './input.ts';
import { choice } from './values.ts';

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
  /** The setting that is its default; its variable overrides it. */
  readonly setting?: SettingName;
  /** Which emulator runs one, for who has none. */
  readonly emulator?: 'app' | 'service';
  /** Whether it has a variable without being a setting. */
  readonly variable?: true;
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
type Traits<T> = Partial<Omit<Flag<T>, 'syntax' | 'about' | 'repeatable' | 'choices' | 'parse'>> & {
  readonly choices?: readonly T[];
  readonly parse?: (text: string) => T;
  readonly read?: (content: Content) => T;
};

/** May be repeated: `--check <id...>`. Empty where it is absent. */
export function flag<T = string>(
  syntax: `${string}...${string}`,
  about: string,
  traits?: Traits<T>,
): Flag<readonly T[]>;
/** Without a value the user is asked, or the run fails: `<payload>`, or an option that is `required`. */
export function flag<T = string>(syntax: `<${string}`, about: string, traits?: Traits<T>): Flag<T>;
export function flag<T = string>(
  syntax: `--${string}<${string}`,
  about: string,
  traits: Traits<T> & ({ readonly required: true } | { readonly fallback: string }),
): Flag<T>;
/** The value may be absent: `--seed <text>`, `[key]`. */
export function flag<T = string>(
  syntax: `--${string}<${string}` | `[${string}`,
  about: string,
  traits?: Traits<T>,
): Flag<T | undefined>;
/** Without a value: `--strict`. */
export function flag(
  syntax: `--${string}`,
  about: string,
  traits?: Pick<Flag<boolean>, 'group'>,
): Flag<boolean>;
export function flag(
  syntax: string,
  about: string,
  { choices, parse = choices && choice(choices), read, ...traits }: Traits<unknown> = {},
): Flag<unknown> {
  const isPlace = !syntax.startsWith('-');
  const repeatable = syntax.includes('...');
  const { secret = false, fallback } = traits;
  const readOne = read ?? (({ text }: Content) => (parse === undefined ? text : parse(text)));
  const parseAll = (values: readonly Content[]): unknown => {
    if (!/[<[]/.test(syntax)) return values.length > 0;
    if (repeatable) return values.map(readOne);
    const last = values.at(-1) ?? (fallback === undefined ? undefined : textContent(fallback));
    return last && readOne(last);
  };
  return {
    input: 'text',
    references: secret,
    required: syntax.startsWith('<'),
    ...traits,
    ...(choices && { choices: choices.map(String) }),
    // commander would take all words that follow
    syntax: isPlace ? syntax : syntax.replace('...', ''),
    about,
    secret,
    repeatable,
    parse: parseAll,
  };
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

/** `AUTHCLI_URL`: only what means the same to every command is read from the environment. */
export function variableOf(flag: Flag<unknown>): string | undefined {
  const { setting, variable } = flag;
  if (setting !== undefined) return variableOfSetting(setting);
  return variable && !isPositional(flag) ? variableName(flag) : undefined;
}

export function variableOfSetting(setting: SettingName): string {
  return `AUTHCLI_${setting.replace('headers', 'header').replaceAll('-', '_').toUpperCase()}`;
}

/** What a shell calls the value of a flag. */
export function variableName(flag: Flag<unknown>): string {
  return `AUTHCLI_${flagName(flag).replaceAll('-', '_').toUpperCase()}`;
}
