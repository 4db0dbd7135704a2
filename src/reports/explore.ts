import { describeResponse, isAccepted } from '../conformance/expect.ts';
import type { Diagnosis } from '../errors.ts';
import { type CoveredPair, coveredPairs } from '../explore/coverage.ts';
import type { SentStep } from '../explore/execute.ts';
import type { Exploration, ExploreFailure } from '../explore/explore.ts';
import { stateNames } from '../explore/model.ts';
import { namesOther, type Sequence } from '../explore/sequence.ts';
import { counted, escapeControls } from '../text.ts';
import { type FailureLook, failureText } from './failure-text.ts';
import { fields, marks, table, verdict, wrapText } from './human.ts';
import { seconds } from './verify-words.ts';

export const exploreSchema = 'authcli/explore/1';

/** One callback of a failure, as it was sent. */
export interface StepDocument {
  /** Callbacks of one round were under way at the same time. */
  readonly round: number;
  readonly user: number;
  readonly ptn_cd: string;
  readonly operation: string;
  /** "a key exchange" */
  readonly about: string;
  readonly connection: 'kept' | 'new';
  readonly expected: 'accepted' | 'refused' | 'open';
  readonly why: string;
  readonly answer: string;
  readonly accepted: boolean;
  /** It shows what is wrong. */
  readonly wrong: boolean;
}

/** A failure as published. */
export interface ExploreFailureDocument {
  readonly title: string;
  readonly expected: string;
  readonly why: string;
  readonly observed: string;
  readonly diagnosis?: Diagnosis;
  readonly steps: readonly StepDocument[];
  readonly flaky: boolean;
  /** How often these steps failed when they were repeated. */
  readonly repeated: { readonly failed: number; readonly of: number };
  /** How many steps the sequence had that failed first. */
  readonly found_with_steps: number;
  /** Everything failed since then, so nothing could be shrunk or repeated. */
  readonly broken_since: boolean;
  /** It passed twice with a new connection for each request. */
  readonly kept_connection_only: boolean;
  /** What --replay sends. */
  readonly replay: Sequence;
}

/** An exploration as published: the JSON of the command, and the file of a failure. */
export interface ExploreDocument {
  readonly schema: typeof exploreSchema;
  readonly version: string;
  readonly url: string;
  readonly seed: string;
  readonly duration_ms: number;
  readonly sequences: number;
  readonly steps: number;
  /** Sequences that ended early because the endpoint limits the rate of requests. */
  readonly rate_limited: number;
  readonly interrupted: boolean;
  readonly coverage: readonly CoveredPair[];
  readonly failures: readonly ExploreFailureDocument[];
}

interface ExploreFacts {
  readonly version: string;
  readonly url: string;
  readonly durationMs: number;
}

export function toExploreDocument(found: Exploration, facts: ExploreFacts): ExploreDocument {
  return {
    schema: exploreSchema,
    version: facts.version,
    url: facts.url,
    seed: found.seed,
    duration_ms: Math.round(facts.durationMs),
    sequences: found.sequences,
    steps: found.steps,
    rate_limited: found.limited,
    interrupted: found.interrupted,
    coverage: coveredPairs(found.coverage),
    failures: found.failures.map(failureDocument),
  };
}

function failureDocument(failure: ExploreFailure): ExploreFailureDocument {
  const { sequence, execution, repeated, flaky, foundAfter, brokenSince } = failure;
  const { onKeptConnectionOnly } = failure;
  const { violation, sent } = execution;
  const { title, expected, why, observed, diagnosis } = violation;
  return {
    title,
    expected,
    why,
    observed,
    ...(diagnosis && { diagnosis }),
    steps: sent.map((step) => stepDocument(step, violation.steps.includes(step))),
    flaky,
    repeated,
    found_with_steps: foundAfter,
    broken_since: brokenSince,
    kept_connection_only: onKeptConnectionOnly,
    replay: sequence,
  };
}

function stepDocument(sent: SentStep, wrong: boolean): StepDocument {
  const { step, round, ptnCd, operation, expected, outcome } = sent;
  return {
    round: round + 1,
    user: step.user + 1,
    ptn_cd: ptnCd,
    operation: operation.id,
    about: aboutOf(sent),
    connection: step.fresh ? 'new' : 'kept',
    expected: expected.verdict,
    why: expected.why,
    answer: describeResponse(outcome),
    accepted: isAccepted(outcome),
    wrong,
  };
}

/** With what `detail` says: whose key, or which one. */
function aboutOf({ step, operation }: SentStep): string {
  const { detail } = step;
  if (detail === undefined) return operation.about;
  if (namesOther(step)) return `${operation.about} (of user ${detail + 1})`;
  return detail > 1
    ? `${operation.about} (${counted(detail, 'key exchange')} back)`
    : operation.about;
}

/** An exploration for people: the failure step by step, what was covered, and how to run it again. */
export function exploreLines(
  document: ExploreDocument,
  look: FailureLook,
  againLine: string,
): readonly string[] {
  const { style, detail } = look;
  const { failures, sequences, steps, duration_ms: duration, rate_limited: limited } = document;
  const isGood = failures.length === 0 && steps > 0;
  const sent = `${counted(sequences, 'sequence')} with ${counted(steps, 'callback')}`;
  return [
    `Explored ${style.bold(escapeControls(document.url))}`,
    ...failures.flatMap((failure) => ['', ...failureLines(failure, look)]),
    ...(detail === 'quiet' ? [] : coverageLines(document, look)),
    '',
    ...(limited > 0 ? [style.warn(limitedText(limited))] : []),
    style.dim(`${sent} in ${seconds(duration)} s; seed ${escapeControls(document.seed)}`),
    style.dim(`to repeat: ${escapeControls(againLine)}`),
    verdict(isGood, verdictText(document), style),
  ];
}

function limitedText(limited: number): string {
  return `${counted(limited, 'sequence')} ended early: the endpoint limits the rate of requests (HTTP 429). Exempt authcli from the limit to explore further.`;
}

function verdictText({ failures, steps }: ExploreDocument): string {
  if (failures.length > 0) return `${counted(failures.length, 'sequence')} failed.`;
  return steps > 0 ? 'No sequence failed.' : 'Nothing was sent.';
}

/** One sentence about a failure, for the error at the end. */
export function summaryOf(failure: ExploreFailureDocument): string {
  const flaky = failure.flaky ? ', now and then' : '';
  return `A sequence of ${counted(failure.steps.length, 'callback')} fails${flaky}: ${failure.title}.`;
}

const indent = '     ';

function failureLines(failure: ExploreFailureDocument, look: FailureLook): readonly string[] {
  const { style } = look;
  const { diagnosis, steps } = failure;
  const parts = diagnosis && {
    code: diagnosis.code,
    cause: escapeControls(diagnosis.message),
    fix: escapeControls(diagnosis.hint),
    calls: diagnosis.calls,
  };
  const codes = new Map(steps.map(({ user, ptn_cd: code }) => [user, code]));
  return [
    `${style.bad(marks.bad)} ${style.bold(escapeControls(failure.title))}`,
    ...steps.flatMap((step, index) => stepLines(step, index, failure, look)),
    '',
    ...fields(
      [...codes].sort(([a], [b]) => a - b).map(([user, code]) => [`user ${user}`, shown(code)]),
      style,
    ),
    `  ${style.dim(confirmedText(failure))}`,
    ...(failure.kept_connection_only
      ? wrapText(keptConnectionText, look.width - 2).map((line) => `  ${line}`)
      : []),
    ...(parts === undefined
      ? []
      : failureText(parts, { ...look, width: look.width - 2 }).map((line) => `  ${line}`)),
  ];
}

const keptConnectionText =
  'It passed twice with a new connection for each request: look for what is stored with the connection, and not with the user.';

function stepLines(
  step: StepDocument,
  index: number,
  failure: ExploreFailureDocument,
  { style }: FailureLook,
): readonly string[] {
  const { steps, expected, why, observed } = failure;
  const isFirstWrong = steps.findIndex(({ wrong }) => wrong) === index;
  const before = steps[index - 1];
  const together = before?.round === step.round ? 'at the same time, ' : '';
  const connection = step.connection === 'new' ? ', on a new connection' : '';
  const number = `${index + 1}.`.padStart(4);
  const line = `${number} ${together}user ${step.user}: ${step.about}${connection} ${marks.arrowOut} ${step.answer}`;
  const rows: readonly [string, string][] = [
    ['expected', expected],
    ['because', why],
    ['came', observed],
  ];
  const story = rows.map(([label, text]): [string, string] => [label, escapeControls(text)]);
  return [
    step.wrong ? style.bad(escapeControls(line)) : escapeControls(line),
    ...(isFirstWrong ? fields(story, style, indent) : []),
  ];
}

/** Blanks and other characters that can't be seen are distinguished in quotes. */
function shown(code: string): string {
  return /^[!-~]+$/.test(code) ? code : escapeControls(JSON.stringify(code));
}

function confirmedText(failure: ExploreFailureDocument): string {
  const { repeated, found_with_steps: found, broken_since: isBroken, steps } = failure;
  if (isBroken) {
    return `Since then even a plain sign-up fails, so the sequence could not be made shorter: restart the application.`;
  }
  const shrunk = found > steps.length ? `found in ${counted(found, 'callback')}; ` : '';
  const { failed, of } = repeated;
  if (of === 0) return `${shrunk}not repeated`;
  return failed === of
    ? `${shrunk}failed again in ${of} of ${of} repeats`
    : `${shrunk}flaky: failed again in ${failed} of ${counted(of, 'repeat')}`;
}

function coverageLines(
  { coverage }: ExploreDocument,
  { style, width }: FailureLook,
): readonly string[] {
  const operations = [...new Set(coverage.map(({ operation }) => operation))].sort();
  const rows = operations.map((operation) => {
    const own = coverage.filter((pair) => pair.operation === operation);
    const sum = (pairs: readonly CoveredPair[]) =>
      pairs.reduce((total, { count }) => total + count, 0) || undefined;
    const cells = stateNames.map((name) => sum(own.filter(({ state }) => state === name)));
    const together = sum(own.filter(({ concurrent }) => concurrent));
    return [operation, ...cells, together].map((cell) => String(cell ?? '-'));
  });
  const heading = ['sent for a user in state', ...stateNames, 'at the same time'];
  return rows.length === 0 ? [] : ['', ...table(heading, rows, style, width)];
}
