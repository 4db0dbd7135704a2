import type { Revealed } from '../reports/redact.ts';
import type { Failure } from './hints.ts';
import type { Flags, OptionsOf } from './options.ts';
import type { Session } from './session.ts';

/** A command line that works when it is pasted, and what it is for. */
export interface Example {
  readonly about: string;
  readonly line: string;
}

/** A line of human output; a revealed value is printed as it is. */
export type Line = string | Revealed;

/** What a command ends with. The exit status follows from `failure`, unless it is that of another command. */
export interface Outcome {
  /** The fields of the JSON document, beside `ok`, `command` and `error`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The same for people. */
  readonly lines: readonly Line[];
  readonly failure?: Failure;
  /** The status of the command that was run, handed on; nothing is printed beside what it printed. */
  readonly exitStatus?: number;
}

/** One command: what it takes, how it is explained, and what it does. */
export interface CommandDefinition<F extends Flags = Flags> {
  /** The words that call it: `key wrap`. */
  readonly path: string;
  /** What it does, in more words than the list of commands has; the help begins with it. */
  readonly about: string;
  /** Flags, and positional arguments (syntax `<payload>`, `[key]`), by the names of its options. */
  readonly flags: F;
  /** Names of options of which only one may be given. */
  readonly exclusive?: readonly (readonly (keyof F & string)[])[];
  /** Options that are optional by themselves but that this run can't do without, in their order. */
  readonly needs?: (options: OptionsOf<F>) => readonly (keyof F & string)[];
  /**
   * Options that this run has no use for, told from those before them: their values in the
   * environment and in the profile are not looked at, wherever these refer to.
   */
  readonly idle?: (options: OptionsOf<F>) => readonly (keyof F & string)[];
  /** Runs also where the local state can't be read, without the settings that stand there. */
  readonly survivesBadState?: boolean;
  /** Runs also for a profile that isn't there, without settings. */
  readonly makesProfile?: boolean;
  /** Takes a command to run behind `--`. */
  readonly takesCommand?: boolean;
  /** Paragraphs behind the flags in the help. */
  readonly notes?: readonly string[];
  readonly examples: readonly Example[];
  readonly run: (options: OptionsOf<F>, session: Session) => Promise<Outcome>;
}

/** Gives the options of `run` the types of the flags. */
export function defineCommand<F extends Flags>(
  definition: CommandDefinition<F>,
): CommandDefinition<F> {
  return definition;
}

/** The entry of a command in the list of all: enough for help and completion without loading it. */
export interface CommandEntry {
  readonly path: string;
  readonly summary: string;
  // biome-ignore lint/suspicious/noExplicitAny: each command's flags are its own; run() is called with what they gave
  readonly load: () => Promise<CommandDefinition<any>>;
}
