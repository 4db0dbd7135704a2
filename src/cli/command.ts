import type { ErrorCode } from '../errors.ts';
import type { Revealed } from '../reports/redact.ts';
import type { Flags, OptionsOf } from './args/options.ts';
import type { Failure } from './failure.ts';
import type { Session } from './session.ts';

/** A line of human output; a revealed value is printed unredacted. */
export type Line = string | Revealed | Confirmation;

/** A line about what went well; --quiet leaves it out. */
export interface Confirmation {
  readonly confirms: string;
}

export function confirmation(line: string): Confirmation {
  return { confirms: line };
}

/** What a command returns. */
export interface Outcome {
  /** The fields of the JSON document, beside `ok`, `command` and `error`. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly lines: readonly Line[];
  readonly failure?: Failure;
  /** The status of a child command; nothing is printed after its own output. */
  readonly exitStatus?: number;
}

/** The outcome of `performed`; on a signal that of `stop` at once, if there is one. */
export function outcomeOrStop<O extends Outcome>(
  signal: AbortSignal,
  performed: Promise<O>,
  stop: () => O | undefined,
): Promise<O> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      const outcome = stop();
      if (outcome !== undefined) resolve(outcome);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    performed.then(resolve, reject);
  });
}

export interface CommandDefinition<F extends Flags = Flags> {
  readonly path: string;
  /** The first paragraph of the help. */
  readonly about: string;
  /** Flags and positional arguments (`<payload>`, `[key]`), by the names of their options. */
  readonly flags: F;
  /** Names of options of which only one may be given. */
  readonly exclusive?: readonly (readonly (keyof F & string)[])[];
  /** Optional options that are required in this run, in the order of asking. */
  readonly needs?: (options: OptionsOf<F>) => readonly (keyof F & string)[];
  /** Options that this run ignores, judged from those before them; their other sources are not read. */
  readonly idle?: (options: OptionsOf<F>) => readonly (keyof F & string)[];
  /** Runs without settings where reading them fails so: `config` for a bad state, `usage` for an unknown profile. */
  readonly survives?: readonly ErrorCode[];
  readonly takesCommand?: boolean;
  /** A signal is how it ends: `run` returns its outcome then, not the status of the signal. */
  readonly endsWithSignal?: boolean;
  readonly notes?: readonly string[];
  /** Command lines that work when pasted, by their purpose. */
  readonly examples: Readonly<Record<string, string>>;
  readonly run: (options: OptionsOf<F>, session: Session) => Promise<Outcome>;
}

/** Infers the types of the options of `run` from the flags. */
export function defineCommand<F extends Flags>(definition: CommandDefinition<F>) {
  return definition;
}

// biome-ignore lint/suspicious/noExplicitAny: each command's flags are its own; run() is called with what they gave
export type AnyCommand = CommandDefinition<any>;

/** What help and completion need of a command without loading it. */
export interface CommandEntry {
  readonly path: string;
  readonly summary: string;
  /** Under which the help of the program lists it, or its group; without one it is only named there. */
  readonly heading?: string | undefined;
  readonly load: () => Promise<AnyCommand>;
}
