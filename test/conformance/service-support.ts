import { randomBytes } from 'node:crypto';
import { createTransport } from '../../src/client/transport.ts';
import type { RunResult } from '../../src/conformance/result.ts';
import { Run } from '../../src/conformance/runner.ts';
import { type Selection, selectChecks } from '../../src/conformance/selection.ts';
import { bindServiceChecks, type ServiceEnvironment } from '../../src/conformance/service.ts';
import { serviceChecks } from '../../src/conformance/service-catalogue.ts';
import { inventUsers } from '../../src/conformance/test-data.ts';
import { type Cipher, defaultCipher } from '../../src/crypto/cipher.ts';
import { Secret } from '../../src/crypto/secret.ts';
import type { EmulatorRequest, EmulatorResponse } from '../../src/emulator/http.ts';
import { startServer } from '../../src/emulator/server.ts';
import { createService, handleServiceCall } from '../../src/emulator/service.ts';
import { issuePtnToken } from '../../src/emulator/tokens.ts';
import { containsSecret } from '../../src/reports/redact.ts';
import { clientId, countingClock, keyPairs } from './support.ts';

export const usualSecret = 'the-secret-of-the-tests';
export const alice = {
  ptnCd: 'alice',
  key: Secret.key('k'.repeat(32)),
  superPasscode: Secret.text('the passcode'),
};

/** What a test changes of the usual run. */
export interface ServiceChanges extends Partial<ServiceEnvironment>, Partial<Selection> {
  readonly timeoutMs?: number;
  /** Measures the responses. */
  readonly now?: () => number;
  readonly strict?: boolean;
  readonly cipher?: Cipher;
  /** At a name that isn't this machine's; the service itself responds as the proxy on the way. */
  readonly isElsewhere?: boolean;
  /** Responds in place of the emulated service, which it is given. */
  readonly wrap?: (
    request: EmulatorRequest,
    right: (request: EmulatorRequest) => Promise<EmulatorResponse>,
  ) => Promise<EmulatorResponse>;
}

/** A run against the emulated service with faults on. Waiting moves the clock of the service. */
export async function verifyService(
  faults: readonly string[] = [],
  changes: ServiceChanges = {},
): Promise<RunResult> {
  const { timeoutMs = 60_000, check = [], skip = [], strict = false, ...others } = changes;
  const {
    isElsewhere = false,
    wrap,
    now = countingClock(),
    cipher = defaultCipher,
    ...settings
  } = others;
  const { secretKey = Secret.text(usualSecret) } = settings;
  let waited = 0;
  const clock = { now: () => Date.now() + waited, randomBytes };
  const service = createService({
    clientId,
    secretKey,
    cipher,
    findUser: (ptnCd) => (ptnCd === alice.ptnCd ? alice : undefined),
    environment: clock,
  });
  for (const name of faults) service.faults.switchOn({ name });
  const right = async (request: EmulatorRequest) =>
    (await handleServiceCall({ ...request, path: pathIn(request) }, service)).response;
  const handle = wrap === undefined ? right : (request: EmulatorRequest) => wrap(request, right);
  const server = await startServer({ host: '127.0.0.1', port: 0, handle });
  const url = isElsewhere ? 'http://auth.test' : server.url;
  const proxy = isElsewhere ? { http: Secret.text(server.url) } : {};
  const catalogue = bindServiceChecks(serviceChecks, {
    authUrl: url,
    secretKey,
    ptnCd: alice.ptnCd,
    nextPtnToken: async () =>
      issuePtnToken(alice.ptnCd, { clientId, secretKey }, { ...clock, now: clock.now() }),
    foreignPtnToken: () =>
      issuePtnToken(
        alice.ptnCd,
        { clientId: 'another', secretKey },
        { ...clock, now: clock.now() },
      ),
    lookUpUser: async () => alice,
    contains: containsSecret,
    timeZone: 'UTC',
    longestWaitMs: 600_000,
    pause: async (durationMs) => {
      waited += durationMs;
    },
    ...settings,
  });
  const run = new Run({
    transport: createTransport({ timeoutMs, now, proxy }),
    url: new URL(url),
    clientId,
    cipher,
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

/** A proxy is asked with the whole URL. */
function pathIn({ path }: EmulatorRequest): string {
  return path.startsWith('/') ? path : new URL(path).pathname;
}

type Respond = NonNullable<ServiceChanges['wrap']>;

/** Services that are wrong in ways that the emulated one has no fault for. */
export const otherWrongServices: readonly {
  readonly name: string;
  readonly check: string;
  readonly diagnosis?: string;
  readonly changes: ServiceChanges;
}[] = [
  {
    name: 'refusal-without-message',
    check: 'service/error-shape',
    diagnosis: 'message-missing',
    changes: { wrap: withoutMessages },
  },
  {
    name: 'success-with-201',
    check: 'service/http-status',
    changes: { wrap: async (request, right) => ({ ...(await right(request)), status: 201 }) },
  },
  { name: 'plain-http', check: 'service/tls', changes: { isElsewhere: true } },
];

async function withoutMessages(...[request, right]: Parameters<Respond>): ReturnType<Respond> {
  const response = await right(request);
  const { code, ...others } = JSON.parse(Buffer.from(response.body).toString());
  const body = Buffer.from(JSON.stringify(code === '0000' ? { code, ...others } : { code }));
  return { ...response, body };
}
