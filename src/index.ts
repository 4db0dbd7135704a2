/**
 * authcli as a library: plays either side of the sign-in and key-exchange service, and says what is
 * wrong and how to fix it. It keeps nothing, reads neither the environment nor files, and leaves
 * the process alone.
 *
 * @packageDocumentation
 */

export type { Exchange, Headers, Timings, WireRequest, WireResponse } from './client/exchange.ts';
export type { PasscodeVerdict } from './client/signin.ts';
export type { UserAttributes } from './client/signup.ts';
export type { KnownFailure } from './conformance/baseline.ts';
export type { Activation } from './emulator/faults/switchboard.ts';
export type { JournalEntry, JournalFilter, JournalMessage } from './emulator/journal.ts';
export {
  AuthcliError,
  type Calls,
  type Diagnosis,
  type DiagnosisCode,
  type ErrorCode,
  type Evidence,
  type Stack,
} from './errors.ts';
export * from './library/emulators.ts';
export * from './library/keys.ts';
export type { CallSummary, NetworkOptions } from './library/options.ts';
export * from './library/payloads.ts';
export * from './library/signin.ts';
export {
  type SignupResult,
  type SimulateSignupOptions,
  simulateSignup,
} from './library/signup.ts';
export * from './library/verify.ts';
export { readUserInformation, type UserInformation } from './protocol/user.ts';
export type { CheckDocument, VerifyDocument } from './reports/verify-document.ts';
