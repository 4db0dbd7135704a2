import {
  AuthcliError,
  type Calls,
  type Confidence,
  type Diagnosis,
  type ErrorCode,
  type Evidence,
  isDiagnosisCode,
} from '../errors.ts';
import { reveal } from '../reports/redact.ts';
import type { Next } from './next-command.ts';

/** Why a run failed, as `--json` prints it in `error`. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly calls?: Calls;
  readonly confidence?: Confidence | undefined;
  readonly evidence?: Evidence;
  /** What was being done, where neither the code nor the output before it says so. */
  readonly what?: string | undefined;
  /** Its diagnoses are printed already: the message only sums them up. */
  readonly sumsUp?: true;
  /** What to run next, where it doesn't follow from the code. */
  readonly next?: Next;
  /** Diagnoses behind it, printed for people; for programs they are in the fields of the command. */
  readonly further?: readonly Diagnosis[] | undefined;
  readonly exitStatus?: number;
}

/** `message` names the flag or value, `hint` says what would be right; with what to run next. */
export function usage(message: string, hint = '', next?: Next): AuthcliError {
  return new AuthcliError('usage', message, { hint, data: { next } });
}

/** An error of the platform as a usage error: the command after `--` can't be run. */
export function cannotRun(command: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  return usage(
    `The command ${JSON.stringify(command)} can't be run (${code}).`,
    'Check that it is installed and on the PATH. It is run without a shell.',
  );
}

/** Any thrown value as a failure. The message of an unexpected error may contain data and is left out. */
export function failureOf(error: unknown): Failure {
  if (error instanceof AuthcliError) {
    const { code, message, hint, calls, data } = error;
    const evidence = data.evidence as Evidence | undefined;
    return { code, message, hint, calls, evidence, next: data.next as Next | undefined };
  }
  const kind = error instanceof Error ? error.name : typeof error;
  return {
    code: 'internal',
    message: `This is a bug in authcli: an unexpected ${kind}.`,
    hint: 'Please report it with what the same command prints with --verbose; its lines `bug:` contain no secrets.',
  };
}

/** The value of `error` in JSON documents; `next` is the command line to run next, redacted already. */
export function publishedFailure(
  failure: Failure,
  next: string | undefined,
): Readonly<Record<string, unknown>> {
  const { code, message, hint, calls = {}, confidence, evidence } = failure;
  return {
    code: publishedCode(code),
    ...(confidence && { confidence }),
    message,
    hint,
    ...(isDiagnosisCode(code) && { calls, ...(evidence && { evidence }) }),
    ...(next !== undefined && { next: reveal(next) }),
  };
}

/** `terminated` is published as `interrupted`. */
export function publishedCode(code: ErrorCode): string {
  return code === 'terminated' ? 'interrupted' : code;
}
