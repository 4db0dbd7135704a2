import { randomBytes } from 'node:crypto';
import { generateKeyPair } from '../../src/client/key-pair.ts';
import { createTransport } from '../../src/client/transport.ts';
import { checks as callbackChecks } from '../../src/conformance/catalogue.ts';
import { createKeyPairs } from '../../src/conformance/key-pairs.ts';
import type { CheckResult, RunResult } from '../../src/conformance/result.ts';
import { Run, type RunOptions } from '../../src/conformance/runner.ts';
import { type Selection, selectChecks } from '../../src/conformance/selection.ts';
import { inventUsers } from '../../src/conformance/test-users.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { createApplication, handleCallback } from '../../src/emulator/application.ts';
import type { EmulatorAnswer, EmulatorRequest } from '../../src/emulator/http.ts';
import { startServer } from '../../src/emulator/server.ts';

export const clientId = 'authcli-client';

/** Key pairs are slow to make: all runs of a test file share one set. */
export const keyPairs = createKeyPairs(generateKeyPair);

/** An endpoint on loopback, with how often it was asked. */
export interface Endpoint {
  readonly url: URL;
  readonly requests: EmulatorRequest[];
  close(): Promise<void>;
}

type Handle = (request: EmulatorRequest) => Promise<EmulatorAnswer>;

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
  const environment = { now: Date.now, randomBytes };
  const app = createApplication({ clientId, cipher: defaultCipher, environment });
  for (const name of faults) app.faults.switchOn({ name });
  return async (request) => (await handleCallback(request, app)).answer;
}

export interface RunChanges extends Partial<Omit<RunOptions, 'selected'>>, Partial<Selection> {
  readonly timeoutMs?: number;
}

/** A run as `verify` does it. */
export function newRun(url: URL, changes: RunChanges = {}): Run {
  const { timeoutMs = 5000, check = [], skip = [], ...options } = changes;
  const { catalogue = callbackChecks } = options;
  const now = performance.now.bind(performance);
  const clock = () => performance.timeOrigin + now();
  const seed = options.seed ?? 'test';
  return new Run({
    transport: createTransport({ timeoutMs, now: clock, signal: options.signal }),
    url,
    clientId,
    cipher: defaultCipher,
    keyPairs,
    seed,
    insecure: false,
    now: clock,
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

/** Runs the checks against a handler that is served for so long. */
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
