import type { Transport } from '../../src/client/transport.ts';
import type { RunResult } from '../../src/conformance/result.ts';
import { type Cipher, defaultCipher } from '../../src/crypto/cipher.ts';
import { createApplication, handleCallback } from '../../src/emulator/application.ts';
import type { ApplicationPoints, Hooks } from '../../src/emulator/faults/points.ts';
import type { EmulatorRequest, EmulatorResponse } from '../../src/emulator/http.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { clientId, newRun, type RunChanges } from './support.ts';

/*
 * Runs without a network, for tests that need hundreds of them.
 */

type Handle = (request: EmulatorRequest) => EmulatorResponse | Promise<EmulatorResponse>;

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
      const headers = Object.fromEntries(
        lines.map(([name, value]) => [name.toLowerCase(), value] as const),
      );
      const handled = await handle({ method, path: url.pathname, headers, body });
      const head = { status: handled.status, statusText: '', httpVersion: 'HTTP/1.1' };
      const response = {
        ...head,
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

/** The reference application with hooks of its own; the same seed gives the same keys. */
export function applicationWith(
  apply: Hooks<ApplicationPoints>,
  { cipher = defaultCipher, seed = 'application' }: { cipher?: Cipher; seed?: string } = {},
): Handle {
  const environment = { now: () => Math.floor(tick()), randomBytes: seededBytes(seed) };
  const app = createApplication({ clientId, cipher, environment });
  const facts = { name: 'own', side: 'application', title: '', check: '' } as const;
  Object.assign(app.faults, { catalogue: [{ ...facts, diagnosis: 'key-length', apply }] });
  app.faults.switchOn({ name: 'own' });
  return async (request) => (await handleCallback(request, app)).response;
}
