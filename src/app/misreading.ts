import { encodeHex } from '../bytes.ts';
import type { Transport } from '../client/transport.ts';
import { checks as catalogue } from '../conformance/catalogue.ts';
import type { RunEvent } from '../conformance/result.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import type { Diagnosis } from '../errors.ts';
import type { Environment, Secrets } from './environment.ts';
import { createRun } from './verification.ts';

/** The checks whose requests only an application that misreads valid registrations accepts. */
const checkIds: readonly string[] = ['registration/uses-iv', 'registration/rejects-undecryptable'];

/** More than the checks and their controls use. */
const userCodes = 16;

interface MisreadingInput {
  readonly url: URL;
  readonly clientId: string;
  readonly cipher: Cipher;
  readonly keyPair: RsaPrivateKey;
  /** The prefix of the user codes of the test users. */
  readonly prefix: string;
  readonly signal?: AbortSignal;
  /** Called after each response. */
  readonly onProgress?: (requests: number) => void;
}

interface MisreadingOutcome {
  /** What the application makes of a valid registration, where that is wrong; the cause first. */
  readonly diagnoses: readonly Diagnosis[];
  /** What can't be determined, with the reason. */
  readonly notes: readonly string[];
  readonly testUsers: number;
}

/**
 * Whether an application that accepts a valid registration decrypts it too: sends what it must refuse, by the
 * checks of `verify` with their controls, for test users.
 */
export async function findMisreading(
  transport: Transport,
  { keyPair, prefix, onProgress, ...settings }: MisreadingInput,
  environment: Environment,
  secrets: Secrets,
): Promise<MisreadingOutcome> {
  const { randomBytes } = environment;
  let requests = 0;
  const emit = (event: RunEvent): void => {
    if (event.type === 'secret') secrets.add(event.value);
    if (event.type !== 'exchange') return;
    requests += 1;
    onProgress?.(requests);
  };
  const run = createRun(
    {
      ...settings,
      ...{ catalogue, transport, emit },
      selected: catalogue.filter(({ id }) => checkIds.includes(id)),
      userCodes: Array.from({ length: userCodes }, () => prefix + encodeHex(randomBytes(6))),
      ...{ insecure: false, strict: false, bail: false, knownFailures: [] },
    },
    { ...environment, generateKeyPair: async () => keyPair },
  );
  const { checks, controls, users } = await run.start();
  const lacking = controls.flatMap(({ check, fault }) =>
    fault === undefined ? [] : `test users can't be registered (${check.id}): ${fault.observed}`,
  );
  const skipped = checks.flatMap(({ check, reason }) =>
    reason === undefined ? [] : `${check.id} was skipped: ${reason}`,
  );
  return {
    diagnoses: checks.flatMap(({ fault }) => fault?.diagnosis ?? []),
    notes: lacking.length > 0 ? lacking.slice(0, 1) : skipped,
    testUsers: users.length,
  };
}
