import { statusOf } from '../client/exchange.ts';
import { type CurlOptions, toCurl, toHar, toWireText } from '../client/recording.ts';
import type { BaselineJudgement } from '../conformance/baseline.ts';
import { checkFacts } from '../conformance/check.ts';
import type {
  CertificateDocument,
  CheckDocument,
  ExchangeDocument,
  IntervalDocument,
  VerifyDocument,
} from '../conformance/document.ts';
import {
  type CheckResult,
  type RecordedExchange,
  type RunResult,
  summarise,
} from '../conformance/result.ts';
import type { Stack } from '../errors.ts';
import { roundTo } from '../text.ts';

export const verifySchema = 'authcli/verify/1';

/** What a document needs beside the result, with the options of its curl lines. */
export interface DocumentOptions extends CurlOptions {
  readonly command: string;
  readonly target: string;
  readonly version: string;
  /** The version of the requirements that were checked; none where they are those of another command. */
  readonly requirements?: number;
  /** The command that runs one check again, or everything. */
  readonly repeatCommand: (id?: string) => string;
  /** None by default. */
  readonly baseline?: BaselineJudgement;
  readonly certificate?: CertificateDocument | undefined;
  /** The language of the application, where there is evidence of it. */
  readonly stack?: Stack | undefined;
  /** The checks of the sign-in were selected, and nothing triggers a sign-in. */
  readonly leavesOutSignin?: boolean;
  readonly overTime?: readonly IntervalDocument[];
}

/** The result of a run as a document; the caller redacts and escapes it. */
export function toVerifyDocument(result: RunResult, options: DocumentOptions): VerifyDocument {
  const toCheck = (check: CheckResult) => toCheckDocument(check, result, options);
  const { unreachable } = result;
  const { stale = [], expired = [] } = options.baseline ?? {};
  return {
    schema: verifySchema,
    version: options.version,
    ...(options.requirements && { requirements: options.requirements }),
    command: options.command,
    target: options.target,
    ...(result.url && { url: result.url.href }),
    client_id: result.clientId,
    cipher: result.cipher,
    seed: result.seed,
    strict: result.strict,
    ...(options.stack && { stack: options.stack }),
    ...(options.leavesOutSignin && { sign_in: 'not-checked' }),
    interrupted: result.interrupted,
    started_at: new Date(result.startedAt).toISOString(),
    duration_ms: Math.round(result.durationMs),
    requests: result.requests,
    summary: summarise(result.checks),
    checks: result.checks.map(toCheck),
    controls: result.controls.map(toCheck),
    users: result.users,
    ...(unreachable && { unreachable }),
    stale,
    expired,
    repeat: options.repeatCommand(),
    ...(options.certificate && { certificate: options.certificate }),
    ...(options.overTime && { over_time: options.overTime }),
  };
}

function toCheckDocument(
  { check, status, durationMs, exchanges, notes, reason, lacks, fault }: CheckResult,
  { startedAt, exchanges: all }: RunResult,
  options: DocumentOptions,
): CheckDocument {
  const { id } = check;
  const known = options.baseline?.known.get(id);
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
    ...(lacks !== undefined && { lacks }),
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

/** Every exchange of a run as HAR 1.2, in the order sent, each with its check in the comment; the caller redacts it. */
export function verifyHar(
  { exchanges }: RunResult,
  document: Pick<VerifyDocument, 'version' | 'command' | 'target' | 'requirements'>,
) {
  const sent = exchanges.map(({ exchange }) => exchange);
  const { log } = toHar(sent, document);
  const entries = log.entries.map((entry, index) => {
    const { check, malformed, isReceived } = exchanges[index] ?? {};
    const received = isReceived && 'received by the emulated service';
    const wrong = malformed && `invalid on purpose: ${malformed}`;
    const comment = [check, received, wrong, entry.comment].filter(Boolean).join('; ');
    return { ...entry, comment };
  });
  const { version, creator } = log;
  const comment = `authcli ${document.command} ${document.target}`;
  const { requirements } = document;
  const named = requirements ? { ...creator, comment: `requirements ${requirements}` } : creator;
  return { log: { version, creator: named, comment, entries } };
}
