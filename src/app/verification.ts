import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeHex } from '../bytes.ts';
import {
  type BaselineJudgement,
  isKnownFailure,
  judgeBaseline,
  type KnownFailure,
} from '../conformance/baseline.ts';
import { checkHeader } from '../conformance/context.ts';
import type { RunResult } from '../conformance/result.ts';
import { Run, type RunOptions } from '../conformance/runner.ts';
import { createKeyPairs, givenUsers, inventUsers } from '../conformance/test-data.ts';
import type { Environment } from './environment.ts';

/** The settings of a verification; the rest of a run follows from them. */
export interface VerificationOptions
  extends Pick<
    RunOptions,
    | 'catalogue'
    | 'selected'
    | 'transport'
    | 'url'
    | 'clientId'
    | 'cipher'
    | 'insecure'
    | 'strict'
    | 'bail'
    | 'signal'
    | 'emit'
  > {
  /** A new one by default. */
  readonly seed?: string | undefined;
  /** Users who may sign up; invented by default. */
  readonly userCodes?: readonly string[] | undefined;
  /** How many users sign up at the same time; none by default. */
  readonly concurrentUsers?: number;
  readonly knownFailures: readonly KnownFailure[];
  /** How long to wait until the endpoint responds at all. */
  readonly waitMs?: number | undefined;
}

/** The run of the selected checks, ready to start. */
export function createRun(
  { userCodes, knownFailures, ...options }: VerificationOptions,
  { now, randomBytes, generateKeyPair }: Environment,
): Run {
  const seed = options.seed ?? encodeHex(randomBytes(4));
  const today = dayOf(now());
  return new Run({
    concurrentUsers: 0,
    ...options,
    seed,
    keyPairs: createKeyPairs(generateKeyPair),
    users: userCodes === undefined ? inventUsers(seed) : givenUsers(userCodes),
    now,
    isKnown: ({ check }) => isKnownFailure(check, knownFailures, today),
  });
}

/** Proxies respond with these while no server behind them does. */
const notYet = new Set([502, 503, 504]);
const pauseMs = 200;

/** Asks the endpoint with GET, which changes nothing, until it responds at all or `waitMs` is over. */
export async function waitForResponse({
  transport,
  url,
  waitMs,
  signal,
}: Pick<VerificationOptions, 'transport' | 'url' | 'waitMs' | 'signal'>): Promise<void> {
  if (waitMs === undefined || url === undefined) return;
  const over = AbortSignal.timeout(waitMs);
  const timeIsUp = once(over, 'abort').then(() => true);
  const headers = [[checkHeader, 'wait']] as const;
  const request = { method: 'GET', url, headers, body: new Uint8Array() } as const;
  const responds = async (): Promise<boolean> => {
    const { response } = await transport.send(request);
    return response !== undefined && !notYet.has(response.status);
  };
  while (!over.aborted) {
    signal?.throwIfAborted();
    if (await Promise.race([responds(), timeIsUp])) return;
    const pause = sleep(pauseMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
    await Promise.race([pause, timeIsUp]);
  }
}

/** Which failures are known today, and which known ones no longer fail. */
export function judgeKnownFailures(
  { checks }: Pick<RunResult, 'checks'>,
  knownFailures: readonly KnownFailure[],
  { now }: Pick<Environment, 'now'>,
): BaselineJudgement {
  return judgeBaseline(checks, knownFailures, dayOf(now()));
}

/** The day of an instant in UTC: `2027-01-31`. */
export function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}
