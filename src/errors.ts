/** Diagnosis codes of a wrapped key: what `enc_partner_key` is instead of a right ciphertext. */
export const wrappedKeyCodes = [
  ...['not-base64', 'base64url', 'line-breaks', 'hex', 'double-base64', 'plain-key'],
  ...['base64-of-plain-key', 'wrong-length', 'oaep-sha1', 'oaep-sha256', 'oaep-other'],
  ...['no-padding', 'pkcs1-type-1', 'earlier-public-key', 'other-public-key', 'key-bytes-reversed'],
  ...['space-for-plus', 'json-quoted', 'utf8-mangled'],
] as const;

/** Diagnosis codes of the form of a per-user key. */
export const keyFormCodes = [
  ...['key-length', 'key-hex-of-32-bytes', 'key-base64-of-32-bytes', 'key-raw-bytes', 'key-quoted'],
  ...['key-trailing-newline', 'key-utf16'],
] as const;

/** Diagnosis codes of the per-user key that was found inside. */
export const perUserKeyCodes = [
  ...keyFormCodes,
  ...['key-constant', 'key-from-user-code', 'key-predictable', 'key-low-entropy', 'key-repeated'],
  ...['key-leaked'],
] as const;

/** Diagnosis codes of a response. */
export const responseCodes = [
  ...['field-malformed', 'passcode-mismatch', 'other-user', 'code-not-success', 'code-not-string'],
  ...['message-missing', 'result-missing', 'field-missing', 'field-type', 'field-misplaced'],
  ...['not-json', 'byte-order-mark', 'html-instead-of-json', 'empty-body', 'redirect'],
  ...['body-too-large', 'accepted-bad-input', 'accepted-bad-answer', 'goes-on-after-failure'],
  ...['shared-state', 'stale-key', 'never-decrypts'],
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
  ...['dns', 'refused', 'tls-untrusted', 'tls-expired', 'tls-hostname', 'tls-version', 'timeout'],
  ...['reset', 'protocol-error'],
] as const;

export const diagnosisCodes = [
  ...wrappedKeyCodes,
  ...perUserKeyCodes,
  ...responseCodes,
  ...payloadCodes,
  ...connectionCodes,
] as const;

export type DiagnosisCode = (typeof diagnosisCodes)[number];

/** Whether a code is a diagnosis, not one of authcli's own. */
export function isDiagnosisCode(code: string): code is DiagnosisCode {
  return diagnosisCodes.some((known) => known === code);
}

/** Whether a code is of a connection: no response came. */
export function isConnectionCode(code: string | undefined): boolean {
  return connectionCodes.some((known) => known === code);
}

/** Whether a code is of an encrypted payload. */
export function isPayloadCode(code: string): boolean {
  return payloadCodes.some((known) => known === code);
}

/** Why something could not be done: authcli's own codes, or the diagnosis of the other side. */
export type ErrorCode =
  /** A value that was given can't be used, such as a key or a cipher notation. */
  | 'usage'
  /** The local state can't be read, parsed, locked or written. */
  | 'config'
  | 'unknown-user'
  /** The profile has no such setting. */
  | 'not-set'
  /** A text that can't be recognised, or not be used as what it is. */
  | 'unknown-text'
  /** Checks of a conformance run failed without a diagnosis. */
  | 'checks-failed'
  | 'threshold-missed'
  | 'interrupted'
  | 'terminated'
  /** A mistake of authcli's own. */
  | 'internal'
  | DiagnosisCode;

/** The stacks for which a diagnosis can name the right call, in the order in which they are shown. */
export const stacks = ['java', 'kotlin', 'node', 'python', 'php', 'go', 'csharp', 'ruby'] as const;

export type Stack = (typeof stacks)[number];

/** By stack, the call that does it right; empty where the fix is not a call. */
export type Calls = Readonly<Partial<Record<Stack, string>>>;

/** Facts of a diagnosis for programs, by name; never a secret. */
export type Evidence = Readonly<Record<string, string | number | readonly string[]>>;

/** `certain`: proven, or by words that can mean nothing else. `likely`: one cause is clearly ahead. */
export type Confidence = 'certain' | 'likely';

/** What was observed, and what to change on the other side. */
export interface Diagnosis {
  readonly code: DiagnosisCode;
  /** What was observed and how it is known, in one or two sentences, without a secret. */
  readonly message: string;
  /** What to change, as an instruction; may be empty. */
  readonly hint: string;
  readonly calls: Calls;
  /** How sure the cause is; none where it is not known. */
  readonly confidence?: Confidence | undefined;
  readonly evidence?: Evidence;
}

export interface AuthcliErrorOptions {
  readonly hint?: string;
  readonly calls?: Calls;
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
  readonly calls: Calls;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: AuthcliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint ?? '';
    this.calls = options.calls ?? {};
    this.data = options.data ?? {};
  }
}

/** Whether this is an error of authcli's own with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is AuthcliError {
  return error instanceof AuthcliError && codes.includes(error.code);
}
