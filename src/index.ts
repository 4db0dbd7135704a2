/**
 * authcli as a library: plays either side of the sign-in and key-exchange service, and says what is
 * wrong and how to fix it. It keeps nothing, reads neither the environment nor files, and leaves
 * the process alone.
 *
 * @packageDocumentation
 */

export type { Exchange, Headers, Timings, WireRequest, WireResponse } from './client/exchange.ts';
export type { PasscodeVerdict } from './client/passcode.ts';
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
export {
  type RunningApplication,
  type StartApplicationOptions,
  startApplication,
} from './library/application.ts';
export type { EmulatorOptions, Faults, RunningEmulator } from './library/emulator.ts';
export {
  generateKeyPair,
  generateUserKey,
  type KeyPair,
  type UnwrapFailure,
  type UnwrapKeyOptions,
  type UnwrapResult,
  type UnwrapSuccess,
  unwrapKey,
  type WrapKeyOptions,
  wrapKey,
} from './library/keys.ts';
export type { CallSummary, NetworkOptions } from './library/network.ts';
export {
  type CipherFinding,
  canonicalCipher,
  type DecryptFailure,
  type DecryptPayloadOptions,
  type DecryptResult,
  type DecryptSuccess,
  decryptPayload,
  type EncryptPayloadOptions,
  encryptPayload,
  type IdentifyCipherOptions,
  type IdentifyFailure,
  type IdentifyResult,
  type IdentifySuccess,
  identifyCipher,
} from './library/payloads.ts';
export {
  type RunningService,
  type SignUpOptions,
  type StartServiceOptions,
  startService,
} from './library/service.ts';
export {
  type SignInOptions,
  type SigninFailure,
  type SigninResult,
  type SigninSuccess,
  signIn,
} from './library/signin.ts';
export {
  type SignupFailure,
  type SignupResult,
  type SignupSuccess,
  type SimulateSignupOptions,
  simulateSignup,
  type UserAttributes,
} from './library/signup.ts';
export type { ApplicationUser, ServiceUser, UserSecrets } from './library/users.ts';
export {
  formatReport,
  type ReportFormat,
  type VerifyCallbackOptions,
  type VerifyResult,
  verifyCallback,
} from './library/verify.ts';
export { readUserInformation, type UserInformation } from './protocol/user-info.ts';
export type { CheckDocument, VerifyDocument } from './reports/verify-document.ts';
