import type { CallOutcome } from '../client/call.ts';
import type { TokenOutcome, UserSecrets } from '../client/signin.ts';
import type { Secret } from '../crypto/secret.ts';
import type { AuthenticateResult } from '../protocol/authenticate.ts';

/** What a run against the service's own endpoints needs beside what every run has. */
export interface ServiceWorld {
  /** {auth_url}. */
  readonly authUrl: string;
  readonly secretKey: Secret;
  /** A valid `ptn_token`: a fresh one, or where those given have run out, one of them again. */
  readonly nextPtnToken: () => Promise<string>;
  /** The user that the tokens are of, where that is known. */
  readonly ptnCd?: string;
  /** What is known of the user whose passcode comes back. */
  readonly lookUpUser: (ptnCd: string) => Promise<UserSecrets>;
  /** The time zone of `expire_dt`, where it is known. */
  readonly timeZone?: string;
  /** How long an `acs_token` is waited for to expire, in milliseconds. */
  readonly longestWaitMs: number;
  readonly pause: (durationMs: number) => Promise<void>;
}

/** The sign-in that the checks of a run look at together, as far as it came. */
export interface SharedSignIn {
  token?: TokenOutcome;
  authenticate?: CallOutcome<AuthenticateResult>;
}
