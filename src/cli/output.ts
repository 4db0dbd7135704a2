import { hintLines } from '../diagnosis/catalogue-hint.ts';
import { isDiagnosisCode } from '../errors.ts';
import { displayWidth, fitLine, type Style, wrapText } from '../reports/human.ts';
import { jsonDocument } from '../reports/json.ts';
import { Revealed } from '../reports/redact.ts';
import { escapeWithinLines } from '../text.ts';
import type { Line, Outcome } from './command.ts';
import type { Output } from './context.ts';
import { type Failure, publishedCode, publishedFailure } from './hints.ts';
import type { Session } from './session.ts';
import { columnsOf, remarkColumns } from './style.ts';

/** The output policy in one place: results to standard output, what went wrong to standard error, one JSON document under --json. */

/** Prints what a command ended with. */
export function printOutcome(
  command: string,
  outcome: Outcome,
  session: Session,
  errStyle: Style,
): void {
  const { failure } = outcome;
  if (session.global.json) {
    if (session.streaming) {
      if (failure !== undefined)
        session.emit({ event: 'stopped', code: publishedCode(failure.code) }, '');
      return;
    }
    session.context.stdout.write(document(command, outcome, session));
    return;
  }
  const text = outcome.lines.map((line) => `${fitted(line, session)}\n`).join('');
  if (text !== '') session.context.stdout.write(text);
  if (failure !== undefined) {
    const safe = {
      ...failure,
      message: session.redact(failure.message),
      hint: session.redact(failure.hint),
    };
    printFailure(safe, session.context.stderr, errStyle);
  }
}

/** On a terminal, lines are broken where words end; a value that was asked for stays in one piece. */
function fitted(line: Line, session: Session): string {
  const text = shown(line, session);
  const { stdout } = session.context;
  if (!stdout.isTerminal || line instanceof Revealed) return text;
  const width = columnsOf(stdout);
  return text
    .split('\n')
    .flatMap((part) => fitLine(part, width))
    .join('\n');
}

function shown(line: Line, session: Session): string {
  if (!(line instanceof Revealed)) return session.redact(line);
  // A pipe gets the value as it is; on a terminal it must not move the cursor.
  return session.context.stdout.isTerminal ? escapeWithinLines(line.value) : line.value;
}

function document(command: string, outcome: Outcome, session: Session): string {
  const value = {
    ok: outcome.failure === undefined,
    command,
    ...outcome.fields,
    ...(outcome.failure === undefined ? {} : { error: publishedFailure(outcome.failure) }),
  };
  return jsonDocument(session.showsSecrets ? unwrapped(value) : session.secrets.json(value));
}

/** The JSON document of a run that ended before a command was at work. */
export function failureDocument(command: string, failure: Failure): string {
  return jsonDocument({ ok: false, command, error: publishedFailure(failure) });
}

/** The value with every {@link Revealed} replaced by its text, nothing hidden. */
function unwrapped(value: unknown): unknown {
  if (value instanceof Revealed) return value.value;
  if (Array.isArray(value)) return value.map(unwrapped);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, unwrapped(item)]));
}

/** "error: what is wrong", and the next step below it; lines are broken on a terminal alone. */
export function printFailure(failure: Failure, stderr: Output, style: Style): void {
  const width = remarkColumns(stderr);
  const stopped = failure.code === 'interrupted' || failure.code === 'terminated';
  const head = stopped ? failure.message : `${style.bad('error:')} ${failure.message}`;
  const lines = displayWidth(head) <= width ? [head] : wrapText(head, width);
  const hint =
    failure.hint === ''
      ? []
      : failure.hint
          .split('\n')
          .flatMap(hintLines)
          .flatMap((line) => indented(line, width));
  // `explain` tells more of a diagnosis than its hint does.
  const more = isDiagnosisCode(failure.code)
    ? [`  ${style.dim('More:')} authcli explain ${failure.code}`]
    : [];
  stderr.write(`${[...lines, ...hint, ...more].join('\n')}\n`);
}

/** A line of a hint; what is indented in it (a line of code, a command) stays in one piece. */
function indented(line: string, width: number): string[] {
  return line.startsWith(' ')
    ? [`  ${line}`]
    : wrapText(line, width - 2).map((part) => `  ${part}`);
}
