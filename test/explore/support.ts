import { setTimeout } from 'node:timers/promises';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { diagnose } from '../../src/diagnosis/catalogue.ts';
import type { EmulatorRequest, EmulatorResponse } from '../../src/emulator/http.ts';
import type { Send } from '../../src/explore/execute.ts';
import {
  createExplorer,
  type Exploration,
  type ExploreOptions,
} from '../../src/explore/explore.ts';
import { operations } from '../../src/explore/operations.ts';
import { clientId, countingClock, keyPairs } from '../conformance/support.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

/*
 * Explorations without a network: the pure handler of an application is the endpoint, so thousands of
 * sequences take seconds. Connections, and the races of threads need a real one.
 */

export type Handle = (request: EmulatorRequest) => EmulatorResponse | Promise<EmulatorResponse>;

/** Sends to a handler; a response that breaks off is a failed exchange. */
export function sendTo(handle: Handle): Send {
  let connections = 1;
  return async (request, kind) => {
    if (kind === 'fresh') connections += 1;
    const connection = kind === 'fresh' ? connections : 1;
    const headers = Object.fromEntries(
      request.headers.map(([name, value]) => [name.toLowerCase(), value] as const),
    );
    const { method, url, body } = request;
    const response = await handle({ method, path: url.pathname, headers, body, connection });
    const { delayMs } = response.delivery ?? {};
    if (delayMs !== undefined) await setTimeout(delayMs);
    const base = { request, startedAt: 0, durationMs: 1, timings: {}, attempts: 1 };
    if (response.delivery?.breakOff !== undefined) {
      const failure = diagnose('reset', 'The connection was reset.');
      return { ...base, failure };
    }
    const head = { status: response.status, statusText: '', httpVersion: 'HTTP/1.1' };
    const lines = Object.entries(response.headers);
    const encodedBodyBytes = response.body.length;
    return {
      ...base,
      response: { ...head, headers: lines, body: response.body, encodedBodyBytes },
    };
  };
}

/** Never called where a test gives a `send` of its own. */
function unhandled(): never {
  throw new TypeError('Give exploreHandler a handler or a `send`');
}

/** Explores a handler, or what `send` leads to, with settings that suit a test. */
export function exploreHandler(
  handle: Handle | undefined,
  changes: Partial<ExploreOptions> = {},
): Promise<Exploration> {
  return createExplorer({
    send: sendTo(handle ?? unhandled),
    url: new URL('http://127.0.0.1/callback'),
    clientId,
    cipher: defaultCipher,
    keyPairs,
    randomBytes: seededBytes('explore'),
    now: countingClock(),
    onKey: () => {},
    operations,
    seed: 'test',
    runs: 100,
    ...changes,
  }).run();
}

/** The failure in short, for assertions: its title, and the operations of its steps by round. */
export function brief({ failures }: Exploration): string {
  return failures
    .map(({ execution, sequence, flaky }) => {
      const rounds = sequence.rounds.map((round) =>
        round.map(({ operation, user }) => `${operation}@${user}`).join(' | '),
      );
      return `${flaky ? 'flaky: ' : ''}${execution.violation.title}: ${rounds.join(', ')}`;
    })
    .join('\n');
}
