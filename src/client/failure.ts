import type { ConnectionFacts } from '../diagnosis/connection.ts';
import type { Diagnosis } from '../errors.ts';
import { type Progress, toWireFailure } from './progress.ts';
import type { ResponseReader } from './response.ts';
import type { Route } from './route.ts';
import type { SpokenProtocols } from './spoken-protocol.ts';
import type { TimeLimit } from './time-limit.ts';

/** One request, and how far it has come. */
interface Attempt {
  readonly route: Route;
  readonly progress: Progress;
  readonly now: () => number;
}

/** One request that has failed. */
interface FailedAttempt extends Attempt {
  readonly response: ResponseReader;
  readonly limit: TimeLimit;
  readonly timeoutMs: number;
  readonly protocols: SpokenProtocols;
}

/** Why a request has no whole response. */
export async function diagnoseFailure(error: unknown, attempt: FailedAttempt): Promise<Diagnosis> {
  const { route, progress, response, limit, timeoutMs, protocols } = attempt;
  const { bodyBytes, announcedBytes } = response;
  const seen = { bodyBytes, announcedBytes };
  if (limit.reason !== undefined) return diagnose({ ...seen, timeoutMs }, attempt);
  const { facts } = toWireFailure(error);
  const speaks = await protocols.find(facts, route, progress, limit.signal);
  return diagnose({ ...facts, ...seen, speaks }, attempt);
}

/** The diagnosis of what was observed; what explains a failure is loaded only for one. */
export async function diagnose(
  facts: Partial<ConnectionFacts>,
  { route: { target, proxy }, progress: { phase, atProxy }, now }: Attempt,
): Promise<Diagnosis> {
  const { diagnoseConnection } = await import('../diagnosis/connection.ts');
  return diagnoseConnection({ ...facts, phase, atProxy, target, proxy: proxy?.url, now: now() });
}
