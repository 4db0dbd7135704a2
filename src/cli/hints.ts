import { AuthcliError, type ErrorCode } from '../errors.ts';

/** Why a run failed, as `--json` prints it in `error`. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  /** The next step; may be empty. */
  readonly hint: string;
  /** In place of the status that follows from the code. */
  readonly exitStatus?: number;
}

/** A usage error: the message names the flag or value, the hint what would be right. */
export function usage(message: string, hint = ''): AuthcliError {
  return new AuthcliError('usage', message, { hint });
}

/**
 * What any thrown value tells the user. An error that authcli didn't raise on purpose is a bug of
 * its own: only its class is named, since its message may hold data.
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof AuthcliError) {
    return { code: error.code, message: error.message, hint: hintOf(error) };
  }
  const kind = error instanceof Error ? error.name : typeof error;
  return {
    code: 'internal',
    message: `This is a bug in authcli: an unexpected ${kind}.`,
    hint: 'Please report it, with what --debug adds to the same command: secrets are redacted there.',
  };
}

/** The next step, with the command that takes it where the library can't name one. */
export function hintOf({ hint, data }: AuthcliError): string {
  return data.damaged === true
    ? `${hint} \`authcli doctor --mend\` sets it aside and deletes nothing.`
    : hint;
}

/** The `error` of a JSON document. */
export function publishedFailure({ code, message, hint }: Failure): Record<string, string> {
  return { code: publishedCode(code), message, hint };
}

/** The published name of an error code: what is not a diagnosis or one of the four names of the contract is folded into them. */
export function publishedCode(code: ErrorCode): string {
  return code === 'terminated' ? 'interrupted' : code;
}
