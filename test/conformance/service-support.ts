import { randomBytes } from 'node:crypto';
import { createTransport } from '../../src/client/transport.ts';
import type { RunResult } from '../../src/conformance/result.ts';
import { Run } from '../../src/conformance/runner.ts';
import { type Selection, selectChecks } from '../../src/conformance/selection.ts';
import { serviceChecks } from '../../src/conformance/service-catalogue.ts';
import { bindServiceChecks } from '../../src/conformance/service-check.ts';
import type { ServiceWorld } from '../../src/conformance/service-world.ts';
import { inventUsers } from '../../src/conformance/test-users.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import type { EmulatorAnswer, EmulatorRequest } from '../../src/emulator/http.ts';
import { issuePtnToken } from '../../src/emulator/ptn-token.ts';
import { startServer } from '../../src/emulator/server.ts';
import { createService, handleServiceCall } from '../../src/emulator/service.ts';
import { clientId, keyPairs } from './support.ts';

export const usualSecret = 'the-secret-of-the-tests';
export const alice = { ptnCd: 'alice', key: 'k'.repeat(32), superPasscode: 'the passcode' };

/** What a test changes of the usual run. */
export interface ServiceChanges extends Partial<ServiceWorld>, Partial<Selection> {
  readonly timeoutMs?: number;
  readonly strict?: boolean;
  /** Answers in place of the emulated service, which it is given. */
  readonly wrap?: (
    request: EmulatorRequest,
    right: (request: EmulatorRequest) => Promise<EmulatorAnswer>,
  ) => Promise<EmulatorAnswer>;
}

/** A run against the emulated service with faults on. Waiting moves the clock of the service. */
export async function verifyService(
  faults: readonly string[] = [],
  changes: ServiceChanges = {},
): Promise<RunResult> {
  const { timeoutMs = 5000, check = [], skip = [], strict = false, wrap, ...world } = changes;
  const { secretKey = usualSecret } = world;
  let waited = 0;
  const clock = { now: () => Date.now() + waited, randomBytes };
  const service = createService({
    clientId,
    secretKey,
    cipher: defaultCipher,
    findUser: (ptnCd) => (ptnCd === alice.ptnCd ? alice : undefined),
    environment: clock,
  });
  for (const name of faults) service.faults.switchOn({ name });
  const right = async (request: EmulatorRequest) =>
    (await handleServiceCall(request, service)).answer;
  const handle = wrap === undefined ? right : (request: EmulatorRequest) => wrap(request, right);
  const server = await startServer({ host: '127.0.0.1', port: 0, handle });
  const catalogue = bindServiceChecks(serviceChecks, {
    authUrl: server.url,
    secretKey,
    ptnCd: alice.ptnCd,
    nextPtnToken: async () =>
      issuePtnToken(alice.ptnCd, { clientId, secretKey }, { ...clock, now: clock.now() }),
    lookUpUser: async () => alice,
    timeZone: 'UTC',
    longestWaitMs: 600_000,
    pause: async (durationMs) => {
      waited += durationMs;
    },
    ...world,
  });
  const run = new Run({
    transport: createTransport({ timeoutMs, now: Date.now }),
    url: new URL(server.url),
    clientId,
    cipher: defaultCipher,
    keyPairs,
    seed: 'test',
    insecure: false,
    now: Date.now,
    emit: () => {},
    catalogue,
    selected: selectChecks(catalogue, { check, skip }),
    users: inventUsers('test'),
    concurrentUsers: 2,
    strict,
    bail: false,
  });
  return run.start().finally(() => server.close());
}
