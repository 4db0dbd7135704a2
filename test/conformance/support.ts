import { createTransport } from '../../src/client/transport.ts';
import { checks as callbackChecks } from '../../src/conformance/catalogue.ts';
import type { CheckResult, RunResult } from '../../src/conformance/result.ts';
import { Run, type RunOptions } from '../../src/conformance/runner.ts';
import { type Selection, selectChecks } from '../../src/conformance/selection.ts';
import { createKeyPairs, inventUsers } from '../../src/conformance/test-data.ts';
import { type Cipher, defaultCipher } from '../../src/crypto/cipher.ts';
import { createApplication, handleCallback } from '../../src/emulator/application.ts';
import type { EmulatorRequest, EmulatorResponse } from '../../src/emulator/http.ts';
import { startServer } from '../../src/emulator/server.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

export const clientId = 'authcli-client';

/** Key pairs are slow to make: all runs of a test file share one set. */
export const keyPairs = createKeyPairs(keyPairSource());

/** An endpoint on loopback, with how often it was asked. */
export interface Endpoint {
  readonly url: URL;
  readonly requests: EmulatorRequest[];
  close(): Promise<void>;
}

type Handle = (request: EmulatorRequest) => Promise<EmulatorResponse>;

/** Serves any handler. */
export async function serve(handle: Handle): Promise<Endpoint> {
  const requests: EmulatorRequest[] = [];
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    handle: (request) => {
      requests.push(request);
      return handle(request);
    },
  });
  return { url: new URL(`${server.url}/callback`), requests, close: () => server.close() };
}

/** The reference application, with faults on. */
export function application(...faults: readonly string[]): Handle {
  return applicationOf(defaultCipher, ...faults);
}

/** The same with another cipher. */
export function applicationOf(cipher: Cipher, ...faults: readonly string[]): Handle {
  return applicationAt(Date.now, cipher, ...faults);
}

/** The same by another clock. */
export function applicationAt(
  now: () => number,
  cipher: Cipher,
  ...faults: readonly string[]
): Handle {
  const environment = { now, randomBytes: seededBytes('application') };
  const app = createApplication({ clientId, cipher, environment });
  for (const name of faults) app.faults.switchOn({ name });
  return async (request) => (await handleCallback(request, app)).response;
}

export interface RunChanges extends Partial<Omit<RunOptions, 'selected'>>, Partial<Selection> {
  readonly timeoutMs?: number;
}

/** Each reading is a millisecond after the one before: a busy machine makes no response slow. */
export function countingClock(): () => number {
  let time = Date.now();
  return () => {
    time += 1;
    return time;
  };
}

/** A run as `verify` does it. */
export function newRun(url: URL, changes: RunChanges = {}): Run {
  const { timeoutMs = 60_000, check = [], skip = [], now = countingClock(), ...options } = changes;
  const { catalogue = callbackChecks } = options;
  const seed = options.seed ?? 'test';
  return new Run({
    transport: createTransport({ timeoutMs, now, signal: options.signal }),
    url,
    clientId,
    cipher: defaultCipher,
    keyPairs,
    seed,
    insecure: false,
    now,
    emit: () => {},
    catalogue,
    selected: selectChecks(catalogue, { check, skip }),
    users: inventUsers(seed),
    concurrentUsers: 8,
    strict: false,
    bail: false,
    ...options,
  });
}

/** Runs the checks against a handler that is served for that time. */
export async function verify(handle: Handle, changes: RunChanges = {}): Promise<RunResult> {
  const endpoint = await serve(handle);
  try {
    return await newRun(endpoint.url, changes).start();
  } finally {
    await endpoint.close();
  }
}

/** The results that are not `passed`, as "id status diagnosis". */
export function troubles({ checks }: Pick<RunResult, 'checks'>): readonly string[] {
  return checks.filter(({ status }) => status !== 'passed').map(troubleOf);
}

function troubleOf({ check, status, fault, reason }: CheckResult): string {
  return [check.id, status, fault?.diagnosis?.code ?? fault?.observed ?? reason].join(' ');
}
