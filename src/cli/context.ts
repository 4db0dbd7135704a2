import type { RandomBytes } from '../bytes.ts';
import type { Cancellation } from '../client/cancellation.ts';
import type { generateKeyPair } from '../client/key-pair.ts';
import type { Transport, TransportOptions } from '../client/transport.ts';
import type { LoadThreads } from '../load/run.ts';
import type { PromptLook, Prompts } from './questions.ts';
import type { ChildEnd, WatchedChild } from './watched-child.ts';

/** A stream that text is written to. */
export interface Output {
  readonly isTerminal: boolean;
  /** Columns of the terminal; 80 where there is none. */
  readonly columns: number;
  write(text: string): void;
}

/** Standard input. */
export interface Input {
  readonly isTerminal: boolean;
  /** Everything up to the end of the stream. */
  read(): Promise<Uint8Array>;
}

/** What a child process is given and how it ended. */
export interface ChildCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Everything a run takes from the world outside, so that `main(argv, context)` can be run by a
 * test with exact output. `main.ts` makes the real one.
 */
export interface Context {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** Where the config file is, unless another is named. */
  readonly defaultConfigFile: () => string;
  /** The release, as in package.json. */
  readonly version: string;
  /** What it runs on. */
  readonly platform: {
    readonly node: string;
    readonly openssl: string;
    /** As `process.platform`: linux, darwin, win32. */
    readonly os: string;
  };
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** IANA name of the zone that people here read times in. */
  readonly localTimeZone: () => string;
  readonly randomBytes: RandomBytes;
  readonly generateKeyPair: typeof generateKeyPair;
  /** The way out to other machines. */
  readonly openTransport: (options: TransportOptions) => Promise<Transport>;
  /** What starts the threads of a load. */
  readonly loadThreads: () => Promise<LoadThreads>;
  /** The file of the build that Artillery runs of an exported load. */
  readonly artilleryProcessor: string;
  /** What this process has used so far: CPU time in milliseconds, and the most memory at any time. */
  readonly resources: () => { readonly cpuMs: number; readonly peakMemoryBytes: number };
  /** The page on which emulators are watched, as HTML with all that belongs to it. */
  readonly pageHtml: () => Promise<string>;
  /** Runs a program with this terminal's streams; its exit status. */
  readonly runChild: (child: ChildCommand) => Promise<number>;
  /** Runs a program apart from this terminal, for so long; see watched-child.ts. */
  readonly runWatched: (child: WatchedChild) => Promise<ChildEnd>;
  /** The first line that a program prints on standard output; used for `cmd:` references. */
  readonly firstLineOf: (command: string, args: readonly string[]) => Promise<string>;
  /** The way to ask the user, on standard error and the keyboard; called only where both are a terminal. */
  readonly openPrompts: (look: PromptLook) => Promise<Prompts>;
  /** Aborted by SIGINT or SIGTERM, its reason an AuthcliError that says which. */
  readonly signal: AbortSignal;
  /** The same end, for those that need no AbortSignal for it. */
  readonly stop: Cancellation;
}
