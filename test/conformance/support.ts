import type { Transport } from '../../src/client/exchange.ts';
import { createTransport } from '../../src/client/transport.ts';
import { checks as callbackChecks } from '../../src/conformance/catalogue.ts';
import type { CheckResult, RunResult } from '../../src/conformance/result.ts';
import { createRun, type RunOptions } from '../../src/conformance/runner.ts';
import { type Selection, selectChecks } from '../../src/conformance/selection.ts';
import { createKeyPairs } from '../../src/conformance/test-data.ts';
import { type Cipher, defaultCipher } from '../../src/crypto/cipher.ts';
import { createApplication, handleCallback } from '../../src/emulator/application.ts';
import type { ApplicationPoints, Hooks } from '../../src/emulator/faults/points.ts';
import type { EmulatorRequest, EmulatorResponse } from '../../src/emulator/http.ts';
import { startServer } from '../../src/emulator/server.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

export const clientId = 'authcli-client';

export const keyPairs = createKeyPairs(keyPairSource());

/** An endpoint on loopback, with how often it was asked. */
export interface Endpoint {
  readonly url: URL;
  readonly requests: EmulatorRequest[];
  close(): Promise<void>;
}

type Handle = (request: EmulatorRequest) => EmulatorResponse | Promise<EmulatorResponse>;
type Application = (request: EmulatorRequest) => Promise<EmulatorResponse>;

/** Serves any handler. */
export async function serve(handle: Handle): Promise<Endpoint> {
  const requests: EmulatorRequest[] = [];
  const recorded = async (request: EmulatorRequest) => {
    requests.push(request);
    return handle(request);
  };
  const server = await startServer({ host: '127.0.0.1', port: 0, handle: recorded });
  return { url: new URL(`${server.url}/callback`), requests, close: () => server.close() };
}

/** What differs from the reference application. */
interface ApplicationOptions {
  readonly faults?: readonly string[];
  readonly hooks?: Hooks<ApplicationPoints>;
  readonly cipher?: Cipher;
  readonly now?: () => number;
  /** The same gives the same keys. */
  readonly seed?: string;
}

export function applicationOf({
  faults = [],
  hooks,
  cipher = defaultCipher,
  now = Date.now,
  seed = 'application',
}: ApplicationOptions): Application {
  const environment = { now, randomBytes: seededBytes(seed) };
  const app = createApplication({ clientId, cipher, environment });
  for (const name of faults) app.faults.switchOn({ name });
  if (hooks !== undefined) {
    const facts = { name: 'own', title: '', check: '' } as const;
    const own = { ...facts, diagnosis: 'key-length', apply: hooks };
    Object.assign(app.faults, { catalogue: [own] });
    app.faults.switchOn({ name: 'own' });
  }
  return async (request) => (await handleCallback(request, app)).response;
}

/** The reference application, with faults on. */
export const application = (...faults: readonly string[]) => applicationOf({ faults });

export interface RunChanges extends Partial<Omit<RunOptions, 'selected'>>, Partial<Selection> {
  readonly now?: () => number;
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
export function newRun(url: URL, changes: RunChanges = {}) {
  const { timeoutMs = 60_000, check = [], skip = [], now = countingClock(), ...options } = changes;
  const { catalogue = callbackChecks } = options;
  const settings = {
    transport: createTransport({ timeoutMs, now, signal: options.signal }),
    url,
    clientId,
    cipher: defaultCipher,
    seed: 'test',
    insecure: false,
    emit: () => {},
    catalogue,
    selected: selectChecks(catalogue, { check, skip }),
    concurrentUsers: 8,
    strict: false,
    bail: false,
    knownFailures: [],
  };
  const tools = { now, randomBytes: seededBytes('run'), generateKeyPair: keyPairSource() };
  return createRun({ ...settings, ...options }, tools);
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

/** Of applications and runs alike, in fractions of a millisecond, as the clock of the program has them. */
let time = Date.UTC(2027, 0, 2, 3, 4, 5) + 0.25;
function tick(): number {
  time += 0.3;
  return time;
}

/** A transport that calls the application itself. */
export function transportTo(handle: Handle, now: () => number): Transport {
  return {
    send: async (request) => {
      const startedAt = now();
      const { method, body, url, headers: lines } = request;
      const headers = Object.fromEntries(lines.map(([name, value]) => [name.toLowerCase(), value]));
      const handled = await handle({ method, path: url.pathname, headers, body });
      const response = {
        status: handled.status,
        statusText: '',
        httpVersion: 'HTTP/1.1',
        headers: Object.entries(handled.headers),
        body: handled.body,
        encodedBodyBytes: handled.body.length,
      };
      return { request, startedAt, durationMs: 1, timings: {}, attempts: 1, response };
    },
    close: async () => {},
  };
}

/** Runs the checks against a handler without a network. */
export function verifyDirectly(handle: Handle, changes: RunChanges = {}): Promise<RunResult> {
  const { now = tick } = changes;
  const transport = transportTo(handle, now);
  return newRun(new URL('http://127.0.0.1/callback'), { transport, ...changes, now }).start();
}

/** The reference application with hooks of its own, for {@link verifyDirectly}. */
export const applicationWith = (
  hooks: Hooks<ApplicationPoints>,
  options: Pick<ApplicationOptions, 'cipher' | 'seed'> = {},
) => applicationOf({ hooks, now: () => Math.floor(tick()), ...options });
