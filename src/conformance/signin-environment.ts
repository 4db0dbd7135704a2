import type { Exchange } from '../client/exchange.ts';
import type { Secret } from '../crypto/secret.ts';
import type { SigninBehaviour } from '../emulator/faults/points.ts';
import type { Diagnosis } from '../errors.ts';
import type { User } from '../protocol/user.ts';

/** A user whose key and passcode the application has. */
export type SigninUser = Required<Pick<User, 'ptnCd' | 'key' | 'superPasscode'>>;

/** A request of the application to the emulated service. */
export interface ReceivedCall {
  /** Absent if the path resembles neither of the two. */
  readonly operation?: 'token' | 'authenticate';
  /** As received, without the query. */
  readonly path: string;
  /** The path of {auth_url}. */
  readonly basePath: string;
  readonly exchange: Exchange;
}

export interface Conclusion {
  /** `unclear`: cut short, or a response that says neither. */
  readonly verdict: 'signed-in' | 'refused' | 'unclear';
  /** "exit status 0", "HTTP 401". */
  readonly how: string;
  readonly diagnosis?: Diagnosis;
  /** What the application printed, or its response. */
  readonly shown: string;
  readonly exchange?: Exchange;
}

export interface SigninEmulation {
  readonly authUrl: string;
  readonly ptnToken: string;
  readonly calls: () => readonly ReceivedCall[];
  /** Requests, as text, where none must arrive: where a redirect leads, or in plain text instead of TLS. */
  readonly strayRequests: () => readonly string[];
  /** Aborted after far too many requests. */
  readonly overrun: AbortSignal;
  /** How much longer than usual the sign-in may take. */
  readonly patienceMs: number;
  /** Whether the application still waited when a silent service cut the connection. */
  readonly outlasted: () => boolean;
  close(): Promise<void>;
}

export interface SigninOrder {
  /** Its name. */
  readonly scenario: string;
  readonly user: SigninUser;
  readonly behaviour: SigninBehaviour;
}

/** How a sign-in is started: by running a program, or by a request to the application. */
export type SigninTrigger =
  | {
      readonly kind: 'command';
      /** Runs it until it ends or times out, with the data of `user`, if given. */
      readonly run: (
        emulation: SigninEmulation,
        user: SigninUser | undefined,
      ) => Promise<Conclusion>;
    }
  | { readonly kind: 'url'; readonly url: URL };

/** What checks of the sign-in need beyond the environment of every run. */
export interface SigninEnvironment {
  readonly secretKey: Secret;
  readonly trigger: SigninTrigger;
  /** Signed up at the callback, invented and passed to the command, or given by the user. */
  readonly users: 'signed-up' | 'invented' | 'given';
  readonly givenUser: () => Promise<SigninUser>;
  readonly sideBySide: boolean;
  /** Whether a text contains a secret, in any encoding that is redacted. */
  readonly contains: (text: string, secret: Secret) => boolean;
  /** Emulates the service for one sign-in, when its turn comes. */
  readonly emulate: (order: SigninOrder) => Promise<SigninEmulation>;
}

export interface Attempt {
  readonly scenario: string;
  readonly user: SigninUser;
  readonly ptnToken: string;
  readonly calls: readonly ReceivedCall[];
  readonly strayRequests: readonly string[];
  readonly outlasted: boolean;
  readonly conclusion: Conclusion;
}
