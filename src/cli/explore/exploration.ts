import { encodeHex } from '../../bytes.ts';
import type { CheckFacts } from '../../conformance/check.ts';
import type { CheckResult, RecordedExchange, RunResult } from '../../conformance/result.ts';
import { matches } from '../../conformance/selection.ts';
import { createKeyPairs, givenUsers } from '../../conformance/test-data.ts';
import { type Cipher, formatCipher } from '../../crypto/cipher.ts';
import { AuthcliError } from '../../errors.ts';
import { coveredPairs } from '../../explore/coverage.ts';
import type { SentStep } from '../../explore/execute.ts';
import { createExplorer, type Exploration, type Progress } from '../../explore/explore.ts';
import { type Operation, operations } from '../../explore/operations.ts';
import type { Sequence } from '../../explore/sequence.ts';
import { isVariant } from '../../explore/user-codes.ts';
import { isJsonObject, parseJsonText } from '../../protocol/json.ts';
import {
  type ExploreDocument,
  exploreLines,
  exploreSchema,
  summaryOf,
  toExploreDocument,
} from '../../reports/explore.ts';
import { table } from '../../reports/human.ts';
import { jsonDocument } from '../../reports/json.ts';
import { toVerifyDocument, verifyHar } from '../../reports/verify-document.ts';
import { reportKinds } from '../../reports/verify-kinds.ts';
import { counted } from '../../text.ts';
import { quote } from '../args/values.ts';
import { type Outcome, outcomeOrStop } from '../command.ts';
import { exitStatus } from '../exit-status.ts';
import { type Failure, failureOf, usage } from '../failure.ts';
import { type Network, openNetwork } from '../network.ts';
import { writeOutputFile } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import { columnsOf } from '../terminal/style.ts';
import { jsonReport, prepareReports, type WriteReports } from '../verify/report-files.ts';
import type { ExploreOptions } from './explore.ts';

/** A run of `explore`; on a signal its outcome is that of what was found, at once. */
export function runExplore(options: ExploreOptions, session: Session): Promise<Outcome> {
  const { context } = session;
  const { now, randomBytes, signal } = context;
  let stop: (() => Outcome) | undefined;
  const perform = async (): Promise<Outcome> => {
    const { replay, url } = options;
    const selected = select(options.operations);
    if (options.list || url === undefined) {
      const rows = selected.map(({ id, about }) => [id, about]);
      const columns = columnsOf(context.stdout);
      const lines = table(['operation', 'what is sent'], rows, session.style, columns);
      return { fields: { operations: selected.map(({ id, about }) => ({ id, about })) }, lines };
    }
    const subject = { command: 'explore', target: url.href };
    const write = await prepareReports(options.report, subject, session);
    const saved = replay === undefined ? undefined : readSavedFailure(replay);
    const transport = await openNetwork(options, session, url);
    await session.readStack();
    const progress = session.progress(`Exploring ${url.href}`);
    const startedAt = now();
    const { userCodes, maxSteps, users, concurrency, clientId, cipher } = options;
    for (const code of userCodes ?? []) session.secrets.show(code);
    const explorer = createExplorer({
      url,
      clientId,
      cipher,
      maxSteps,
      users,
      concurrency,
      signal,
      randomBytes,
      now,
      operations: selected,
      send: (...sent) => transport.send(...sent),
      // What an earlier sequence left on a connection must not explain a failure that is then shrunk.
      prepare: () => transport.close(),
      keyPairs: createKeyPairs(context.generateKeyPair),
      onKey: (key) => session.secrets.addFromPeer(key),
      given: userCodes && givenUsers(userCodes),
      seed: saved?.seed ?? options.seed ?? encodeHex(randomBytes(4)),
      runs: options.runs,
      durationMs: options.duration,
      replay: saved?.sequence,
      onProgress: (found) => progress.update(() => progressText(found, url.href)),
    });
    let outcome: Outcome | undefined;
    const conclude = (found: Exploration): Outcome => {
      progress.stop();
      const explored = { found: withLog(found, transport, cipher), url, operations: selected };
      outcome ??= reportOf({ ...explored, startedAt, write }, options, session);
      return outcome;
    };
    stop = () => conclude(explorer.result());
    return conclude(await explorer.run());
  };
  return outcomeOrStop(signal, perform(), () => stop?.());
}

/** What was found, with what the application's log says of it. */
function withLog(found: Exploration, { explain }: Network, cipher: Cipher): Exploration {
  const failures = found.failures.map((failure) => {
    const { execution } = failure;
    const { violation } = execution;
    const [wrong] = violation.steps;
    if (violation.diagnosis === undefined || wrong === undefined) return failure;
    const { operation, outcome } = wrong;
    const call = { operation: groupOf(operation.id), exchange: outcome.exchange };
    const diagnosis = explain(violation.diagnosis, call, cipher);
    return { ...failure, execution: { ...execution, violation: { ...violation, diagnosis } } };
  });
  return { ...found, failures };
}

interface Explored {
  readonly found: Exploration;
  readonly url: URL;
  readonly operations: readonly Operation[];
  readonly startedAt: number;
  readonly write: WriteReports;
}

function reportOf(explored: Explored, options: ExploreOptions, session: Session): Outcome {
  const { found, url, startedAt } = explored;
  const { context, style, secrets } = session;
  const { replay, save } = options;
  for (const { execution } of found.failures) {
    for (const { ptnCd } of execution.sent) secrets.show(ptnCd);
  }
  const { version, signal, now } = context;
  const facts = { version, url: url.href, durationMs: now() - startedAt };
  const document = session.redactJson(toExploreDocument(found, facts));
  const isSaved = document.failures.length > 0 && (replay === undefined || save !== undefined);
  const file = isSaved ? (save ?? fileName(document.seed)) : undefined;
  if (file !== undefined) session.atEnd(() => saveFailure(document, file, session));
  const failure = signal.aborted
    ? failureOf(signal.reason)
    : (found.unreachable ?? failureOfRun(document, file));
  const look = session.failureLook(style, columnsOf(context.stdout));
  const add = replay === undefined ? ([['--seed', document.seed]] as const) : [];
  const again = session.repeatLine({ add });
  if (options.report.length > 0)
    session.atEnd(() => writeReports(explored, { document, failure, again }, options, session));
  const lines = found.unreachable ? [] : exploreLines(document, look, again);
  return { fields: { ...document }, lines, failure };
}

/** A folder that can't be written prevents no exploration. */
async function saveFailure(
  document: ExploreDocument,
  file: string,
  session: Session,
): Promise<void> {
  try {
    await writeOutputFile(file, jsonDocument({ ...document }), '--save', session);
  } catch (error) {
    if (!(error instanceof AuthcliError)) throw error;
    session.warn(`the failure is not saved: ${error.message}`);
  }
}

/** A seed may be any text. */
function fileName(seed: string): string {
  return `authcli-explore-${seed.replace(/[^\w.-]+/g, '_').slice(0, 80)}.json`;
}

function progressText({ sequences, steps, isShrinking }: Progress, url: string): string {
  const sent = `${counted(sequences, 'sequence')}, ${counted(steps, 'request')}`;
  return isShrinking
    ? `A sequence failed at ${url}: looking for the fewest steps (${sent})`
    : `Exploring ${url}: ${sent}`;
}

const restart = 'Restart the application before the next run.';

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
      ? restart
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

/** Writes the --report files, as `verify` does: each operation is a check. */
async function writeReports(
  { found, url, operations, startedAt, write }: Explored,
  { document, failure, again }: { document: ExploreDocument; failure?: Failure; again: string },
  { clientId, cipher, insecure, resolve }: ExploreOptions,
  session: Session,
): Promise<void> {
  const { version } = session.context;
  const result = exploredChecks(found, operations, {
    url,
    clientId,
    cipher: formatCipher(cipher),
    startedAt,
    durationMs: document.duration_ms,
  });
  const whole = toVerifyDocument(result, {
    command: 'explore',
    target: document.url,
    version,
    insecure,
    resolve,
    references: session.showsSecrets ? [] : session.secrets.references,
    repeatCommand: () => again,
  });
  const source = {
    document: session.redactJson(whole),
    json: await jsonReport({ document: { command: 'explore', ...document }, failure }, session),
    har: session.redactJson(verifyHar(result, whole)),
  };
  await write((kind) => reportKinds[kind](source));
}

/** The seed and the sequence in what --save wrote, or --json printed. Throws `usage` for anything else. */
function readSavedFailure(text: string) {
  const document = parseJsonText(text);
  if (!isJsonObject(document) || document.schema !== exploreSchema) throw notSaved();
  const { failures, seed } = document;
  const [failure] = Array.isArray(failures) ? failures : [];
  if (failure === undefined) {
    throw usage('--replay: the file contains no failure.', 'Give a file that --save wrote.');
  }
  const sequence = isJsonObject(failure) ? failure.replay : undefined;
  if (typeof seed !== 'string' || !isSequence(sequence)) throw notSaved();
  for (const { operation } of sequence.rounds.flat()) {
    if (operations.some(({ id }) => id === operation)) continue;
    throw usage(
      `--replay: this version has no operation ${quote(operation)}.`,
      '`authcli explore --list` lists them.',
    );
  }
  return { seed, sequence };
}

function notSaved(): Error {
  return usage(
    '--replay: the file is not a failure of explore.',
    'Give the authcli-explore-….json that a failed run wrote.',
  );
}

/** Far more than is ever drawn. */
const maxSteps = 20_000;

function isSequence(value: unknown): value is Sequence {
  if (!isJsonObject(value)) return false;
  const { users, rounds } = value;
  if (!Array.isArray(users) || !Array.isArray(rounds)) return false;
  const areRounds = rounds.every((round) => Array.isArray(round) && round.length <= 8);
  const steps: unknown[] = rounds.flat();
  return (
    areRounds &&
    steps.length <= maxSteps &&
    users.every((user) => isCount(user?.family, maxSteps) && isVariant(user.variant)) &&
    steps.every((step) => {
      const { operation, user, detail = 0, fresh = true } = isJsonObject(step) ? step : {};
      const isCounted = isCount(user, users.length) && isCount(detail, maxSteps);
      return typeof operation === 'string' && isCounted && fresh === true;
    })
  );
}

function isCount(value: unknown, below: number): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < below;
}

/**
 * An exploration as a run of checks, one for each operation: it failed where a step of it shows what is wrong, and was
 * skipped where it was never sent.
 */
function exploredChecks(
  found: Exploration,
  operations: readonly Operation[],
  facts: Pick<RunResult, 'url' | 'clientId' | 'cipher' | 'startedAt' | 'durationMs'>,
): RunResult {
  const { execution } = found.failures[0] ?? {};
  const sent = execution?.sent ?? [];
  const covered = new Map<string, number>();
  for (const { operation, count } of coveredPairs(found.coverage)) {
    covered.set(operation, (covered.get(operation) ?? 0) + count);
  }
  const checks = operations.map(({ id, about }): CheckResult => {
    const check = { ...factsOf(id), title: `${about} is answered as the interface says` };
    const exchanges = sent.filter(({ operation }) => operation.id === id).map(recorded);
    const base = { check, startedAt: facts.startedAt, durationMs: 0, exchanges, notes: [] };
    const { violation } = execution ?? {};
    const wrong = violation?.steps.find(({ operation }) => operation.id === id);
    if (violation !== undefined && wrong !== undefined) {
      const { expected, observed, diagnosis, why } = violation;
      const fix = diagnosis?.hint ?? why;
      const evidence = wrong.outcome.exchange;
      return { ...base, status: 'failed', fault: { expected, observed, diagnosis, fix, evidence } };
    }
    const count = covered.get(id) ?? 0;
    return count > 0
      ? { ...base, status: 'passed', notes: [`sent ${count} times`] }
      : { ...base, status: 'skipped', reason: 'No sequence of this run contained it.' };
  });
  return {
    ...facts,
    seed: found.seed,
    strict: false,
    checks,
    controls: [],
    exchanges: sent.map(recorded),
    requests: sent.length,
    users: [...new Set(sent.map(({ ptnCd }) => ptnCd))],
    ...(found.unreachable && { unreachable: found.unreachable }),
    interrupted: found.interrupted,
  };
}

function groupOf(id: string): 'key-exchange' | 'registration' {
  return id.startsWith('registration/') ? 'registration' : 'key-exchange';
}

function factsOf(id: string): Omit<CheckFacts, 'title'> {
  const sentence = 'What it may be answered follows from all requests before it.';
  const section = groupOf(id) === 'registration' ? '4.1.2' : '4.1.1';
  return { id, section, sentence, level: 'must', polarity: 'positive' };
}

function recorded({ operation, ptnCd, expected, outcome }: SentStep): RecordedExchange {
  return {
    check: operation.id,
    operation: groupOf(operation.id),
    intent: expected.verdict === 'refused' ? 'wrong' : 'right',
    ptnCd,
    exchange: outcome.exchange,
    outcome,
    alone: false,
  };
}
