import { type Cipher, defaultCipher } from '../../src/crypto/cipher.ts';
import { createApplication, handleCallback } from '../../src/emulator/application.ts';
import type { EmulatorRequest, EmulatorResponse } from '../../src/emulator/http.ts';
import type { Send } from '../../src/explore/execute.ts';
import type { ExploreOptions } from '../../src/explore/explore.ts';
import { clientId } from '../conformance/support.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { sendTo } from './support.ts';

type Respond = (request: EmulatorRequest) => Promise<EmulatorResponse>;

/** Time that passes only with the delays of responses, a millisecond beside. */
export class SimulatedTime {
  #now = Date.UTC(2026, 0, 2);

  readonly now = (): number => this.#now;

  passUntil(moment: number): void {
    this.#now = Math.max(this.#now, moment);
  }
}

/**
 * Sends over connections that are only numbers: a request takes one that is kept and idle, or a new
 * one. Requests that begin together are handled in the same millisecond, and delays pass at once.
 */
export function sendOverConnections(respond: Respond, time: SimulatedTime): Send {
  const idle: number[] = [];
  let opened = 0;
  return async (request, kind) => {
    const kept = kind === 'kept' ? idle.pop() : undefined;
    const connection = kept ?? ++opened;
    const begun = time.now();
    const exchange = await sendTo(async (received) => {
      const response = await respond({ ...received, connection });
      // After everything that began in the same millisecond.
      await new Promise(setImmediate);
      time.passUntil(begun + 1 + (response.delivery?.delayMs ?? 0));
      return response;
    })(request, kind);
    if (kind === 'kept') idle.push(connection);
    return exchange;
  };
}

/** The reference application with faults on. */
export function simulatedApplication(
  faults: readonly string[],
  time: SimulatedTime,
  cipher: Cipher = defaultCipher,
): Respond {
  const environment = { now: time.now, randomBytes: seededBytes('simulated application') };
  const application = createApplication({ clientId, cipher, environment });
  for (const name of faults) application.faults.switchOn({ name });
  return async (request) => (await handleCallback(request, application)).response;
}

/** What explores the reference application with faults on, started anew before each sequence. */
export function simulation(...faults: readonly string[]): Pick<ExploreOptions, 'send' | 'prepare'> {
  const time = new SimulatedTime();
  let respond = simulatedApplication(faults, time);
  return {
    send: sendOverConnections((request) => respond(request), time),
    prepare: async () => {
      respond = simulatedApplication(faults, time);
    },
  };
}
