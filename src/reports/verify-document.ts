import type { AddressOverride } from '../client/addresses.ts';
import { type CurlReference, toCurl } from '../client/curl.ts';
import { statusOf } from '../client/exchange.ts';
import { toWireText } from '../client/wire-text.ts';
import type { BaselineJudgement, KnownFailure } from '../conformance/baseline.ts';
import type { Level, Polarity } from '../conformance/check.ts';
import type { RecordedExchange } from '../conformance/record.ts';
import {
  type CheckResult,
  type RunResult,
  type Status,
  type Summary,
  summarise,
} from '../conformance/result.ts';
import type { Diagnosis } from '../errors.ts';

export const verifySchema = 'authcli/verify/1';

/**
 * A run of `verify` as plain data, the same for every report and for programs
 * (schemas/verify-1.json). Times are milliseconds.
 */
export interface VerifyDocument {
  readonly schema: typeof verifySchema;
  readonly version: string;
  readonly url: string;
  readonly client_id: string;
  readonly cipher: string;
  readonly seed: string;
  readonly strict: boolean;
  readonly interrupted: boolean;
  /** ISO 8601, in UTC. */
  readonly started_at: string;
  readonly duration_ms: number;
  /** How many requests were sent. */
  readonly requests: number;
  readonly summary: Summary;
  readonly checks: readonly CheckDocument[];
  /** Checks that ran only because others need them; not in the summary. */
  readonly controls: readonly CheckDocument[];
  /** The user codes that the run used. */
  readonly users: readonly string[];
  /** Why no request at all got an answer. */
  readonly unreachable?: Diagnosis;
  /** Entries of the baseline that name nothing that fails any more, and those whose day is over. */
  readonly stale: readonly KnownFailure[];
  readonly expired: readonly KnownFailure[];
  /** The command that repeats the run. */
  readonly repeat: string;
}

export interface CheckDocument {
  readonly id: string;
  readonly title: string;
  readonly section: string;
  readonly sentence: string;
  readonly level: Level;
  readonly polarity: Polarity;
  readonly status: Status;
  readonly duration_ms: number;
  readonly exchanges: readonly ExchangeDocument[];
  readonly notes: readonly string[];
  /** Why it was skipped. */
  readonly reason?: string;
  /** These stand with every check that failed or warned. */
  readonly expected?: string;
  readonly observed?: string;
  readonly diagnosis?: Diagnosis;
  /** What to change. */
  readonly mend?: string;
  readonly repeat?: { readonly curl?: string; readonly command: string };
  /** The exchange that shows it, as it went over the wire. */
  readonly evidence?: string;
  /** The failure is known, and why it is put up with. */
  readonly known?: KnownFailure;
}

export interface ExchangeDocument {
  readonly operation: RecordedExchange['operation'];
  readonly intent: RecordedExchange['intent'];
  readonly malformed?: string;
  /** The application sent it, and the emulated service answered. */
  readonly received?: true;
  readonly ptn_cd?: string;
  /** Since the run began. */
  readonly started_ms: number;
  readonly duration_ms: number;
  readonly http_status: number | null;
  readonly code: string | null;
  /** The diagnosis code of the connection, where no answer came. */
  readonly failure?: string;
  /** It is the one that shows what is wrong. */
  readonly is_evidence?: true;
}

/** What a document needs beside the result. */
export interface DocumentOptions {
  readonly version: string;
  readonly insecure: boolean;
  /** Addresses that stood in for names, for the same line. */
  readonly resolve?: readonly AddressOverride[];
  /** The Unix socket that stood in for every host. */
  readonly unixSocket?: string;
  /** Secrets that stand in the curl lines by the names of shell variables. */
  readonly references?: readonly CurlReference[];
  /** The command that runs one check again, or everything. */
  readonly repeatCommand: (id?: string) => string;
  readonly baseline: BaselineJudgement;
}

/** The result of a run as a document. Nothing is hidden or escaped in it: the caller does that. */
export function toVerifyDocument(result: RunResult, options: DocumentOptions): VerifyDocument {
  const toCheck = (check: CheckResult) => toCheckDocument(check, result, options);
  const { unreachable } = result;
  return {
    schema: verifySchema,
    version: options.version,
    url: result.url.href,
    client_id: result.clientId,
    cipher: result.cipher,
    seed: result.seed,
    strict: result.strict,
    interrupted: result.interrupted,
    started_at: new Date(result.startedAt).toISOString(),
    duration_ms: Math.round(result.durationMs),
    requests: result.exchanges.filter(({ isReceived }) => !isReceived).length,
    summary: summarise(result.checks),
    checks: result.checks.map(toCheck),
    controls: result.controls.map(toCheck),
    users: result.users,
    ...(unreachable && { unreachable }),
    stale: options.baseline.stale,
    expired: options.baseline.expired,
    repeat: options.repeatCommand(),
  };
}

function toCheckDocument(
  { check, status, durationMs, exchanges, notes, reason, fault }: CheckResult,
  { startedAt, exchanges: all }: RunResult,
  { baseline, repeatCommand, insecure, resolve, unixSocket, references }: DocumentOptions,
): CheckDocument {
  const { id, title, section, sentence, level, polarity } = check;
  const known = baseline.known.get(id);
  const { expected, observed, diagnosis, mend, evidence } = fault ?? {};
  // What the application sent went to a service that has ended since; nobody can repeat it.
  const isOurs = all.some(
    ({ exchange, operation, isReceived }) =>
      exchange === evidence && !isReceived && operation !== 'sign-in',
  );
  const options = { insecure, resolve, unixSocket, references };
  const curl = evidence && isOurs ? toCurl(evidence.request, options) : undefined;
  return {
    id,
    title,
    section,
    sentence,
    level,
    polarity,
    status,
    duration_ms: Math.round(durationMs),
    exchanges: exchanges.map((recorded) => ({
      ...toExchangeDocument(recorded, startedAt),
      ...(recorded.exchange === evidence && { is_evidence: true }),
    })),
    notes,
    ...(reason !== undefined && { reason }),
    ...(fault && { expected, observed }),
    ...(diagnosis && { diagnosis }),
    ...(fault && { mend, repeat: { ...(curl && { curl }), command: repeatCommand(id) } }),
    ...(evidence && { evidence: toWireText(evidence) }),
    ...(known && { known }),
  };
}

function toExchangeDocument(recorded: RecordedExchange, runStartedAt: number): ExchangeDocument {
  const { operation, intent, malformed, isReceived, ptnCd, exchange, outcome } = recorded;
  return {
    operation,
    intent,
    ...(malformed !== undefined && { malformed }),
    ...(isReceived && { received: true }),
    ...(ptnCd !== undefined && { ptn_cd: ptnCd }),
    started_ms: Math.max(0, round(exchange.startedAt - runStartedAt)),
    duration_ms: round(exchange.durationMs),
    http_status: statusOf(exchange) ?? null,
    code: outcome.reading?.code ?? null,
    ...(exchange.failure && { failure: exchange.failure.code }),
  };
}

/** To a hundredth of a millisecond. */
function round(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
