import { isDiagnosisCode } from '../../errors.ts';
import { type FailureLook, type FailureParts, failureText } from '../../reports/failure-text.ts';
import { asStarted } from '../../reports/human.ts';
import { jsonDocument } from '../../reports/json.ts';
import { Revealed } from '../../reports/redact.ts';
import { escapeLines } from '../../text.ts';
import type { Line, Outcome } from '../command.ts';
import type { Output } from '../context.ts';
import { type Failure, publishedCode, publishedFailure } from '../failure.ts';
import type { Session } from '../session.ts';

/** Results go to standard output, failures to standard error; under --json one document. */

/** Prints what a command returned, and why it failed. */
export function printOutcome(
  command: string,
  outcome: Outcome,
  session: Session,
  failed: { readonly look: FailureLook; readonly next: string | undefined } | undefined,
): void {
  const { failure } = outcome;
  if (session.global.json) {
    if (session.streaming) {
      if (failure !== undefined)
        session.emit({ event: 'stopped', code: publishedCode(failure.code) }, '');
      return;
    }
    session.context.stdout.write(
      jsonDocument(outcomeDocument(command, outcome, failed?.next, session)),
    );
    return;
  }
  const text = outcome.lines
    .flatMap((line) => textOf(line, session))
    .map((line) => `${fitted(line, session)}\n`)
    .join('');
  if (text !== '') session.context.stdout.write(text);
  if (failure !== undefined && failed !== undefined) {
    printFailure(partsOf(failure, failed.next), session.context.stderr, failed.look);
  }
}

/** Under --quiet, confirmations are left out. */
function textOf(line: Line, { global }: Session): readonly (string | Revealed)[] {
  if (typeof line === 'string' || line instanceof Revealed) return [line];
  return global.quiet ? [] : [line.confirms];
}

/** Wrapped on a terminal; a requested value stays in one piece. */
function fitted(line: string | Revealed, session: Session): string {
  if (line instanceof Revealed) return line.value;
  return session.fitted(asStarted(line, session.typed.program));
}

/** The JSON document of what a command returned, redacted; `next` is redacted already. */
export function outcomeDocument(
  command: string,
  { fields, failure }: Outcome,
  next: string | undefined,
  session: Session,
): Readonly<Record<string, unknown>> {
  return session.redactJson({
    ok: failure === undefined,
    command,
    ...fields,
    ...(failure && { error: publishedFailure(failure, next) }),
  });
}

/** The JSON document of a failure before any command ran. */
export function failureDocument(
  command: string,
  failure: Failure,
  next: string | undefined,
): string {
  return jsonDocument({ ok: false, command, error: publishedFailure(failure, next) });
}

/** The parts of a failure as {@link failureText} prints them; `next` is redacted already. */
export function partsOf(failure: Failure, next?: string): FailureParts {
  const { code, what, message, hint: fix, calls, further, sumsUp = false } = failure;
  const isCause = !sumsUp && (what !== undefined || isDiagnosisCode(code));
  const error = isCause ? what : message;
  if (sumsUp) return { code, error, fix: '', next };
  return { code, error, cause: isCause ? message : undefined, fix, calls, further, next };
}

/** Prints a failure on standard error; a stopped run is not an error. */
export function printFailure(parts: FailureParts, stderr: Output, look: FailureLook): void {
  const stopped = parts.code === 'interrupted' || parts.code === 'terminated';
  const safe = safeParts(parts, (text) => escapeLines(look.redact(text)));
  const lines = stopped ? [safe.error ?? ''] : failureText(safe, look);
  stderr.write(`${lines.join('\n')}\n`);
}

function safeParts(parts: FailureParts, safe: (text: string) => string): FailureParts {
  const { error, cause, fix, further, next } = parts;
  const optional = (text: string | undefined) => text && safe(text);
  return {
    ...parts,
    error: optional(error),
    cause: optional(cause),
    fix: safe(fix),
    further: further?.map((found) => ({
      ...found,
      message: safe(found.message),
      hint: safe(found.hint),
    })),
    next: next && escapeLines(next),
  };
}
