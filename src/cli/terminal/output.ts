import type { CheckDocument } from '../../conformance/document.ts';
import { isDiagnosisCode, type Stack } from '../../errors.ts';
import { isJsonObject, textIn } from '../../protocol/json.ts';
import { type FailureLook, type FailureParts, failureText } from '../../reports/failure-text.ts';
import { asStarted } from '../../reports/human.ts';
import { jsonDocument } from '../../reports/json.ts';
import { Revealed } from '../../reports/redact.ts';
import { verifySchema } from '../../reports/verify-document.ts';
import { escapeLines } from '../../text.ts';
import type { Line, Outcome } from '../command.ts';
import { type Failure, publishedCode, publishedFailure } from '../failure.ts';
import type { Session } from '../session.ts';
import { remarkColumns, styleFor } from './style.ts';

/**
 * Prints what a command returned, and why it failed: results on standard output, failures on standard error; under
 * --json one document.
 */
export async function printOutcome(outcome: Outcome, session: Session): Promise<void> {
  const { stdout, stderr, env } = session.context;
  const { failure } = outcome;
  if (failure?.calls !== undefined) await session.readStack();
  if (session.streaming && session.global.json) {
    if (failure !== undefined)
      session.emit({ event: 'stopped', code: publishedCode(failure.code) }, '');
  } else if (session.global.json) {
    stdout.write(jsonDocument(outcomeDocument(outcome, session)));
  } else {
    const lines = outcome.lines.flatMap((line) => shownLine(line, session));
    if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
    if (failure === undefined) return;
    const style = await styleFor(stderr, env, session.global.noColor);
    const look = session.failureLook(style, remarkColumns(stderr));
    stderr.write(`${failureLines(failure, session, look).join('\n')}\n`);
  }
}

/** Wrapped on a terminal, while a requested value stays in one piece; under --quiet, confirmations are left out. */
function shownLine(line: Line, session: Session): readonly string[] {
  if (line instanceof Revealed) return [line.value];
  if (typeof line !== 'string' && session.global.quiet) return [];
  const text = typeof line === 'string' ? line : line.confirms;
  return [session.fitted(asStarted(text, session.program))];
}

type Document = Readonly<Record<string, unknown>>;

/** The JSON document of what a command returned, redacted; under --quiet in short form. */
export function outcomeDocument({ fields, failure }: Outcome, session: Session): Document {
  const document = {
    ok: failure === undefined,
    command: session.line.path,
    ...(failure && { error: publishedFailure(failure, session.next(failure)) }),
    ...fields,
  };
  const isShort = session.detail === 'quiet';
  return session.redactJson(isShort ? shortForm(document, session.stack) : document);
}

const ofRun = 'schema url client_id cipher seed stack sign_in interrupted summary';
const ofCheck = 'id level status reason observed fix known';
const ofNext = ofCheck.replace('reason ', '');
const ofDiagnosis = 'code confidence message calls';

/** Of checks those that failed or were not tested; nothing twice, and code in the application's language alone. */
function shortForm({ error, ...fields }: Document, stack: Stack | undefined): Document {
  const { code } = (error ?? {}) as Partial<Failure>;
  const short = brief(fields, stack, code) as Document;
  const { ok, command, ...others } = short;
  const first = { ok, command, ...(error ? { error: brief(error, stack) } : {}) };
  if (fields.schema !== verifySchema) return { ...first, ...others };
  const checks = (short.checks as readonly CheckDocument[]).filter(
    ({ status }) => status !== 'passed' && status !== 'skipped',
  );
  return {
    ...first,
    ...pick(others, ofRun),
    checks: checks.map(({ diagnosis, ...check }, index) => ({
      // Most checks that were not tested lack the same.
      ...pick(check, check.reason === checks[index - 1]?.reason ? ofNext : ofCheck),
      ...(diagnosis && { diagnosis: pick(diagnosis, ofDiagnosis) }),
    })),
  };
}

/** Calls in one language, those of an explanation in all where none is known; no fix of a diagnosis that is `told` already. */
function brief(value: unknown, stack: Stack | undefined, told?: string): unknown {
  if (Array.isArray(value)) return value.map((item) => brief(item, stack, told));
  if (!isJsonObject(value) || value instanceof Revealed) return value;
  const isDiagnosis = 'hint' in value;
  const isTold = isDiagnosis && value.code === told;
  const own = stack && textIn(value.calls, stack);
  const calls = own ? { [stack]: own } : isDiagnosis ? {} : value.calls;
  const short = Object.entries(value)
    .filter(([name]) => !isTold || (name !== 'hint' && name !== 'calls'))
    .map(([name, item]) => [name, name === 'calls' ? calls : brief(item, stack, told)]);
  return Object.fromEntries(short);
}

function pick(object: object, names: string): Document {
  const all = names.split(' ');
  return Object.fromEntries(Object.entries(object).filter(([name]) => all.includes(name)));
}

/** A stopped run is not an error. */
function failureLines(failure: Failure, session: Session, look: FailureLook): readonly string[] {
  const safe = (text: string) => escapeLines(look.redact(text));
  const said = <T extends Pick<Failure, 'message' | 'hint'>>(found: T): T => ({
    ...found,
    message: safe(found.message),
    hint: safe(found.hint),
  });
  const { code, what, further } = failure;
  const shown = { ...said(failure), what: what && safe(what), further: further?.map(said) };
  if (code === 'interrupted' || code === 'terminated') return [shown.message];
  const next = session.next(failure);
  return failureText(partsOf(shown, next && escapeLines(next)), look);
}

/** The parts of a failure as {@link failureText} prints them; `next` is redacted already. */
export function partsOf(failure: Failure, next?: string): FailureParts {
  const { code, what, message, hint: fix, calls, evidence, further, sumsUp } = failure;
  if (sumsUp) return { error: message, fix: '', next };
  const isCause = what !== undefined || isDiagnosisCode(code);
  const [error, cause] = isCause ? [what, message] : [message, undefined];
  return { error, cause, fix, calls, evidence, further, next };
}
