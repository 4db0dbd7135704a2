import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { experiments, inWords } from '../../client/experiments.ts';
import {
  dayOf,
  judgeBaseline,
  readBaseline,
  updateBaseline,
  writeBaseline,
} from '../../conformance/baseline.ts';
import { checks as callbackChecks } from '../../conformance/catalogue.ts';
import { type Check, type CheckFacts, checkFacts } from '../../conformance/check.ts';
import type {
  CertificateDocument,
  CheckDocument,
  KnownFailure,
  VerifyDocument,
} from '../../conformance/document.ts';
import { requirementsOf, requirementVersion, sinceOf } from '../../conformance/requirements.ts';
import type { RunEvent, RunResult } from '../../conformance/result.ts';
import { createRun } from '../../conformance/runner.ts';
import {
  forProduction,
  matches,
  productionUser,
  selectChecks,
} from '../../conformance/selection.ts';
import { signinChecks } from '../../conformance/signin-catalogue.ts';
import { bindSigninChecks } from '../../conformance/signin-check.ts';
import { signinExperiments } from '../../conformance/signin-experiments.ts';
import { AuthcliError } from '../../errors.ts';
import { table } from '../../reports/human.ts';
import { spanText, tallyText } from '../../reports/tally.ts';
import { toVerifyDocument, verifyHar } from '../../reports/verify-document.ts';
import { verifyGithub } from '../../reports/verify-github.ts';
import { verifyLines } from '../../reports/verify-human.ts';
import { reportKinds } from '../../reports/verify-kinds.ts';
import { verifyMarkdown } from '../../reports/verify-markdown.ts';
import { troubled } from '../../reports/verify-words.ts';
import { counted, firstOf, shellWord } from '../../text.ts';
import type { CommandLine } from '../args/command-line.ts';
import { fileContent } from '../args/input.ts';
import { type Outcome, outcomeOrStop } from '../command.ts';
import { exitStatus } from '../exit-status.ts';
import { type Failure, failureOf, usage } from '../failure.ts';
import { openNetwork } from '../network.ts';
import { correctionOf } from '../next-command.ts';
import { writeOutputFile } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import type { Progress } from '../terminal/progress.ts';
import { columnsOf } from '../terminal/style.ts';
import { jsonReport, prepareReports, type WriteReports } from './report-files.ts';
import type { VerifyOptions } from './verify.ts';
import { signinHalf } from './verify-signin.ts';

/**
 * A run of `verify`: its outcome, on a signal immediately, with the checks that ran and their reports.
 *
 * @param certificate that of the endpoint, for its document
 */
export function runVerify(
  options: VerifyOptions,
  session: Session,
  certificate?: Promise<CertificateDocument | undefined>,
): Promise<VerifyOutcome> {
  const { context } = session;
  const { now, signal } = context;
  const signin = wantsSignin(options, session) ? signinHalf(options, session) : undefined;
  const requirements = requirementVersion(options.requirements);
  const all = [
    ...(options.safe ? forProduction(callbackChecks) : callbackChecks),
    ...(signin === undefined
      ? signinChecks.map((check) => ({ ...check, run: async () => undefined }))
      : bindSigninChecks(signinChecks, signin.environment)),
  ];
  const catalogue = requirementsOf(all, requirements);
  let stop: (() => VerifyOutcome) | undefined;
  const perform = async (): Promise<VerifyOutcome> => {
    const { selected, leavesOutSignin } = select(catalogue, all, options, signin !== undefined);
    if (options.list) return listOutcome(selected, requirements, session);
    // Neither is given if a command signs in, and nothing else is checked.
    const url = options.url ?? options.signinUrl;
    const target = url?.href ?? session.childCommand.map(shellWord).join(' ');
    let knownFailures = await loadBaseline(options, all, session);
    const write = await prepareReports(options.report, { command: 'verify', target }, session);
    await signin?.start();
    const transport = await openNetwork(options, session, url);
    const progress = session.progress(`Verifying ${target}`);
    const { format = context.env.GITHUB_ACTIONS === 'true' ? 'github' : 'human' } = options;
    const count = counting(progress, target, now);
    await session.readStack();
    const emit = (event: RunEvent) => {
      if (event.type === 'secret') session.secrets.addFromPeer(event.value);
      count(event);
    };
    const { clientId, cipher, strict, bail, insecure, seed } = options;
    let foundCertificate: CertificateDocument | undefined;
    let outcome: VerifyOutcome | undefined;
    const conclude = (result: RunResult): VerifyOutcome => {
      if (outcome !== undefined) return outcome;
      const { style, secrets } = session;
      const whole = toVerifyDocument(result, {
        command: 'verify',
        target,
        version: context.version,
        requirements,
        insecure,
        resolve: options.resolve,
        references: session.showsSecrets ? [] : secrets.references,
        repeatCommand: (id) => repeatCheck(id, result.seed, session),
        baseline: judgeBaseline(result.checks, knownFailures, dayOf(now())),
        certificate: foundCertificate,
        stack: session.stack,
        leavesOutSignin,
      });
      const document = session.redactJson(whole);
      const failure = signal.aborted ? failureOf(signal.reason) : failureOfRun(whole, session.line);
      session.atEnd(() => writeReports({ document, result, failure }, write, format, session));
      const look = session.failureLook(style, columnsOf(context.stdout));
      // Of an endpoint that does not respond, the failure alone says enough.
      const shown = document.unreachable === undefined ? verifyLines(document, look) : [];
      const lines = format === 'github' ? verifyGithub(document) : shown;
      outcome = { fields: { ...document }, document, lines, failure };
      return outcome;
    };
    try {
      const { wait: waitMs, users: concurrentUsers, safe, userCodes: given } = options;
      const userCodes = safe ? [given?.[0] ?? productionUser] : given;
      const settings = { clientId, cipher, strict, bail, insecure, seed, waitMs };
      const checks = { catalogue, selected, knownFailures, userCodes, concurrentUsers };
      const how = { url, transport, signal, emit, explain: transport.explain };
      const run = createRun({ ...settings, ...checks, ...how }, context);
      stop = () => conclude(run.result());
      const result = await run.start();
      for (const { exchange, isReceived } of result.exchanges) {
        if (isReceived) transport.record(exchange);
      }
      foundCertificate = await certificate;
      if (!result.unreachable && !result.interrupted)
        knownFailures = await updatedBaseline(result, knownFailures, options, session);
      return conclude(result);
    } finally {
      progress.stop();
    }
  };
  return outcomeOrStop(signal, perform(), () => stop?.());
}

interface VerifyOutcome extends Outcome {
  /** What the run found, redacted; none of --list. */
  readonly document?: VerifyDocument;
}

/** With --update-expect, writes the failures of the run to the file of --expect. */
async function updatedBaseline(
  { checks }: RunResult,
  baseline: readonly KnownFailure[],
  { expect: file, updateExpect }: VerifyOptions,
  session: Session,
): Promise<readonly KnownFailure[]> {
  if (!updateExpect || file === undefined) return baseline;
  const updated = updateBaseline(checks, baseline, dayOf(session.context.now()));
  await writeOutputFile(file, session.redact(writeBaseline(updated)), '--expect', session);
  session.note(`${file} lists ${counted(updated.length, 'known failure')}; review the reasons.`);
  return updated;
}

/** Reports how many checks have ended. */
function counting(progress: Progress, target: string, now: () => number) {
  let [total, done, startedAt, running] = [0, 0, 0, ''];
  const text = () => `${tallyText(done, total, now() - startedAt)}: ${running} at ${target}`;
  return (event: RunEvent): void => {
    if (event.type === 'waiting') {
      const end = now() + event.leftMs;
      const status = event.status === undefined ? '' : ` (status ${event.status} so far)`;
      const left = () => spanText(end - now());
      progress.update(() => `Waiting for ${target} to handle requests${status}, ${left()} left`);
    }
    if (event.type === 'run-started') {
      total = event.checks.length + event.controls.length;
      startedAt = now();
    }
    if (event.type === 'check-started') running = event.check.id;
    if (event.type === 'check-ended') done += 1;
    if (event.type === 'run-started' || event.type === 'check-ended') progress.update(text);
  };
}

/** The known failures; none without --expect, and if its file is still to be written. */
async function loadBaseline(
  { expect: file, updateExpect }: Pick<VerifyOptions, 'expect' | 'updateExpect'>,
  catalogue: readonly CheckFacts[],
  { context, input }: Session,
): Promise<readonly KnownFailure[]> {
  if (file === undefined) {
    if (updateExpect)
      throw usage('--update-expect needs --expect.', 'Name the file with --expect.');
    return [];
  }
  if (updateExpect && !existsSync(resolve(context.cwd, file))) return [];
  const bytes = await input.file(file, '--expect');
  try {
    return readBaseline(fileContent(bytes).text, catalogue);
  } catch (error) {
    if (!(error instanceof AuthcliError)) throw error;
    throw usage(`--expect: ${error.message}`, error.hint);
  }
}

/** Flags that say which checks run, and how far. */
const ofSelection = ['--check', '--skip', '--bail'];
/** Flags that repeating a single check leaves out. */
const ofWholeRun = [...ofSelection, '--list', '--wait', '--expect', '--update-expect'];

/** The command line that repeats one check, or everything. */
function repeatCheck(id: string | undefined, seed: string, session: Session): string {
  const check = id === undefined ? [] : [['--check', id] as const];
  const without = id === undefined ? [] : ofWholeRun;
  return session.repeatLine({ add: [...check, ['--seed', seed]], without });
}

/** Throws `usage` for a sign-in without a command, and for a command without --signin. */
function wantsSignin({ signin, signinUrl, list }: VerifyOptions, { childCommand }: Session) {
  const hasCommand = childCommand.length > 0;
  if (list) return false;
  if (signin && !hasCommand) {
    throw usage(
      'verify --signin needs a command after --: the one that signs a user in.',
      'For example: `authcli verify --signin -- node sign-in.js`',
    );
  }
  if (hasCommand && !signin)
    throw usage('A command after -- is only used with --signin.', 'Add --signin before it.');
  return signin || signinUrl !== undefined;
}

function isOfSignin({ id }: Pick<Check, 'id'>): boolean {
  return id.startsWith('signin/');
}

/** The selected checks that can be run, and with --list all selected; throws `usage` if there are none. */
function select(
  catalogue: readonly Check[],
  all: readonly Check[],
  options: Pick<VerifyOptions, 'check' | 'skip' | 'safe' | 'list' | 'url'>,
  hasSignin: boolean,
) {
  const chosen = selectChecks(catalogue, options, all);
  const wanted = options.safe
    ? chosen.filter(({ production }) => production !== undefined)
    : chosen;
  if (wanted.length === 0) {
    throw usage(
      'The selected checks are not part of the production subset (--safe).',
      'Run them without --safe, at a system that is not in production; `authcli verify --list` marks the subset.',
    );
  }
  if (options.list) return { selected: wanted, leavesOutSignin: false };
  const canRun = (check: Check): boolean =>
    isOfSignin(check) ? hasSignin : options.url !== undefined;
  for (const pattern of options.check) {
    const named = catalogue.filter(({ id }) => matches(id, pattern));
    if (!named.some(canRun)) throw missingHalf(named.every(isOfSignin));
  }
  const selected = wanted.filter(canRun);
  if (selected.length === 0) throw missingHalf(!hasSignin && wanted.every(isOfSignin));
  const isAll = options.check.length === 0;
  return { selected, leavesOutSignin: isAll && !hasSignin && wanted.some(isOfSignin) };
}

function missingHalf(ofSignin: boolean): Error {
  return ofSignin
    ? usage(
        'The signin checks need --signin or --signin-url to trigger a sign-in.',
        'Give --signin -- <command>, or --signin-url <url>.',
      )
    : usage(
        "verify needs --url: the application's callback URL.",
        'Give --url <url>, set AUTHCLI_URL, or run `authcli config set url …`; for the sign-in alone, --signin or --signin-url.',
      );
}

interface ReportParts {
  readonly document: VerifyDocument;
  readonly result: RunResult;
  readonly failure: Failure | undefined;
}

/** Writes the --report files and the step summary of GitHub. */
async function writeReports(
  { document, result, failure }: ReportParts,
  write: WriteReports,
  format: VerifyOptions['format'],
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
function listOutcome(
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
  const tried = new Set(Object.values(experiments).flat());
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
      `A first key exchange or registration that is refused is followed by experiments, each with a user of its own: ${[...tried].map(inWords).join('; ')}. A refused sign-in is followed by others: the same again; ${signinExperiments.map(({ accepts }) => accepts).join('; ')}. --safe does none.`,
      'The signin checks need --signin or --signin-url.',
      `${counted(checks.length, 'check')} of requirements ${requirements}. Each request carries the header X-Authcli-Check with the id of its check.`,
    ],
  };
}

/**
 * Undefined if the run passed. The first of: nothing reached, unknown failures (the worst), stale entries of the
 * baseline, nothing judged, requirements that were not tested.
 */
function failureOfRun(document: VerifyDocument, line: CommandLine): Failure | undefined {
  const { unreachable, checks, stale } = document;
  if (unreachable !== undefined) return unreachable;
  const unknown = (wanted: CheckDocument['status'], some: readonly CheckDocument[]) =>
    some.filter(({ status, known }) => status === wanted && known === undefined);
  const [worst, ...others] = unknown('failed', troubled(document));
  if (worst !== undefined) return failedChecks([worst, ...others], checks.length, line);
  if (stale.length > 0) return staleBaseline(document);
  if (checks.every(({ status }) => status === 'skipped' || status === 'incomplete'))
    return nothingJudged(document);
  const untested = unknown('incomplete', checks);
  return untested.length > 0 ? notTested(untested, checks.length) : undefined;
}

/** The diagnosis of the worst failure; a connection failure is not status 3 here. */
function failedChecks(
  failed: readonly [CheckDocument, ...CheckDocument[]],
  all: number,
  line: CommandLine,
): Failure {
  const ids = failed.map(({ id }) => id);
  const [{ id, diagnosis, fix = '' }] = failed;
  const { code = 'checks-failed', evidence, confidence, calls } = diagnosis ?? {};
  return {
    code,
    evidence,
    confidence,
    message: `${failed.length} of ${counted(all, 'check')} failed: ${firstOf(ids, 1)}.`,
    hint: fix,
    calls,
    sumsUp: true,
    next: {
      again: true,
      without: ofSelection,
      add: [['--check', id], ...correctionOf({ code, evidence }, line)],
    },
    exitStatus: exitStatus.negative,
  };
}

/** A run that tested little must not look like one that passed. */
function notTested(untested: readonly CheckDocument[], all: number): Failure {
  const [first] = untested;
  const ids = untested.map(({ id }) => id).join(', ');
  return {
    code: 'checks-failed',
    message: `${untested.length} of ${counted(all, 'requirement')} not tested: ${ids}.`,
    hint: `${first?.reason} Make them testable, or name them with the reason in the file of --expect.`,
  };
}

function staleBaseline({ stale }: VerifyDocument): Failure {
  const names = stale.map(({ check }) => check).join(', ');
  return {
    code: 'checks-failed',
    message: `Known failures no longer fail: ${names}.`,
    hint: 'Remove them from the list, or run again with --update-expect.',
    next: { again: true, add: [['--update-expect']], without: ['--bail', '--every', '--watch'] },
  };
}

function nothingJudged({ controls, checks }: VerifyDocument): Failure {
  const control = controls.find(({ status }) => status === 'failed' || status === 'warned');
  const reason = checks.find((check) => check.reason !== undefined)?.reason ?? '';
  return {
    code: control?.diagnosis?.code ?? 'checks-failed',
    message: `No check could be judged: ${reason}`,
    hint: control?.fix ?? '',
    exitStatus: exitStatus.negative,
  };
}
