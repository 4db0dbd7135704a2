import { simulateSignup } from '../../src/client/signup.ts';
import { createTransport } from '../../src/client/transport.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { exportPrivateKey } from '../../src/crypto/rsa-key.ts';
import { Secret } from '../../src/crypto/secret.ts';
import type { Schedule } from '../../src/load/job.ts';
import { type LoadEvent, type LoadResult, LoadRun } from '../../src/load/run.ts';
import { application, clientId, keyPairs, serve } from '../conformance/support.ts';
import { startThreadHere } from '../support/load-thread.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('run');

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
  readonly emit?: (event: LoadEvent) => void;
}

/** A load that has not begun. */
export async function newRun(url: URL, changes: Changes = {}): Promise<LoadRun> {
  const { schedule = closed(20), threads = 2, timeoutMs = 60_000, emit = () => {} } = changes;
  const pair = await keyPairs.usual();
  const task = {
    url: url.href,
    clientId,
    cipher,
    keyPairs: [exportPrivateKey(pair)],
  };
  const wire = { timeoutMs };
  return new LoadRun({ task, wire, schedule, threads, startThread: startThreadHere, emit });
}

/** The result of a load. */
export async function loadOf(url: URL, changes?: Changes): Promise<LoadResult> {
  return (await newRun(url, changes)).start();
}

/** How often each code occurred. */
export function errorsOf({ errors }: LoadResult): Record<string, number> {
  return Object.fromEntries(errors.map(({ code, count }) => [code, count]));
}

/** A single sign-up of the same kind, as simulate-signup makes it. */
export async function signUpOnce(url: URL) {
  const transport = createTransport({ timeoutMs: 60_000, now: Date.now });
  const input = {
    url,
    clientId,
    ptnCd: 'alone',
    keyPair: await keyPairs.usual(),
    superPasscode: Secret.text('x'.repeat(24)),
    userInfo: Secret.text('{"email":"a@example.com"}'),
    cipher: defaultCipher,
    randomBytes,
  };
  return simulateSignup(transport, input).finally(() => transport.close());
}

/** A right application that takes its time. */
export async function slowApplication(ms: number) {
  const right = application();
  return serve(async (request) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return right(request);
  });
}
