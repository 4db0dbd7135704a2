import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  dayOf,
  judgeBaseline,
  type KnownFailure,
  readBaseline,
  updateBaseline,
  writeBaseline,
} from '../../conformance/baseline.ts';
import { checks as callbackChecks } from '../../conformance/catalogue.ts';
import type { Check, CheckFacts } from '../../conformance/check.ts';
import { requirementsOf, requirementVersion } from '../../conformance/requirements.ts';
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
import { AuthcliError } from '../../errors.ts';
import type { CertificateDocument } from '../../reports/monitor.ts';
import { spanText, tallyText } from '../../reports/tally.ts';
import { toVerifyDocument, type VerifyDocument } from '../../reports/verify-document.ts';
import { counted, shellWord } from '../../text.ts';
import { fileContent } from '../args/input.ts';
import { type Outcome, outcomeOrStop } from '../command.ts';
import { failureOf, usage } from '../failure.ts';
import { openNetwork } from '../network.ts';
import { writeOutputFile } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import type { Progress } from '../terminal/progress.ts';
import { columnsOf } from '../terminal/style.ts';
import { prepareReports } from './report-files.ts';
import type { VerifyOptions } from './verify.ts';
import {
  failureOfRun,
  formatOf,
  linesOf,
  listOutcome,
  ofSelection,
  writeReports,
} from './verify-reports.ts';
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
    const target = targetOf(url, session);
    let knownFailures = await loadBaseline(options, all, session);
    const write = await prepareReports(options.report, { command: 'verify', target }, session);
    await signin?.start();
    const transport = await openNetwork(options, session, url);
    const progress = session.progress(`Verifying ${target}`);
    const format = formatOf(options, context);
    const count = counting(progress, target, now);
    await session.readStack();
    const emit = (event: RunEvent) => {
      if (event.type === 'secret') session.secrets.addFromPeer(event.value);
      count(event);
    };
    const { clientId, cipher, strict, bail, insecure, seed } = options;
    let foundCertificate: CertificateDocument | undefined;
    let outcome: VerifyOutcome | undefined;
    const report = (result: RunResult): VerifyOutcome => {
      const { style, secrets } = session;
      const look = session.failureLook(style, columnsOf(context.stdout));
      const baseline = judgeBaseline(result.checks, knownFailures, dayOf(now()));
      const whole = toVerifyDocument(result, {
        command: 'verify',
        target: targetOf(result.url, session),
        version: context.version,
        requirements,
        insecure,
        resolve: options.resolve,
        references: session.showsSecrets ? [] : secrets.references,
        repeatCommand: (id) => repeatCheck(id, result.seed, session),
        baseline,
        certificate: foundCertificate,
        stack: session.stack,
        leavesOutSignin,
      });
      const document = session.redactJson(whole);
      const failure = signal.aborted
        ? failureOf(signal.reason)
        : failureOfRun(result, baseline, session.line);
      session.atEnd(() => writeReports({ document, result, failure }, write, format, session));
      const lines = linesOf(document, format, look);
      return { fields: { ...document }, document, lines, failure };
    };
    const conclude = (result: RunResult): VerifyOutcome => {
      outcome ??= report(result);
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

function targetOf(url: URL | undefined, { childCommand }: Session): string {
  return url?.href ?? childCommand.map(shellWord).join(' ');
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

/** Flags that repeating a single check leaves out. */
const ofWholeRun = [...ofSelection, '--list', '--wait', '--expect', '--update-expect'];

/** The command line that repeats one check, or everything. */
function repeatCheck(id: string | undefined, seed: string, session: Session): string {
  const check = id === undefined ? [] : [['--check', id] as const];
  const without = id === undefined ? [] : ofWholeRun;
  return session.repeatLine({ add: [...check, ['--seed', seed]], without });
}

/** Throws `usage` for a sign-in without a command, and for a command without --signin. */
function wantsSignin(
  { signin, signinUrl, list }: VerifyOptions,
  { childCommand }: Session,
): boolean {
  const hasCommand = childCommand.length > 0;
  if (list) return false;
  if (signin && !hasCommand) {
    throw usage(
      'verify --signin needs a command after --: the one that signs a user in.',
      'For example: `authcli verify --signin -- node sign-in.js`',
    );
  }
  if (hasCommand && !signin) {
    throw usage('A command after -- is only used with --signin.', 'Add --signin before it.');
  }
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
