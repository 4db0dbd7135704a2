/** Diagnosis codes of a wrapped key: what stands in `enc_partner_key` instead of a right ciphertext. */
export const wrappedKeyCodes = [
  'not-base64',
  'base64url',
  'line-breaks',
  'hex',
  'double-base64',
  'plain-key',
  'base64-of-plain-key',
  'wrong-length',
  'oaep-sha1',
  'oaep-sha256',
  'oaep-other',
  'no-padding',
  'pkcs1-type-1',
  'earlier-public-key',
  'other-public-key',
  'key-bytes-reversed',
  'space-for-plus',
  'json-quoted',
  'utf8-mangled',
] as const;

/** Diagnosis codes of a per-user key's form: its length, its encoding. */
export const keyFormCodes = [
  'key-length',
  'key-hex-of-32-bytes',
  'key-base64-of-32-bytes',
  'key-raw-bytes',
  'key-quoted',
  'key-trailing-newline',
  'key-utf16',
] as const;

/** Diagnosis codes of the per-user key that was found inside. */
export const perUserKeyCodes = [
  ...keyFormCodes,
  'key-constant',
  'key-from-user-code',
  'key-predictable',
  'key-low-entropy',
  'key-repeated',
  'key-leaked',
] as const;

/** Diagnosis codes of an answer. */
export const answerCodes = [
  'field-malformed',
  'passcode-mismatch',
  'other-user',
  'code-not-success',
  'code-not-string',
  'message-missing',
  'result-missing',
  'field-missing',
  'field-type',
  'field-misplaced',
  'not-json',
  'byte-order-mark',
  'html-instead-of-json',
  'empty-body',
  'redirect',
  'body-too-large',
  'accepted-bad-input',
  'accepted-bad-answer',
  'shared-state',
  'stale-key',
  'never-decrypts',
] as const;

/** Diagnosis codes of an encrypted payload. */
export const payloadCodes = [
  'cipher-mismatch',
  'bad-padding',
  'bad-tag',
  'wrong-key',
  'payload-encoding',
] as const;

/** Diagnosis codes of a connection. */
export const connectionCodes = [
  'dns',
  'refused',
  'tls-untrusted',
  'tls-expired',
  'tls-hostname',
  'timeout',
  'reset',
  'protocol-error',
] as const;

/** Every diagnosis code. */
export const diagnosisCodes = [
  ...wrappedKeyCodes,
  ...perUserKeyCodes,
  ...answerCodes,
  ...payloadCodes,
  ...connectionCodes,
] as const;

/** A cause that authcli can name about the other side. */
export type DiagnosisCode = (typeof diagnosisCodes)[number];

/** Whether a code is a diagnosis, and none of authcli's own. */
export function isDiagnosisCode(code: string): code is DiagnosisCode {
  return diagnosisCodes.some((known) => known === code);
}

/**
 * Why something could not be done.
 *
 * - `usage`: a value that was given can't be used (also from library code: a key or a cipher
 *   notation that can't be read)
 * - `config`: the local state can't be read, parsed, locked or written
 * - `unknown-user`: the local state knows no such user
 * - `not-set`: the profile has no such setting
 * - `unknown-text`: a text that is none of the things it could be
 * - `checks-failed`: checks of a conformance run, for which no diagnosis stands
 * - `threshold-missed`: a load that doesn't keep to what was asked of it
 * - `interrupted`, `terminated`: by SIGINT, by SIGTERM
 * - `internal`: a mistake of authcli's own
 * - otherwise the diagnosis of what the other side did
 */
export type ErrorCode =
  | 'usage'
  | 'config'
  | 'unknown-user'
  | 'not-set'
  | 'unknown-text'
  | 'checks-failed'
  | 'threshold-missed'
  | 'interrupted'
  | 'terminated'
  | 'internal'
  | DiagnosisCode;

/** What was observed, and what to change on the other side. */
export interface Diagnosis {
  readonly code: DiagnosisCode;
  /** What was observed and how it is known, in one or two sentences, without a secret. */
  readonly message: string;
  /** What to change, with the call that does it right; may be empty. */
  readonly hint: string;
}

/** What an error carries beside its code and message. */
export interface AuthcliErrorOptions {
  /** The next step for the person who reads the message. */
  readonly hint?: string;
  /** The error of the library or platform that this one translates. */
  readonly cause?: unknown;
  /** Facts for programs; never a secret. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Every error that authcli raises on purpose; anything else that is thrown is a bug. */
export class AuthcliError extends Error {
  override readonly name = 'AuthcliError';
  readonly code: ErrorCode;
  readonly hint: string;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: AuthcliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint ?? '';
    this.data = options.data ?? {};
  }
}
