import { describeResponse, isAccepted } from '../conformance/expect.ts';
import { coveredPairs } from '../explore/coverage.ts';
import type { SentStep } from '../explore/execute.ts';
import type { Exploration } from '../explore/explore.ts';
import { namesOther } from '../explore/sequence.ts';
import type { ExploreFailure } from '../explore/shrinking.ts';
import { counted, escapeControls } from '../text.ts';
import { type FailureLook, failureText } from './failure-text.ts';
import { fields, marks, verdict, wrapText } from './human.ts';
import { seconds } from './verify-words.ts';

export const exploreSchema = 'authcli/explore/1';

/** An exploration as published, which schemas/explore-1.json describes: the JSON of the command, and the file of a failure. */
export type ExploreDocument = ReturnType<typeof toExploreDocument>;

type ExploreFailureDocument = ExploreDocument['failures'][number];

export function toExploreDocument(
  found: Exploration,
  { durationMs, ...facts }: { version: string; url: string; durationMs: number },
) {
  return {
    schema: exploreSchema,
    ...facts,
    seed: found.seed,
    duration_ms: Math.round(durationMs),
    sequences: found.sequences,
    steps: found.steps,
    rate_limited: found.limited,
    interrupted: found.interrupted,
    coverage: coveredPairs(found.coverage),
    failures: found.failures.map(failureDocument),
  };
}

function failureDocument(failure: ExploreFailure) {
  const { violation, sent } = failure.execution;
  const { title, expected, why, observed, diagnosis } = violation;
  return {
    title,
    expected,
    why,
    observed,
    ...(diagnosis && { diagnosis }),
    steps: sent.map((step) => stepDocument(step, violation.steps.includes(step))),
    flaky: failure.flaky,
    repeated: failure.repeated,
    found_with_steps: failure.foundAfter,
    broken_since: failure.brokenSince,
    kept_connection_only: failure.onKeptConnectionOnly,
    replay: failure.sequence,
  };
}

function stepDocument(sent: SentStep, wrong: boolean) {
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

/** An exploration for people: the failure step by step, and how to run it again. */
export function exploreLines(document: ExploreDocument, look: FailureLook, againLine: string) {
  const { style } = look;
  const { failures, sequences, steps, duration_ms: duration, rate_limited: limited } = document;
  const isGood = failures.length === 0 && steps > 0;
  const sent = `${counted(sequences, 'sequence')} with ${counted(steps, 'callback')}`;
  const failed = `${counted(failures.length, 'sequence')} failed.`;
  return [
    `Explored ${style.bold(escapeControls(document.url))}`,
    ...failures.flatMap((failure) => ['', ...failureLines(failure, look)]),
    '',
    ...(limited === 0
      ? []
      : [
          style.warn(
            `${counted(limited, 'sequence')} ended early: the endpoint limits the rate of requests (HTTP 429). Exempt authcli from the limit to explore further.`,
          ),
        ]),
    style.dim(`${sent} in ${seconds(duration)} s; seed ${escapeControls(document.seed)}`),
    style.dim(`to repeat: ${escapeControls(againLine)}`),
    verdict(
      isGood,
      isGood ? 'No sequence failed.' : steps > 0 ? failed : 'Nothing was sent.',
      style,
    ),
  ];
}

/** One sentence about a failure, for the error at the end. */
export function summaryOf(failure: ExploreFailureDocument): string {
  const flaky = failure.flaky ? ', now and then' : '';
  return `A sequence of ${counted(failure.steps.length, 'callback')} fails${flaky}: ${failure.title}.`;
}

function failureLines(failure: ExploreFailureDocument, look: FailureLook): readonly string[] {
  const { style, width } = look;
  const { diagnosis, steps, title, expected, why, observed } = failure;
  const firstWrong = steps.findIndex(({ wrong }) => wrong);
  const story = [
    ['expected', escapeControls(expected)],
    ['because', escapeControls(why)],
    ['came', escapeControls(observed)],
  ] as const;
  const codes = new Map(steps.map(({ user, ptn_cd: code }) => [user, code]));
  const users = [...codes].sort(([a], [b]) => a - b);
  const { message = '', hint = '' } = diagnosis ?? {};
  const said = { cause: escapeControls(message), fix: escapeControls(hint) };
  const below = [
    ...(failure.kept_connection_only ? wrapText(keptConnectionText, width - 2) : []),
    ...(diagnosis ? failureText({ ...diagnosis, ...said }, { ...look, width: width - 2 }) : []),
  ];
  return [
    `${style.bad(marks.bad)} ${style.bold(escapeControls(title))}`,
    ...steps.flatMap((step, index) => {
      const together = steps[index - 1]?.round === step.round ? 'at the same time, ' : '';
      const connection = step.connection === 'new' ? ', on a new connection' : '';
      const what = `${together}user ${step.user}: ${step.about}${connection}`;
      const number = `${index + 1}.`.padStart(4);
      const line = escapeControls(`${number} ${what} ${marks.arrowOut} ${step.answer}`);
      return [
        step.wrong ? style.bad(line) : line,
        ...(index === firstWrong ? fields(story, style, '     ') : []),
      ];
    }),
    '',
    ...fields(
      // Blanks and other characters that can't be seen are distinguished in quotes.
      users.map(([user, code]) => [
        `user ${user}`,
        /^[!-~]+$/.test(code) ? code : escapeControls(JSON.stringify(code)),
      ]),
      style,
    ),
    `  ${style.dim(confirmedText(failure))}`,
    ...below.map((line) => `  ${line}`),
  ];
}

const keptConnectionText =
  'It passed twice with a new connection for each request: look for what is stored with the connection, and not with the user.';

function confirmedText(failure: ExploreFailureDocument): string {
  const { repeated, found_with_steps: found, broken_since: isBroken, steps } = failure;
  if (isBroken)
    return 'Since then even a plain sign-up fails, so the sequence could not be made shorter: restart the application.';
  const shrunk = found > steps.length ? `found in ${counted(found, 'callback')}; ` : '';
  const { failed, of } = repeated;
  if (of === 0) return `${shrunk}not repeated`;
  return failed === of
    ? `${shrunk}failed again in ${of} of ${of} repeats`
    : `${shrunk}flaky: failed again in ${failed} of ${counted(of, 'repeat')}`;
}
