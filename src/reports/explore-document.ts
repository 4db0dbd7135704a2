import { describeResponse, isAccepted } from '../conformance/expect.ts';
import type { Diagnosis } from '../errors.ts';
import { type CoveredPair, coveredPairs } from '../explore/coverage.ts';
import type { SentStep } from '../explore/execution.ts';
import type { Exploration, ExploreFailure } from '../explore/explore.ts';
import { namesOther, type Sequence } from '../explore/sequence.ts';
import { counted } from '../text.ts';

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
