import { exportPrivateKey } from '../../src/crypto/rsa-key.ts';
import type { Schedule } from '../../src/load/job.ts';
import { type LoadResult, LoadRun } from '../../src/load/run.ts';
import { application, clientId, keyPairs, serve } from '../conformance/support.ts';
import { startThreadHere } from '../support/load-thread.ts';

const cipher = 'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64';
export const infinite = Number.POSITIVE_INFINITY;

/** That many sign-ups, a fixed number at once. */
export function closed(signups: number, atOnce = 4): Schedule {
  return { pace: { model: 'closed', atOnce }, durationMs: infinite, signups };
}

interface Changes {
  readonly schedule?: Schedule;
  readonly threads?: number;
  readonly timeoutMs?: number;
  readonly onProgress?: () => void;
  readonly onSecret?: (value: string) => void;
}

/** A load that has not begun. */
export async function newRun(url: URL, changes: Changes = {}): Promise<LoadRun> {
  const { schedule = closed(20), threads = 2, timeoutMs = 60_000 } = changes;
  const { onProgress = () => {}, onSecret = () => {} } = changes;
  const pair = await keyPairs('usual');
  const task = {
    url: url.href,
    clientId,
    cipher,
    keyPairs: [exportPrivateKey(pair)],
  };
  const wire = { timeoutMs };
  return new LoadRun({
    task,
    wire,
    schedule,
    threads,
    startThread: startThreadHere,
    onProgress,
    onSecret,
  });
}

/** The result of a load. */
export async function loadOf(url: URL, changes?: Changes): Promise<LoadResult> {
  return (await newRun(url, changes)).start();
}

/** How often each code occurred. */
export function errorsOf({ errors }: LoadResult): Record<string, number> {
  return Object.fromEntries(errors.map(({ code, count }) => [code, count]));
}

/** A right application that takes its time. */
export async function slowApplication(ms: number) {
  const right = application();
  return serve(async (request) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return right(request);
  });
}
