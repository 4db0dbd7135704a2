import { statusOf } from '../client/exchange.ts';
import { type CurlOptions, toCurl, toWireText } from '../client/recording.ts';
import type { BaselineJudgement, KnownFailure } from '../conformance/baseline.ts';
import { type CheckFacts, checkFacts, type Harm } from '../conformance/check.ts';
import {
  type CheckResult,
  type RecordedExchange,
  type RunResult,
  type Status,
  type Summary,
  summarise,
} from '../conformance/result.ts';
import type { Diagnosis } from '../errors.ts';
import { roundTo } from '../text.ts';
import type { CertificateDocument } from './verify-diff.ts';

export const verifySchema = 'authcli/verify/1';

/** A run of `verify` as plain data (schemas/verify-1.json); times are milliseconds. */
export interface VerifyDocument {
  readonly schema: typeof verifySchema;
  readonly version: string;
  /** `verify`, `analyze` or `explore`. */
  readonly command: string;
  /** The URL, or the command line that signed in. */
  readonly target: string;
  /** Absent if a command alone signed in. */
  readonly url?: string;
  readonly client_id: string;
  readonly cipher: string;
  readonly seed: string;
  readonly strict: boolean;
  readonly interrupted: boolean;
  /** ISO 8601, in UTC. */
  readonly started_at: string;
  readonly duration_ms: number;
  readonly requests: number;
  readonly summary: Summary;
  readonly checks: readonly CheckDocument[];
  /** Checks that ran only because others need them; not counted in the summary. */
  readonly controls: readonly CheckDocument[];
  readonly users: readonly string[];
  /** Why no request got a response. */
  readonly unreachable?: Diagnosis;
  /** Entries of the baseline that no longer fail. */
  readonly stale: readonly KnownFailure[];
  readonly expired: readonly KnownFailure[];
  /** The command that repeats the run. */
  readonly repeat: string;
  /** Of the endpoint, in repeated runs. */
  readonly certificate?: CertificateDocument;
}

export interface CheckDocument extends CheckFacts {
  readonly status: Status;
  readonly duration_ms: number;
  readonly exchanges: readonly ExchangeDocument[];
  readonly notes: readonly string[];
  /** Why it was skipped. */
  readonly reason?: string;
  /** It was skipped since the application could not be tested. */
  readonly untested?: true;
  readonly harm?: Harm;
  /** Present if it failed or warned. */
  readonly expected?: string;
  readonly observed?: string;
  readonly diagnosis?: Diagnosis;
  /** What to change. */
  readonly fix?: string;
  readonly repeat?: { readonly curl?: string; readonly command: string };
  /** The exchange that shows it, as it went over the wire. */
  readonly evidence?: string;
  readonly known?: KnownFailure;
}

export interface ExchangeDocument
  extends Pick<RecordedExchange, 'operation' | 'intent' | 'malformed'> {
  /** The application sent it to the emulated service. */
  readonly received?: true;
  readonly ptn_cd?: string;
  /** Since the run began. */
  readonly started_ms: number;
  readonly duration_ms: number;
  readonly http_status: number | null;
  readonly code: string | null;
  /** The diagnosis code of the connection, if no response came. */
  readonly failure?: string;
  /** It shows the failure of the check. */
  readonly is_evidence?: true;
}

/** What a document needs beside the result, with the options of its curl lines. */
export interface DocumentOptions extends CurlOptions {
  readonly command: string;
  readonly target: string;
  readonly version: string;
  /** The command that runs one check again, or everything. */
  readonly repeatCommand: (id?: string) => string;
  readonly baseline: BaselineJudgement;
  readonly certificate?: CertificateDocument | undefined;
}

/** The result of a run as a document; the caller redacts and escapes it. */
export function toVerifyDocument(result: RunResult, options: DocumentOptions): VerifyDocument {
  const toCheck = (check: CheckResult) => toCheckDocument(check, result, options);
  const { unreachable } = result;
  return {
    schema: verifySchema,
    version: options.version,
    command: options.command,
    target: options.target,
    ...(result.url && { url: result.url.href }),
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
    ...(options.certificate && { certificate: options.certificate }),
  };
}

function toCheckDocument(
  { check, status, durationMs, exchanges, notes, reason, isUntested, fault }: CheckResult,
  { startedAt, exchanges: all }: RunResult,
  options: DocumentOptions,
): CheckDocument {
  const { id } = check;
  const known = options.baseline.known.get(id);
  const { harm, expected, observed, diagnosis, fix, evidence } = fault ?? {};
  // Requests of the application went to a service that has ended.
  const isOurs = all.some(
    ({ exchange, operation, isReceived }) =>
      exchange === evidence && !isReceived && operation !== 'sign-in',
  );
  const curl = evidence && isOurs ? toCurl(evidence.request, options) : undefined;
  return {
    ...checkFacts(check),
    status,
    duration_ms: Math.round(durationMs),
    exchanges: exchanges.map((recorded) => ({
      ...toExchangeDocument(recorded, startedAt),
      ...(recorded.exchange === evidence && { is_evidence: true }),
    })),
    notes,
    ...(reason !== undefined && { reason }),
    ...(isUntested && { untested: true as const }),
    ...(harm && { harm }),
    ...(fault && { expected, observed }),
    ...(diagnosis && { diagnosis }),
    ...(fault && { fix, repeat: { ...(curl && { curl }), command: options.repeatCommand(id) } }),
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
    started_ms: Math.max(0, roundTo(2, exchange.startedAt - runStartedAt)),
    duration_ms: roundTo(2, exchange.durationMs),
    http_status: statusOf(exchange) ?? null,
    code: outcome.reading?.code ?? null,
    ...(exchange.failure && { failure: exchange.failure.code }),
  };
}
