import { encodeHex } from '../../bytes.ts';
import { matches } from '../../conformance/selection.ts';
import { AuthcliError } from '../../errors.ts';
import { type Exploration, type Progress as Explored, Explorer } from '../../explore/explore.ts';
import type { Operation } from '../../explore/operation.ts';
import { operations } from '../../explore/operations.ts';
import { type ExploreDocument, toExploreDocument } from '../../reports/explore-document.ts';
import { exploreLines, summaryOf } from '../../reports/explore-human.ts';
import { table } from '../../reports/human.ts';
import { jsonDocument } from '../../reports/json.ts';
import { counted } from '../../text.ts';
import { repeatLine } from '../args/repeat-line.ts';
import { quote } from '../args/values.ts';
import { type Outcome, outcomeOrStop } from '../command.ts';
import { exitStatus } from '../exit-status.ts';
import { type Failure, failureOf, usage } from '../failure.ts';
import { openNetwork } from '../network.ts';
import { writeOutputFile } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import type { Progress } from '../terminal/progress.ts';
import { columnsOf } from '../terminal/style.ts';
import { checkReportFiles } from '../verify/report-files.ts';
import type { ExploreCommandOptions } from './explore-flags.ts';
import { writeExploreReports } from './explore-reports.ts';
import { exploredSubject } from './explored-subject.ts';
import { resetFor } from './reset.ts';
import { readSavedFailure } from './saved-failure.ts';

/** A run of `explore`; what it found is also reported if it is stopped. */
export class Exploring {
  readonly #options: ExploreCommandOptions;
  readonly #session: Session;
  #explorer: Explorer | undefined;
  #progress: Progress | undefined;
  #url = '';
  #operations: readonly Operation[] = [];
  #startedAt = 0;
  #outcome: Outcome | undefined;

  constructor(options: ExploreCommandOptions, session: Session) {
    this.#options = options;
    this.#session = session;
  }

  /** The outcome; on a signal immediately, with what was found. */
  start(): Promise<Outcome> {
    return outcomeOrStop(this.#session.context.signal, this.#perform(), () =>
      this.#explorer === undefined ? undefined : this.#conclude(this.#explorer.result()),
    );
  }

  async #perform(): Promise<Outcome> {
    const { replay, url, ...options } = this.#options;
    const session = this.#session;
    const selected = select(options.operations);
    if (options.list || url === undefined) return listOutcome(selected, session);
    await checkReportFiles(options.report, session);
    const saved = replay === undefined ? undefined : readSavedFailure(replay);
    const { now, randomBytes, signal } = session.context;
    const subjectOver = exploredSubject(url, selected, this.#options, session);
    const transport = await openNetwork(options, session);
    await session.readStack();
    this.#url = url.href;
    this.#operations = selected;
    this.#progress = session.progress(`Exploring ${url.href}`);
    this.#startedAt = now();
    this.#explorer = new Explorer(subjectOver(transport), {
      now,
      signal,
      seed: saved?.seed ?? options.seed ?? encodeHex(randomBytes(4)),
      runs: options.runs,
      durationMs: options.duration,
      replay: saved?.sequence,
      reset: resetFor(options.reset, url.href, transport, session),
      onProgress: (progress) => this.#progress?.update(() => progressText(progress, url.href)),
    });
    return this.#conclude(await this.#run(this.#explorer));
  }

  /** A failure that was found is reported also where it can't be made shorter. */
  async #run(explorer: Explorer): Promise<Exploration> {
    try {
      return await explorer.run();
    } catch (error) {
      const found = explorer.result();
      if (!(error instanceof AuthcliError) || found.failures.length === 0) throw error;
      const { message, hint } = failureOf(error);
      this.#session.warn(`the failure could not be made shorter: ${message} ${hint}`);
      return found;
    }
  }

  #conclude(found: Exploration): Outcome {
    this.#outcome ??= this.#report(found);
    return this.#outcome;
  }

  #report(found: Exploration): Outcome {
    this.#progress?.stop();
    const session = this.#session;
    const { context, style, secrets, typed } = session;
    const { replay, save } = this.#options;
    for (const { execution } of found.failures) {
      for (const { ptnCd } of execution.sent) secrets.show(ptnCd);
    }
    const whole = toExploreDocument(found, {
      version: context.version,
      url: this.#url,
      durationMs: context.now() - this.#startedAt,
    });
    const document = session.redactJson(whole);
    const isSaved = document.failures.length > 0 && (replay === undefined || save !== undefined);
    const file = isSaved ? (save ?? fileName(document.seed)) : undefined;
    if (file !== undefined) session.atEnd(() => this.#save(document, file));
    const failure = context.signal.aborted
      ? failureOf(context.signal.reason)
      : (found.unreachable ?? failureOfRun(document, file));
    const look = session.failureLook(style, columnsOf(context.stdout));
    const again =
      replay === undefined
        ? repeatLine(typed, { add: [['--seed', document.seed]] })
        : repeatLine(typed);
    const operations = this.#operations;
    const explored = { found, document, failure, operations, startedAt: this.#startedAt, again };
    if (this.#options.report.length > 0) {
      session.atEnd(() => writeExploreReports(explored, this.#options, session));
    }
    const lines = found.unreachable ? [] : exploreLines(document, look, again, resetAdvice);
    return { fields: { ...document }, lines, failure };
  }

  /** A folder that can't be written prevents no exploration. */
  async #save(document: ExploreDocument, file: string): Promise<void> {
    const session = this.#session;
    try {
      await writeOutputFile(file, jsonDocument({ ...document }), '--save', session);
    } catch (error) {
      if (!(error instanceof AuthcliError)) throw error;
      session.warn(`the failure is not saved: ${error.message}`);
    }
  }
}

/** A seed may be any text. */
function fileName(seed: string): string {
  return `authcli-explore-${seed.replace(/[^\w.-]+/g, '_').slice(0, 80)}.json`;
}

function progressText({ sequences, steps, isShrinking }: Explored, url: string): string {
  const sent = `${counted(sequences, 'sequence')}, ${counted(steps, 'request')}`;
  return isShrinking
    ? `A sequence failed at ${url}: looking for the fewest steps (${sent})`
    : `Exploring ${url}: ${sent}`;
}

const resetAdvice =
  'Give --reset a program that brings it back to a clean state, or restart it before the next run.';

/** What a replay doesn't take. */
const ofWholeRun = ['--runs', '--duration', '--seed', '--operations', '--save'];

/** The file is there at the end of the run. */
function failureOfRun(document: ExploreDocument, file: string | undefined): Failure | undefined {
  const [failure] = document.failures;
  if (failure === undefined && document.steps > 0) return undefined;
  if (failure === undefined) {
    return {
      code: 'checks-failed',
      message: 'Nothing could be sent with these operations alone.',
      hint: 'Select key-exchange/valid too: most operations need a key.',
    };
  }
  const { diagnosis } = failure;
  const add = file === undefined ? [] : ([['--replay', file]] as const);
  return {
    code: diagnosis?.code ?? 'checks-failed',
    message: summaryOf(failure),
    hint: failure.broken_since
      ? resetAdvice
      : (diagnosis?.hint ?? 'Compare what the application stores after each of the steps.'),
    sumsUp: true,
    next: { again: true, without: file === undefined ? [] : ofWholeRun, add },
    exitStatus: exitStatus.negative,
  };
}

/** Those that match one of the patterns; all without one. Throws `usage` for a pattern without any. */
function select(patterns: readonly string[]): readonly Operation[] {
  for (const pattern of patterns) {
    if (operations.some(({ id }) => matches(id, pattern))) continue;
    throw usage(
      `No operation matches ${quote(pattern)}.`,
      '`authcli explore --list` lists the operations.',
    );
  }
  if (patterns.length === 0) return operations;
  return operations.filter(({ id }) => patterns.some((pattern) => matches(id, pattern)));
}

function listOutcome(selected: readonly Operation[], { style, context }: Session): Outcome {
  const rows = selected.map(({ id, about }) => [id, about]);
  return {
    fields: { operations: selected.map(({ id, about }) => ({ id, about })) },
    lines: table(['operation', 'what is sent'], rows, style, columnsOf(context.stdout)),
  };
}
