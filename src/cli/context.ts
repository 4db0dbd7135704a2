import type { Readable, Writable } from 'node:stream';
import type { RandomBytes } from '../bytes.ts';
import type { Transport, Upstream } from '../client/exchange.ts';
import type { generateKeyPair } from '../client/key-pair.ts';
import type { TransportOptions } from '../client/transport-options.ts';
import type { Threads } from '../load/run.ts';
import type { Child, ChildEnd } from './process/children.ts';
import type { Prompts } from './terminal/prompts.ts';

export interface Output {
  readonly isTerminal: boolean;
  readonly columns: number;
  write(text: string): void;
}

export interface Input {
  readonly isTerminal: boolean;
  /** To the end of the stream; can be read once. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** What a run takes from its environment, so that tests can supply it. `main.ts` makes the real one. */
export interface Context {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The current folder: relative paths start there. */
  readonly cwd: string;
  /** The path of the program that was started; a bare name if the shell found an executable on the PATH. */
  readonly script: string;
  /** The config file, unless --config names another. */
  readonly defaultConfigFile: () => string;
  readonly version: string;
  readonly platform: {
    readonly node: string;
    readonly openssl: string;
    /** As `process.platform`: linux, darwin, win32. */
    readonly os: string;
    /** The ID of the user who runs authcli; Windows has none. */
    readonly userId?: number | undefined;
  };
  readonly now: () => number;
  /** The name of this machine, and its addresses. */
  readonly machineNames: () => readonly string[];
  /** Resolves after that many milliseconds; rejects once `signal` is aborted. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** The IANA time zone of this machine. */
  readonly localTimeZone: () => string;
  readonly randomBytes: RandomBytes;
  readonly generateKeyPair: typeof generateKeyPair;
  readonly openTransport: (options: TransportOptions) => Promise<Transport>;
  /** The way to a server that bytes are forwarded to: what makes it is loaded for it. */
  readonly openUpstream: (url: URL, options: TransportOptions) => Promise<Upstream>;
  readonly loadThreads: () => Promise<Threads>;
  /** CPU time and peak memory of this process. */
  readonly resources: () => { readonly cpuMs: number; readonly peakMemoryBytes: number };
  /** The text of a file of the package: `schemas/verify-1.json`, `dist/ui.html`. */
  readonly packageText: (path: string) => Promise<string>;
  /** The standard streams themselves, for a protocol that both sides speak over them. */
  readonly standardStreams: () => { readonly input: Readable; readonly output: Writable };
  /** Where progress is reported to in place of a line on the terminal. */
  readonly onProgress?: (text: string) => void;
  /** Runs a program; see process/children.ts. */
  readonly runChild: (child: Child) => Promise<ChildEnd>;
  /** Called only where standard error and input are a terminal. */
  readonly openPrompts: (look: { readonly hasColours: boolean }) => Promise<Prompts>;
  /** Aborted by SIGINT or SIGTERM; the reason is an AuthcliError that names the signal. */
  readonly signal: AbortSignal;
}

/** The context with other parts. Its own fields are copied, as some callers spread them; what its class gives is inherited. */
export function contextWith(context: Context, parts: Partial<Context>): Context {
  return Object.assign(Object.create(context), context, parts) as Context;
}

/** Whether this is a job of CI, as its systems say it. */
export function isPipeline({ CI = '' }: Context['env']): boolean {
  return !['', 'false', '0'].includes(CI);
}
