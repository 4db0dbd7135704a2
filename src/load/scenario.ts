import type { Transport } from '../client/transport.ts';
import type { Diagnosis } from '../errors.ts';

/** A user that signed up in a load, with all that a sign-in needs. */
export interface LoadedUser {
  readonly ptnCd: string;
  readonly key: string;
  readonly superPasscode: string;
  readonly userInfo?: string;
}

/** What became of one sign-up or sign-in. */
export interface Attempted {
  readonly ok: boolean;
  /** How long each call took, in milliseconds: the first, and the second if it was sent. */
  readonly stepsMs: readonly number[];
  /** Whether any response came, right or wrong. */
  readonly answered: boolean;
  /** Why it failed. */
  readonly diagnosis?: Diagnosis;
  /** Values that a response may repeat and that must not be shown. */
  readonly secrets?: readonly string[];
  /** Weaknesses of a key that was examined thoroughly; absent if it wasn't. */
  readonly weaknesses?: readonly Diagnosis[];
  readonly user?: LoadedUser;
}

/** Something that is repeated, each time for a user of its own. */
export interface Scenario {
  /** Does it once; never rejects for the other side's faults. */
  run(transport: Transport): Promise<Attempted>;
}
