import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { experiments, inWords } from '../../client/experiments.ts';
import type { BaselineJudgement } from '../../conformance/baseline.ts';
import { type Check, type CheckFacts, checkFacts, harmRank } from '../../conformance/check.ts';
import { sinceOf } from '../../conformance/requirements.ts';
import type { CheckResult, RunResult } from '../../conformance/result.ts';
import { signinExperiments } from '../../conformance/signin-experiments.ts';
import type { FailureLook } from '../../reports/failure-text.ts';
import { table } from '../../reports/human.ts';
import { type VerifyDocument, verifyHar } from '../../reports/verify-document.ts';
import { verifyGithub } from '../../reports/verify-github.ts';
import { verifyLines } from '../../reports/verify-human.ts';
import { reportKinds } from '../../reports/verify-kinds.ts';
import { verifyMarkdown } from '../../reports/verify-markdown.ts';
import { counted, firstOf } from '../../text.ts';
import type { CommandLine } from '../args/command-line.ts';
import type { Outcome } from '../command.ts';
import type { Context } from '../context.ts';
import { exitStatus } from '../exit-status.ts';
import type { Failure } from '../failure.ts';
import { correctionOf } from '../next-command.ts';
import type { Session } from '../session.ts';
import { columnsOf } from '../terminal/style.ts';
import { jsonReport, type WriteReports } from './report-files.ts';
import type { VerifyOptions } from './verify.ts';

interface ReportParts {
  readonly document: VerifyDocument;
  readonly result: RunResult;
  readonly failure: Failure | undefined;
}

type Format = NonNullable<VerifyOptions['format']>;

/** That of --format, by default that of the environment. */
export function formatOf({ format }: VerifyOptions, { env }: Pick<Context, 'env'>): Format {
  return format ?? (env.GITHUB_ACTIONS === 'true' ? 'github' : 'human');
}

/** The report of a whole run as --format prints it. */
export function linesOf(
  document: VerifyDocument,
  format: Format,
  look: FailureLook,
): readonly string[] {
  if (format === 'github') return verifyGithub(document);
  // Of an endpoint that does not respond, the failure alone says enough.
  return document.unreachable === undefined ? verifyLines(document, look) : [];
}

/** Writes the --report files and the step summary of GitHub. */
export async function writeReports(
  { document, result, failure }: ReportParts,
  write: WriteReports,
  format: Format,
  session: Session,
): Promise<void> {
  const source = {
    document,
    json: await jsonReport({ document, failure }, session),
    har: session.redactJson(verifyHar(result, document)),
  };
  await write((kind) => reportKinds[kind](source));
  const { env, cwd } = session.context;
  const { GITHUB_STEP_SUMMARY: summary } = env;
  if (format !== 'github' || !summary) return;
  await appendFile(resolve(cwd, summary), `${verifyMarkdown(document)}\n`).catch(() =>
    session.warn("the summary of the step can't be written"),
  );
}

/** What --list prints. */
export function listOutcome(
  checks: readonly (CheckFacts & Pick<Check, 'needs' | 'production' | 'earlier'>)[],
  requirements: number,
  { style, context }: Session,
): Outcome {
  const rows = checks.map((check) => {
    const { id, level, title, production } = check;
    const since = sinceOf(check, requirements);
    const isLater = since > 1 ? ` (${level} since requirements ${since})` : '';
    return [id, level, production === undefined ? '' : 'safe', title + isLater];
  });
  return {
    fields: {
      requirements,
      checks: checks.map((check) => ({
        ...checkFacts(check),
        since: sinceOf(check, requirements),
        needs: check.needs.filter((need) => need.includes('/')),
        production: check.production !== undefined,
      })),
    },
    lines: [
      ...table(['check', 'level', 'safe', 'requirement'], rows, style, columnsOf(context.stdout)),
      '',
      'Checks marked "safe" are the production subset, which --safe runs: six valid requests of a single user, authcli-production.',
      `A first key exchange or registration that is refused is followed by experiments, each with a user of its own: ${experiments.map(inWords).join('; ')}. A refused sign-in is followed by others: the same again; ${signinExperiments.map(({ accepts }) => accepts).join('; ')}. --safe does none.`,
      'The signin checks need --signin or --signin-url.',
      `${counted(checks.length, 'check')} of requirements ${requirements}. Each request carries the header X-Authcli-Check with the id of its check.`,
    ],
  };
}

/**
 * Undefined if the run passed. The first of: nothing reached, unknown failures (the worst), stale entries of the
 * baseline, nothing judged, requirements that were not tested.
 */
export function failureOfRun(
  result: RunResult,
  baseline: BaselineJudgement,
  line: CommandLine,
): Failure | undefined {
  const { unreachable, checks } = result;
  if (unreachable !== undefined) return unreachable;
  const failed = checks.filter(
    ({ status, check }) => status === 'failed' && !baseline.known.has(check.id),
  );
  if (failed.length > 0) return failedChecks(failed, checks.length, line);
  if (baseline.stale.length > 0) return staleBaseline(baseline);
  if (checks.every(({ status }) => status === 'skipped' || status === 'incomplete'))
    return nothingJudged(result);
  const untested = checks.filter(
    ({ status, check }) => status === 'incomplete' && !baseline.known.has(check.id),
  );
  return untested.length > 0 ? notTested(untested, checks.length) : undefined;
}

/** Flags that say which checks run, and how far. */
export const ofSelection = ['--check', '--skip', '--bail'];

/** The diagnosis of the first failure; a connection failure is not status 3 here. */
function failedChecks(failed: readonly CheckResult[], all: number, line: CommandLine): Failure {
  const sorted = failed.toSorted((a, b) => harmRank(a.fault?.harm) - harmRank(b.fault?.harm));
  const ids = sorted.map(({ check }) => check.id);
  const [first] = sorted;
  const { code = 'checks-failed', evidence, confidence } = first?.fault?.diagnosis ?? {};
  const check = first ? [['--check', first.check.id] as const] : [];
  return {
    code,
    evidence,
    confidence,
    message: `${failed.length} of ${counted(all, 'check')} failed: ${firstOf(ids, 1)}.`,
    hint: first?.fault?.fix ?? '',
    calls: first?.fault?.diagnosis?.calls,
    sumsUp: true,
    next: {
      again: true,
      without: ofSelection,
      add: [...check, ...correctionOf({ code, evidence }, line)],
    },
    exitStatus: exitStatus.negative,
  };
}

/** A run that tested little must not look like one that passed. */
function notTested(untested: readonly CheckResult[], all: number): Failure {
  const [first] = untested;
  const ids = untested.map(({ check }) => check.id).join(', ');
  return {
    code: 'checks-failed',
    message: `${untested.length} of ${counted(all, 'requirement')} not tested: ${ids}.`,
    hint: `${first?.reason} Make them testable, or name them with the reason in the file of --expect.`,
  };
}

function staleBaseline({ stale }: BaselineJudgement): Failure {
  const names = stale.map(({ check }) => check).join(', ');
  return {
    code: 'checks-failed',
    message: `Known failures no longer fail: ${names}.`,
    hint: 'Remove them from the list, or run again with --update-expect.',
    next: { again: true, add: [['--update-expect']], without: ['--bail', '--every', '--watch'] },
  };
}

function nothingJudged({ controls, checks }: RunResult): Failure {
  const control = controls.find(({ status }) => status === 'failed' || status === 'warned');
  const reason = checks.find((check) => check.reason !== undefined)?.reason ?? '';
  return {
    code: control?.fault?.diagnosis?.code ?? 'checks-failed',
    message: `No check could be judged: ${reason}`,
    hint: control?.fault?.fix ?? '',
    exitStatus: exitStatus.negative,
  };
}
