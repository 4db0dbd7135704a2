import { defaultCipher } from '../../src/crypto/cipher.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { createService, handleServiceCall } from '../../src/emulator/service.ts';
import { issuePtnToken } from '../../src/emulator/tokens.ts';
import { type Exploration, Explorer, type RunOptions } from '../../src/explore/explore.ts';
import type { ServiceEndpoint } from '../../src/explore/service-execute.ts';
import { serviceOperations } from '../../src/explore/service-operations.ts';
import { type ServiceExploreOptions, serviceSubject } from '../../src/explore/service-subject.ts';
import { countingClock } from '../conformance/support.ts';
import { clientId, secretKey } from '../emulator/support.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { SimulatedTime, sendOverConnections } from './simulated.ts';

const secret = Secret.text(secretKey);

/** Each code is that of a registered user, whose key and passcode follow from it. */
export function userOf(ptnCd: string) {
  const key = Secret.key(`key of ${ptnCd} `.padEnd(32, '.').slice(0, 32));
  return { ptnCd, key, superPasscode: Secret.text(`passcode of ${ptnCd}`) };
}

/** The reference service with faults on. */
function simulatedService(faults: readonly string[], time: SimulatedTime) {
  const environment = { now: time.now, randomBytes: seededBytes('simulated service') };
  const service = createService({
    clientId,
    secretKey: secret,
    cipher: defaultCipher,
    environment,
    findUser: userOf,
  });
  for (const name of faults) service.faults.switchOn({ name });
  return service;
}

/** The reference service with faults on, started anew before each sequence, by a clock that waits for nothing. */
export function simulatedEndpoint(...faults: readonly string[]): ServiceEndpoint {
  const time = new SimulatedTime();
  let service = simulatedService(faults, time);
  let users = 0;
  const randomBytes = seededBytes('explored service');
  const send = sendOverConnections(
    async (request) => (await handleServiceCall(request, service)).response,
    time,
  );
  return {
    send: async (request, connection) => ({
      ...(await send(request, connection)),
      startedAt: time.now(),
    }),
    authUrl: 'http://127.0.0.1',
    clientId,
    secretKey: secret,
    cipher: defaultCipher,
    randomBytes,
    now: time.now,
    takeUsers: (count) =>
      Array.from({ length: count }, () => {
        users += 1;
        return `user-${users}`;
      }),
    issuePtnToken: async (ptnCd = '') =>
      issuePtnToken(ptnCd, { clientId, secretKey: secret }, { now: time.now(), randomBytes }),
    foreignPtnToken: (ptnCd = '') =>
      issuePtnToken(
        ptnCd,
        { clientId: 'another', secretKey: secret },
        { now: time.now(), randomBytes },
      ),
    lookUpUser: async (ptnCd) => userOf(ptnCd),
    timeZone: 'UTC',
    longestWaitMs: Number.POSITIVE_INFINITY,
    pause: async (durationMs) => time.passUntil(time.now() + durationMs),
    onToken: () => {},
    prepare: async () => {
      service = simulatedService(faults, time);
    },
  };
}

/** Explores what `endpoint` leads to, with settings that suit a test. */
export function exploreService(
  endpoint: ServiceEndpoint,
  changes: Partial<RunOptions & ServiceExploreOptions> = {},
): Promise<Exploration> {
  const options = {
    ...endpoint,
    operations: serviceOperations,
    seed: 'test',
    runs: 100,
    ...changes,
  };
  return new Explorer(serviceSubject(options), { ...options, now: countingClock() }).run();
}
