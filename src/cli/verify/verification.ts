import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createRun, dayOf, judgeKnownFailures, waitForResponse } from '../../app/verification.ts';
import { hasResponse } from '../../client/exchange.ts';
import {
  type KnownFailure,
  readBaseline,
  updateBaseline,
  writeBaseline,
} from '../../conformance/baseline.ts';
import { checks as callbackChecks } from '../../conformance/catalogue.ts';
import type { Check, CheckFacts } from '../../conformance/check.ts';
import type { CheckResult, RunEvent, RunResult } from '../../conformance/result.ts';
import type { Run } from '../../conformance/runner.ts';
import {
  forProduction,
  matches,
  productionUser,
  selectChecks,
} from '../../conformance/selection.ts';
import { signinChecks } from '../../conformance/signin-catalogue.ts';
import { bindSigninChecks } from '../../conformance/signin-check.ts';
import { AuthcliError } from '../../errors.ts';
import type { FailureLook } from '../../reports/failure-text.ts';
import { spanText, tallyText } from '../../reports/tally.ts';
import type { CertificateDocument } from '../../reports/verify-diff.ts';
import {
  type CheckDocument,
  toVerifyDocument,
  type VerifyDocument,
} from '../../reports/verify-document.ts';
import { CheckLines, headLine, summaryLines } from '../../reports/verify-human.ts';
import { counted, shellWord } from '../../text.ts';
import { fileContent } from '../args/input.ts';
import { type Outcome, outcomeOrStop } from '../command.ts';
import { failureOf, usage } from '../failure.ts';
import { openNetwork } from '../network.ts';
import { repeatLine } from '../next-command.ts';
import { writeOutputFile } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import type { Progress } from '../terminal/progress.ts';
import { columnsOf } from '../terminal/style.ts';
import { checkReportFiles } from './report-files.ts';
import type { VerifyOptions } from './verify-flags.ts';
import { failureOfRun, linesOf, listOutcome, ofSelection, writeReports } from './verify-reports.ts';
import { signinHalf } from './verify-signin.ts';

/** A run of `verify`; its reports are also written if it is stopped. */
export class Verification {
  readonly #options: VerifyOptions;
  readonly #session: Session;
  /** Of a run that is repeated: whoever repeats it prints its report. */
  readonly #certificateRead: Promise<CertificateDocument | undefined> | undefined;
  readonly #signin: ReturnType<typeof signinHalf> | undefined;
  readonly #catalogue: readonly Check[];
  #run: Run | undefined;
  #baseline: readonly KnownFailure[] = [];
  #outcome: Outcome | undefined;
  #live: LiveChecks | undefined;
  #remembersFailures = false;
  #certificate: CertificateDocument | undefined;
  #document: VerifyDocument | undefined;

  constructor(
    options: VerifyOptions,
    session: Session,
    certificateRead?: Promise<CertificateDocument | undefined>,
  ) {
    this.#options = options;
    this.#session = session;
    this.#certificateRead = certificateRead;
    this.#signin = wantsSignin(options, session) ? signinHalf(options, session) : undefined;
    this.#catalogue = [
      ...(options.safe ? forProduction(callbackChecks) : callbackChecks),
      ...(this.#signin === undefined
        ? signinChecks.map((check) => ({ ...check, run: async () => undefined }))
        : bindSigninChecks(signinChecks, this.#signin.environment)),
    ];
  }

  /** What the run found, redacted; undefined before it has ended. */
  get document(): VerifyDocument | undefined {
    return this.#document;
  }

  /** The outcome; on a signal immediately, with the checks that ran. */
  start(): Promise<Outcome> {
    return outcomeOrStop(this.#session.context.signal, this.#perform(), () =>
      this.#run === undefined ? undefined : this.#conclude(this.#run.result()),
    );
  }

  async #perform(): Promise<Outcome> {
    const options = this.#options;
    const session = this.#session;
    const { context } = session;
    const { signal } = context;
    const catalogue = this.#catalogue;
    const check = (await this.#failedLastTime()) ?? options.check;
    const selected = select(catalogue, { ...options, check }, this.#signin !== undefined);
    if (options.list) return listOutcome(selected, session);
    const url = this.#url();
    this.#baseline = await loadBaseline(options, catalogue, session);
    await checkReportFiles(options.report, session);
    await this.#signin?.start();
    const transport = await openNetwork(options, session);
    const target = this.#targetOf(url);
    const progress = session.progress(`Verifying ${target}`);
    const count = counting(progress, target, context.now);
    await session.readStack();
    const isLive = options.format === 'human' && !session.global.json;
    if (isLive && this.#certificateRead === undefined)
      this.#live = new LiveChecks(target, session, (result) => this.#knownOf(result));
    const emit = (event: RunEvent) => {
      if (event.type === 'secret') session.secrets.addFromPeer(event.value);
      count(event);
      this.#live?.handle(event);
    };
    const { clientId, cipher, strict, bail, insecure, seed, safe, userCodes } = options;
    const settings = { clientId, cipher, strict, bail, insecure, seed };
    const users = {
      userCodes: safe ? [userCodes?.[0] ?? productionUser] : userCodes,
      concurrentUsers: options.users,
    };
    const checks = { catalogue, selected, knownFailures: this.#baseline };
    try {
      const run = { ...settings, ...users, ...checks, url, transport, signal, emit };
      this.#run = createRun(run, context);
      // A command can be run at any time.
      if (options.wait !== undefined && url !== undefined) {
        const { wait: waitMs } = options;
        const end = context.now() + waitMs;
        const left = () => spanText(end - context.now());
        progress.update(() => `Waiting for ${url.href} to respond, ${left()} left`);
        await waitForResponse({ transport, url, waitMs, signal });
      }
      const result = await this.#run.start();
      for (const { exchange, isReceived } of result.exchanges) {
        if (isReceived) transport.record(exchange);
      }
      this.#certificate = await this.#certificateRead;
      await this.#updateBaseline(result);
      await this.#rememberFailures(result);
      return this.#conclude(result);
    } finally {
      progress.stop();
    }
  }

  /** Writes the failures of the run to the file of --expect. */
  async #updateBaseline({ checks, unreachable, interrupted }: RunResult): Promise<void> {
    const { expect: file, updateExpect } = this.#options;
    if (!updateExpect || file === undefined || unreachable || interrupted) return;
    const session = this.#session;
    this.#baseline = updateBaseline(checks, this.#baseline, dayOf(session.context.now()));
    await writeOutputFile(file, session.redact(writeBaseline(this.#baseline)), '--expect', session);
    session.note(
      `${file} lists ${counted(this.#baseline.length, 'known failure')}; review the reasons.`,
    );
  }

  #knownOf(result: CheckResult) {
    const { context } = this.#session;
    const { known } = judgeKnownFailures({ checks: [result] }, this.#baseline, context);
    return known.get(result.check.id);
  }

  /** The checks of --failed; undefined for all that are selected otherwise. */
  async #failedLastTime(): Promise<readonly string[] | undefined> {
    const { failed, list } = this.#options;
    if (!failed || list) return undefined;
    const target = this.#targetOf(this.#url());
    const stored = (await this.#session.state()).failedChecks.of(target);
    const ids = stored.filter((id) => this.#catalogue.some((check) => check.id === id));
    if (ids.length > 0) return ids;
    this.#session.note(`No check failed last time at ${target}: all are run.`);
    return undefined;
  }

  /** For --failed of the next run. A folder that can't be written prevents no run. */
  async #rememberFailures({ url, checks, unreachable, interrupted }: RunResult): Promise<void> {
    if (unreachable || interrupted) return;
    const isNew = (result: CheckResult) =>
      result.status === 'failed' && this.#knownOf(result) === undefined;
    const ran = checks.map(({ check }) => check.id);
    const failed = checks.filter(isNew).map(({ check }) => check.id);
    try {
      const { failedChecks } = await this.#session.state();
      await failedChecks.put(this.#targetOf(url), ran, failed);
      this.#remembersFailures = true;
    } catch (error) {
      if (!(error instanceof AuthcliError)) throw error;
    }
  }

  #conclude(result: RunResult): Outcome {
    this.#outcome ??= this.#report(result);
    return this.#outcome;
  }

  #report(result: RunResult): Outcome {
    const session = this.#session;
    const { context, secrets, style } = session;
    const { signal, version } = context;
    const look = session.failureLook(style, columnsOf(context.stdout));
    const { insecure, resolve: resolved, format } = this.#options;
    const baseline = judgeKnownFailures(result, this.#baseline, context);
    const whole = toVerifyDocument(result, {
      command: 'verify',
      target: this.#targetOf(result.url),
      version,
      insecure,
      resolve: resolved,
      references: session.showsSecrets ? [] : secrets.references,
      repeatCommand: (id) => repeatCheck(id, result.seed, session),
      baseline,
      certificate: this.#certificate,
    });
    const document = session.redactJson(whole);
    this.#document = document;
    const failure = signal.aborted
      ? failureOf(signal.reason)
      : failureOfRun(result, baseline, this.#remembersFailures);
    session.atEnd(() => writeReports({ document, result, failure }, this.#options, session));
    const lines = this.#live?.rest(document, look) ?? linesOf(document, format, look);
    return { fields: { ...document }, lines, failure };
  }

  /** Undefined if only a command signs in. */
  #url(): URL | undefined {
    const { url, signinUrl } = this.#options;
    const address = url ?? signinUrl;
    if (address === undefined && this.#session.childCommand.length === 0) throw missingHalf(false);
    return address;
  }

  #targetOf(url: URL | undefined): string {
    return url?.href ?? this.#session.childCommand.map(shellWord).join(' ');
  }
}

/** Reports how many checks have ended. */
function counting(progress: Progress, target: string, now: () => number) {
  let [total, done, startedAt, running] = [0, 0, 0, ''];
  const text = () => {
    const elapsedMs = now() - startedAt;
    return `${tallyText({ unit: 'checks', done, total, elapsedMs })}: ${running} at ${target}`;
  };
  return (event: RunEvent): void => {
    if (event.type === 'run-started') {
      total = event.checks.length + event.controls.length;
      startedAt = now();
    }
    if (event.type === 'check-started') running = event.check.id;
    if (event.type === 'check-ended') done += 1;
    if (event.type === 'run-started' || event.type === 'check-ended') progress.update(text);
  };
}

/**
 * Prints the checks of a run as they end. Nothing is printed before the other side has responded at all: of an endpoint
 * that doesn't, the failure alone says enough. Under --quiet, what failed is printed at the end.
 */
class LiveChecks {
  readonly #target: string;
  readonly #session: Session;
  readonly #knownOf: (result: CheckResult) => CheckDocument['known'];
  readonly #printed = new Set<string>();
  #lines: CheckLines | undefined;
  #waiting: string[] = [];
  #hasResponse = false;

  constructor(
    target: string,
    session: Session,
    knownOf: (result: CheckResult) => CheckDocument['known'],
  ) {
    this.#target = target;
    this.#session = session;
    this.#knownOf = knownOf;
  }

  handle(event: RunEvent): void {
    const { detail, style } = this.#session;
    if (event.type === 'run-started' && detail !== 'quiet') {
      this.#lines = new CheckLines(event.checks, style);
      this.#waiting = [headLine(this.#target, style), ''];
    }
    if (event.type === 'exchange') this.#hasResponse ||= hasResponse(event.recorded.exchange);
    if (event.type === 'check-ended' && !event.isControl) this.#add(event.result);
    if (this.#hasResponse) this.#session.print(this.#waiting.splice(0));
  }

  /** What has not been printed yet of the whole run; of an interrupted one only the summary. */
  rest(document: VerifyDocument, look: FailureLook): readonly string[] {
    const { unreachable, interrupted, checks } = document;
    if (unreachable !== undefined) return [];
    const left = interrupted ? [] : checks.filter(({ id }) => !this.#printed.has(id));
    const lines = left.flatMap((check) => this.#lines?.of(check) ?? []);
    return [...this.#waiting.splice(0), ...lines, ...summaryLines(document, look)];
  }

  #add(result: CheckResult): void {
    const { check, status, reason, notes } = result;
    const known = this.#knownOf(result);
    const lines = this.#lines?.of({ ...check, status, notes, reason, ...(known && { known }) });
    this.#waiting.push(...(lines ?? []));
    this.#printed.add(check.id);
  }
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
function repeatCheck(id: string | undefined, seed: string, { typed }: Session): string {
  const check = id === undefined ? [] : [['--check', id] as const];
  const without = id === undefined ? [] : ofWholeRun;
  return repeatLine(typed, { add: [...check, ['--seed', seed]], without });
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
      'For example: authcli verify --signin -- node sign-in.js',
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
  options: Pick<VerifyOptions, 'check' | 'skip' | 'safe' | 'list' | 'url'>,
  hasSignin: boolean,
): readonly Check[] {
  const chosen = selectChecks(catalogue, options);
  const wanted = options.safe
    ? chosen.filter(({ production }) => production !== undefined)
    : chosen;
  if (wanted.length === 0) {
    throw usage(
      'The selected checks are not part of the production subset (--safe).',
      'Run them without --safe, at a system that is not in production; `authcli verify --list` marks the subset.',
    );
  }
  if (options.list) return wanted;
  const canRun = (check: Check): boolean =>
    isOfSignin(check) ? hasSignin : options.url !== undefined;
  for (const pattern of options.check) {
    const named = catalogue.filter(({ id }) => matches(id, pattern));
    if (!named.some(canRun)) throw missingHalf(named.every(isOfSignin));
  }
  const able = wanted.filter(canRun);
  if (able.length === 0) throw missingHalf(!hasSignin && wanted.every(isOfSignin));
  return able;
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
