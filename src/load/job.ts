import type { LeanOptions } from '../client/lean-pool.ts';
import type { PlainOptions } from '../client/transport-options.ts';
import type { LoadedUser } from './scenario.ts';
import type { Schedule } from './schedule.ts';
import type { TallyMemory } from './tally.ts';

/** Sign-ups at an application's callback URL. */
export interface SignupJob {
  readonly scenario: 'signup';
  readonly url: string;
  readonly clientId: string;
  /** In the notation of ciphers. */
  readonly cipher: string;
  /** The service's key pairs as PEM: each thread parses its own, since threads that share one wait for each other. */
  readonly keyPairs: readonly string[];
  /** The text of everyone's user information; made up for each unless given, null for none. */
  readonly userInfo?: string | null;
  readonly savesUsers: boolean;
}

/** Sign-ins at a service. */
export interface SigninJob {
  readonly scenario: 'signin';
  readonly authUrl: string;
  readonly clientId: string;
  readonly secretKey: string;
  readonly cipher: string;
  /** What is known of users. */
  readonly users: readonly SigninUser[];
  /** Tokens that a real service takes, used by turns; without them the users sign in by turns, with tokens for the emulated service. */
  readonly ptnTokens?: readonly string[];
}

/** A user who signs in. */
export interface SigninUser {
  readonly ptnCd: string;
  readonly key?: string;
  readonly superPasscode?: string;
}

/** What a run does, and to whom. */
export type LoadTask = SignupJob | SigninJob;

/** What one thread is handed; all of it can be cloned. */
export interface LoadJob {
  readonly task: LoadTask;
  readonly wire: PlainOptions<Omit<LeanOptions, 'now'>>;
  readonly schedule: Schedule;
  /** Which of how many threads this is. */
  readonly index: number;
  readonly threads: number;
  readonly tally: TallyMemory;
  /** How many sign-ups have been begun by all threads, as one Int32. */
  readonly tickets: SharedArrayBuffer;
  readonly keys: SharedArrayBuffer;
}

/** What a thread is told. */
export type Order =
  | { readonly type: 'start' /** Milliseconds since the epoch. */; readonly at: number }
  | { readonly type: 'stop' };

/** What a thread says. */
export type Report =
  | { readonly type: 'ready' }
  /** The first failure of its code. */
  | {
      readonly type: 'example';
      readonly code: string;
      readonly message: string;
      readonly hint: string;
      readonly secrets: readonly string[];
    }
  | { readonly type: 'users'; readonly users: readonly LoadedUser[] }
  | { readonly type: 'ended' };
