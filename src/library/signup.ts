import type { Diagnosis } from '../errors.ts';
import type { UserAttributes } from '../protocol/user.ts';
import type { CallSummary, NetworkOptions } from './calls.ts';
import { runSignup, toSignupResult } from './signup-run.ts';

/** All but `url` is invented by default. */
export interface SimulateSignupOptions extends NetworkOptions {
  /** The application's callback URL. */
  readonly url: string | URL;
  /** `authcli-client` by default. */
  readonly clientId?: string;
  readonly ptnCd?: string;
  readonly superPasscode?: string;
  /** Attributes, or the whole text; `false` sends none. */
  readonly userInfo?: UserAttributes | string | false;
  /** The cipher of the per-user key, in its notation or by a preset's name. */
  readonly cipher?: string;
  /** The private key of the `public_key` to send, PEM or Base64; a new one by default. */
  readonly privateKey?: string;
  /** Private keys of earlier `public_key`s, to recognise a key wrapped with one of them. */
  readonly earlierPrivateKeys?: readonly string[];
}

export type SignupResult = {
  readonly url: string;
  readonly clientId: string;
  readonly ptnCd: string;
  readonly superPasscode: string;
  readonly userInfo?: string;
  /** The callbacks that were sent, in their order: the second only if the first succeeded. */
  readonly calls: readonly CallSummary[];
} & (
  | {
      readonly ok: true;
      /** The per-user key. */
      readonly key: string;
      readonly keyFingerprint: string;
      /** Of the key, which may be used all the same. */
      readonly weakness?: Diagnosis;
    }
  | {
      readonly ok: false;
      readonly diagnosis: Diagnosis;
      /** The per-user key, if it could be read all the same. */
      readonly key?: string;
      readonly keyFingerprint?: string;
    }
);

/**
 * Plays the service at a sign-up (1.2): sends the key exchange, decrypts the returned key, and
 * sends the registration encrypted with it. Nothing is stored.
 *
 * @example
 * ```ts
 * import { simulateSignup, startApplication } from 'authcli';
 *
 * await using application = await startApplication();
 * const result = await simulateSignup({ url: application.url, ptnCd: 'alice' });
 * if (!result.ok) throw new Error(`${result.diagnosis.message} ${result.diagnosis.hint}`);
 * console.log(result.keyFingerprint);
 * ```
 *
 * @returns `ok: false` with a diagnosis also if there was no response
 * @throws AuthcliError `usage` for unusable options, before anything is sent; the reason of `signal`
 */
export async function simulateSignup(options: SimulateSignupOptions): Promise<SignupResult> {
  return toSignupResult(await runSignup(options));
}
