import type { Exchange } from '../client/exchange.ts';
import type { Secret } from '../crypto/secret.ts';
import type { Diagnosis } from '../errors.ts';

/**
 * How the service behaves at one sign-in. Under `right` the user must come in, under any other
 * nobody may.
 */
export type Scenario =
  | 'right'
  | 'token-refused'
  | 'token-refused-with-result'
  | 'token-without-acs-token'
  | 'token-expired'
  | 'token-other-user'
  | 'token-connection-cut'
  | 'authenticate-refused'
  | 'authenticate-refused-with-result'
  | 'authenticate-without-result'
  | 'authenticate-without-ptn-sp'
  | 'authenticate-error-page'
  | 'authenticate-connection-cut'
  | 'passcode-other'
  | 'passcode-longer'
  | 'passcode-other-case'
  | 'passcode-empty'
  | 'passcode-undecryptable';

/** A user whose key and passcode the application has. */
export interface SigninUser {
  readonly ptnCd: string;
  readonly key: Secret;
  readonly superPasscode: Secret;
}

/** One request that the application sent to the emulated service. */
export interface ReceivedCall {
  /** Absent where the path is not even nearly one of the two. */
  readonly operation?: 'token' | 'authenticate';
  /** As it came in the first line of the request, without the query. */
  readonly path: string;
  readonly exchange: Exchange;
}

/** What the application made of a sign-in. */
export interface Conclusion {
  /** `unclear`: it did not say, because it was cut short or answered with neither. */
  readonly verdict: 'signed-in' | 'refused' | 'unclear';
  /** How it is known: "exit status 0", "HTTP 401". */
  readonly how: string;
  /** Why there is no verdict. */
  readonly diagnosis?: Diagnosis;
  /** Everything that the application showed: what it printed, or its answer. */
  readonly shown: string;
  /** The exchange that told, where it was one. */
  readonly exchange?: Exchange;
}

/** The emulated service, set up for one sign-in of one user. */
export interface SigninRoom {
  readonly authUrl: string;
  readonly ptnToken: string;
  /** What has been received so far. */
  readonly calls: () => readonly ReceivedCall[];
  /** Aborted once there have been far too many. */
  readonly overrun: AbortSignal;
  close(): Promise<void>;
}

/** What one sign-in is set up with. */
export interface SigninOrder {
  readonly scenario: Scenario;
  readonly user: SigninUser;
  /** The user that the token answer names in `token-other-user`. */
  readonly otherPtnCd: string;
}

/** How the application is told to sign in: by a program that is run, or by a request to an address of its own. */
export type SigninTrigger =
  | {
      readonly kind: 'command';
      /** Runs it to its end, or to the end of its time; `user` is told to it unless it is absent. */
      readonly run: (room: SigninRoom, user: SigninUser | undefined) => Promise<Conclusion>;
    }
  | { readonly kind: 'url'; readonly url: URL };

/** What checks of the sign-in need beside what every run has. */
export interface SigninWorld {
  readonly secretKey: Secret;
  readonly trigger: SigninTrigger;
  /**
   * Where the users come from: signed up at the application's callback, invented and told to the
   * command, or one that is given.
   */
  readonly users: 'signed-up' | 'invented' | 'given';
  /** The user that is given; asked only where one is. */
  readonly givenUser: () => Promise<SigninUser>;
  /** Several sign-ins may be under way at the same time. */
  readonly sideBySide: boolean;
  /** Waits until a room is free. */
  readonly open: (order: SigninOrder) => Promise<SigninRoom>;
}

/** One sign-in as it went. */
export interface Attempt {
  readonly scenario: Scenario;
  readonly user: SigninUser;
  readonly ptnToken: string;
  readonly calls: readonly ReceivedCall[];
  readonly conclusion: Conclusion;
}

/** What the checks of a run share. */
export interface SharedAttempts {
  /** The right sign-in that most checks of its form look at. */
  right?: Promise<Attempt>;
  /** All of them, in the order in which they ended. */
  readonly all: Attempt[];
}
