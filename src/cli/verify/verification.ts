import {
  createRun,
  judgeKnownFailures,
  type VerificationOptions,
  waitForResponse,
} from '../../app/verification.ts';
import type { Transport } from '../../client/transport.ts';
import type { KnownFailure } from '../../conformance/baseline.ts';
import type { Check } from '../../conformance/check.ts';
import type { CheckResult, RunEvent, RunResult } from '../../conformance/result.ts';
import type { Run } from '../../conformance/runner.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import { AuthcliError } from '../../errors.ts';
import type { CertificateDocument } from '../../reports/change-document.ts';
import { spanText, tallyText } from '../../reports/tally.ts';
import { toVerifyDocument, type VerifyDocument } from '../../reports/verify-document.ts';
import { counted } from '../../text.ts';
import { repeatLine } from '../args/repeat-line.ts';
import { type Outcome, outcomeOrStop } from '../command.ts';
import { failureOf } from '../failure.ts';
import { openNetwork } from '../network.ts';
import type { Session } from '../session.ts';
import type { Progress } from '../terminal/progress.ts';
import { columnsOf } from '../terminal/style.ts';
import { LiveChecks } from './live-checks.ts';
import { checkReportFiles } from './report-files.ts';
import { loadBaseline, saveBaseline } from './verify-baseline.ts';
import type { CheckRunOptions } from './verify-flags.ts';
import { failureOfRun, linesOf, listOutcome, ofSelection, writeReports } from './verify-reports.ts';

/** What is verified, and how a run of its checks is made and repeated. */
export interface Subject extends Pick<VerificationOptions, 'userCodes' | 'concurrentUsers'> {
  readonly command: string;
  readonly catalogue: readonly Check[];
  /** The selected checks, or those of `only` that can run; throws `usage` if there are none. */
  readonly select: (only?: readonly string[]) => readonly Check[];
  /** Undefined if only a command is verified; throws `usage` if the user gave neither. */
  readonly url: () => URL | undefined;
  /** The command, where there is no URL. */
  readonly target?: string;
  /** What must work before anything is sent; throws `usage`. */
  readonly prepare?: () => Promise<void>;
}

/** One of several runs: its report is printed by whoever repeats it. */
export interface Repetition {
  readonly certificate: Promise<CertificateDocument | undefined>;
}

type RunOptions = CheckRunOptions & { readonly clientId: string; readonly cipher: Cipher };

/** Checks to be listed, which are never run. */
export function unbound(checks: readonly Omit<Check, 'run'>[]): readonly Check[] {
  return checks.map((check) => ({ ...check, run: async () => undefined }));
}

/** A run of `verify`; its reports are also written if it is stopped. */
export class Verification {
  readonly #subject: Subject;
  readonly #options: RunOptions;
  readonly #session: Session;
  #run: Run | undefined;
  #baseline: readonly KnownFailure[] = [];
  #outcome: Outcome | undefined;
  #live: LiveChecks | undefined;
  #remembersFailures = false;
  readonly #repetition: Repetition | undefined;
  #certificate: CertificateDocument | undefined;
  #document: VerifyDocument | undefined;

  constructor(
    subject: Subject,
    options: RunOptions,
    session: Session,
    repetition?: Repetition | undefined,
  ) {
    this.#repetition = repetition;
    this.#subject = subject;
    this.#options = options;
    this.#session = session;
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
    const { catalogue, select, prepare, userCodes, concurrentUsers } = this.#subject;
    const selected = select(await this.#failedLastTime());
    if (options.list) return listOutcome(selected, this.#session);
    const url = this.#subject.url();
    this.#baseline = await loadBaseline(options, catalogue, this.#session);
    await checkReportFiles(options.report, this.#session);
    await prepare?.();
    const transport = await openNetwork(options, this.#session);
    const target = this.#targetOf(url);
    const progress = this.#session.progress(`Verifying ${target}`);
    const counter = new CheckCounter(target, progress, this.#session);
    const { clientId, cipher, strict, bail, insecure, seed } = options;
    const settings = { clientId, cipher, strict, bail, insecure, seed };
    const { context } = this.#session;
    const { signal } = context;
    await this.#session.readStack();
    const live = new LiveChecks(target, this.#session, (result) => this.#knownOf(result));
    const isLive = options.format === 'human' && !this.#session.global.json;
    if (isLive && this.#repetition === undefined) this.#live = live;
    const emit = (event: RunEvent) => {
      if (event.type === 'secret') this.#session.secrets.addFromPeer(event.value);
      counter.handle(event);
      this.#live?.handle(event);
    };
    const checks = { catalogue, selected, userCodes, concurrentUsers };
    const knownFailures = this.#baseline;
    const run = { ...settings, ...checks, knownFailures, url, transport, signal, emit };
    try {
      this.#run = createRun(run, context);
      await this.#wait(transport, url, progress);
      const result = await this.#run.start();
      for (const { exchange, isReceived } of result.exchanges) {
        if (isReceived) transport.record(exchange);
      }
      this.#certificate = await this.#repetition?.certificate;
      await this.#updateBaseline(result);
      await this.#rememberFailures(result);
      return this.#conclude(result);
    } finally {
      progress.stop();
    }
  }

  async #wait(transport: Transport, url: URL | undefined, progress: Progress): Promise<void> {
    const { wait: waitMs } = this.#options;
    // A command can be run at any time.
    if (waitMs === undefined || url === undefined) return;
    const { signal, now } = this.#session.context;
    const end = now() + waitMs;
    progress.update(() => `Waiting for ${url.href} to respond, ${spanText(end - now())} left`);
    await waitForResponse({ transport, url, waitMs, signal });
  }

  async #updateBaseline({ checks, unreachable, interrupted }: RunResult): Promise<void> {
    const { expect: file, updateExpect } = this.#options;
    if (!updateExpect || file === undefined || unreachable || interrupted) return;
    this.#baseline = await saveBaseline(file, checks, this.#baseline, this.#session);
    this.#session.note(
      `${file} lists ${counted(this.#baseline.length, 'known failure')}; review the reasons.`,
    );
  }

  #knownOf(result: CheckResult) {
    const { known } = judgeKnownFailures(
      { checks: [result] },
      this.#baseline,
      this.#session.context,
    );
    return known.get(result.check.id);
  }

  /** The checks of --failed; undefined for all that are selected otherwise. */
  async #failedLastTime(): Promise<readonly string[] | undefined> {
    const { failed, list } = this.#options;
    if (!failed || list) return undefined;
    const target = this.#targetOf(this.#subject.url());
    const stored = (await this.#session.state()).failedChecks.of(target);
    const ids = stored.filter((id) => this.#subject.catalogue.some((check) => check.id === id));
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
    const look = session.failureLook(style, columnsOf(context.stdout));
    const { command } = this.#subject;
    const { insecure, resolve, format } = this.#options;
    const baseline = judgeKnownFailures(result, this.#baseline, context);
    const whole = toVerifyDocument(result, {
      command,
      target: this.#targetOf(result.url),
      version: context.version,
      insecure,
      resolve,
      references: session.showsSecrets ? [] : secrets.references,
      repeatCommand: (id) => repeatCheck(id, result.seed, session),
      baseline,
      certificate: this.#certificate,
    });
    const document = session.redactJson(whole);
    this.#document = document;
    const { signal } = context;
    const failure = signal.aborted
      ? failureOf(signal.reason)
      : failureOfRun(result, baseline, this.#remembersFailures);
    session.atEnd(() => writeReports({ document, result, failure }, this.#options, session));
    const lines = this.#live?.rest(document, look) ?? linesOf(document, format, look);
    return { fields: { ...document }, lines, failure };
  }

  #targetOf(url: URL | undefined): string {
    return url?.href ?? this.#subject.target ?? '';
  }
}

class CheckCounter {
  readonly #target: string;
  readonly #progress: Progress;
  readonly #now: () => number;
  #total = 0;
  #done = 0;
  #startedAt = 0;
  #running = '';

  constructor(target: string, progress: Progress, { context }: Session) {
    this.#target = target;
    this.#progress = progress;
    this.#now = context.now;
  }

  handle(event: RunEvent): void {
    if (event.type === 'run-started') this.#start(event.checks.length + event.controls.length);
    if (event.type === 'check-started') this.#running = event.check.id;
    if (event.type === 'check-ended') {
      this.#done += 1;
      this.#progress.update(() => this.#text());
    }
  }

  #start(total: number): void {
    this.#total = total;
    this.#startedAt = this.#now();
    this.#progress.update(() => this.#text());
  }

  #text(): string {
    const elapsedMs = this.#now() - this.#startedAt;
    const tally = tallyText({ unit: 'checks', done: this.#done, total: this.#total, elapsedMs });
    return `${tally}: ${this.#running} at ${this.#target}`;
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
