/**
 * authcli as a library: plays either side of the sign-in and key-exchange service, and says what is
 * wrong and how to fix it. It keeps nothing, reads neither the environment nor files, and leaves
 * the process alone.
 *
 * @packageDocumentation
 */

export type { Exchange, Headers, Timings, WireRequest, WireResponse } from './client/exchange.ts';
export type { CheckDocument, KnownFailure, VerifyDocument } from './conformance/document.ts';
export type { Activation } from './emulator/handling.ts';
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
export type { CallSummary, NetworkOptions } from './library/calls.ts';
export * from './library/emulators.ts';
export * from './library/keys.ts';
export * from './library/payloads.ts';
export * from './library/signin.ts';
export * from './library/signup.ts';
export * from './library/verify.ts';
export { readUserInformation, type UserAttributes, type UserInformation } from './protocol/user.ts';
