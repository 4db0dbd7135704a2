import type { CallOutcome } from '../client/call.ts';
import type { KeyExchangeOutcome } from '../client/callbacks.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import type { Diagnosis } from '../errors.ts';
import { encodeUserInformation } from '../protocol/user-info.ts';
import type { CheckContext } from './context.ts';
import { expectAccepted, failWith, skip } from './expect.ts';
import { isFormCode, isWrapCode } from './key-codes.ts';
import type { RequestOptions } from './world.ts';

/** User information that any application can store. */
export const plainUserInfo = encodeUserInformation({
  email: 'authcli@example.com',
  name: 'Test User',
  phone: '+1-202-555-0123',
});

/** How a sign-up is done where it matters. */
export interface SignUpOptions extends RequestOptions {
  readonly keyPair?: RsaPrivateKey;
  /** Sent as ubifill; none unless told. */
  readonly userInfo?: string;
  /** The passcode that is delivered; a new one unless told. */
  readonly superPasscode?: string;
  /** The request in words, for the verdict. */
  readonly what?: string;
}

/**
 * Exchanges a key as part of a check that is about something else, and gives the plain key. What a
 * check of its own has reported before (a wrap that is wrong and can be read all the same) is let
 * pass; anything else that is wrong fails this check.
 */
export async function obtainKey(
  context: CheckContext,
  ptnCd: string,
  options: SignUpOptions = {},
): Promise<string> {
  const outcome = await context.exchange(ptnCd, options);
  expectAccepted(outcome, options.what ?? 'a key exchange');
  return keyIn(context, outcome);
}

/** The plain key of an exchange that was accepted. */
export function keyIn(context: CheckContext, outcome: KeyExchangeOutcome): string {
  const { reported } = context.record;
  const fault = faultsOf(outcome).find(({ code }) => !reported.has(code));
  if (fault !== undefined) {
    failWith(fault, 'a key that is wrapped as in this run before', fault.code, outcome.exchange);
  }
  return outcome.key?.reveal() ?? skip('No per-user key can be read from enc_partner_key.');
}

/** Registers the user with the key, and demands that it is accepted. */
export async function registerRightly(
  context: CheckContext,
  ptnCd: string,
  key: string,
  options: SignUpOptions = {},
): Promise<CallOutcome<object>> {
  const outcome = await context.register(ptnCd, key, options);
  expectAccepted(outcome, options.what ?? 'a registration');
  return outcome;
}

/** A whole sign-up that must succeed; gives the plain key. */
export async function signUp(
  context: CheckContext,
  ptnCd: string,
  options: SignUpOptions = {},
): Promise<string> {
  const { alter, ...exchangeOptions } = options;
  const key = await obtainKey(context, ptnCd, { ...exchangeOptions, what: undefined });
  await registerRightly(context, ptnCd, key, { ...options, alter });
  return key;
}

/** What is wrong with an accepted exchange, of the answer and of the wrapped key, not of the key's randomness. */
function faultsOf({ diagnosis, diagnoses, result }: KeyExchangeOutcome): readonly Diagnosis[] {
  const ofKey = diagnoses.filter(({ code }) => isWrapCode(code) || isFormCode(code));
  return result === undefined && diagnosis !== undefined ? [diagnosis, ...ofKey] : ofKey;
}
