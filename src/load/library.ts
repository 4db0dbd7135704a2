/**
 * The sign-ups of a load, one at a time, for load generators that pace and count themselves: the same
 * callbacks, checks and diagnoses as `authcli load`.
 *
 * @packageDocumentation
 */
import { randomBytes } from 'node:crypto';
import type { LeanConnection } from '../client/lean-connection.ts';
import { prepareLeanConnections } from '../client/lean-pool.ts';
import { defaultCipher } from '../crypto/cipher.ts';
import { formatCipher, parseCipher } from '../crypto/cipher-notation.ts';
import { readPrivateKey } from '../crypto/private-key.ts';
import { Secret } from '../crypto/secret.ts';
import type { Diagnosis } from '../errors.ts';
import { callbackUrl } from '../protocol/endpoints.ts';
import { preciseNow } from './clock.ts';
import { KeyMemory } from './key-memory.ts';
import { pooledRandomBytes } from './pooled-random.ts';
import { checkSignupSettings, SignupScenario } from './signup-scenario.ts';

export { AuthcliError, type Diagnosis, type DiagnosisCode } from '../errors.ts';

/** What sign-ups are made of. */
export interface SignupsOptions {
  /** The application's callback URL. */
  readonly url: string;
  /** The service's key pairs: private keys in PEM, sent by turns. */
  readonly keyPairs: readonly string[];
  /** The Application Client ID; `authcli-client` unless told. */
  readonly clientId?: string;
  /** The cipher of the per-user key, in authcli's notation. */
  readonly cipher?: string;
  /** The text of everyone's user information; made up for each unless given, null for none. */
  readonly userInfo?: string | null;
  /** Bounds one callback; 10 s unless told. */
  readonly timeoutMs?: number;
  /** Added to every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What became of one sign-up. */
export interface SignupResult {
  readonly ok: boolean;
  /** From its beginning to its end. */
  readonly latencyMs: number;
  /** How long each callback took that was sent: the key exchange, then the registration. */
  readonly stepsMs: readonly number[];
  /** Why it failed. */
  readonly diagnosis?: Diagnosis;
}

/** Sign-ups at one application. */
export interface Signups {
  /** Signs one made-up user up; never rejects for the application's faults. As many at a time as you like. */
  run(): Promise<SignupResult>;
  /** Ends the connections; what is under way is never answered. */
  close(): void;
}

/**
 * Prepares sign-ups at an application.
 * @throws AuthcliError `usage` for a URL, key, cipher, header or user information that can't be used.
 */
export function createSignups(options: SignupsOptions): Signups {
  const url = callbackUrl(options.url);
  const cipher = parseCipher(options.cipher ?? formatCipher(defaultCipher));
  const { userInfo, clientId = 'authcli-client', timeoutMs = 10_000 } = options;
  checkSignupSettings({ cipher, userInfo });
  const keyPairs = options.keyPairs.map((pem) => readPrivateKey(pem).key);
  const headers = Object.entries(options.headers ?? {}).map(
    ([name, value]) => [name, Secret.text(value)] as const,
  );
  const connect = prepareLeanConnections({ timeoutMs, headers, now: preciseNow });
  const scenario = new SignupScenario(
    { clientId, cipher, keyPairs, userInfo },
    {
      randomBytes: pooledRandomBytes(randomBytes),
      now: preciseNow,
      keys: new KeyMemory(KeyMemory.allocate()),
    },
  );
  const all = new Set<LeanConnection>();
  const idle: LeanConnection[] = [];
  const open = (): LeanConnection => {
    const connection = connect(url);
    all.add(connection);
    return connection;
  };
  return {
    run: async () => {
      const connection = idle.pop() ?? open();
      const startedAt = preciseNow();
      const { ok, stepsMs, diagnosis } = await scenario.run(connection);
      idle.push(connection);
      return { ok, stepsMs, latencyMs: preciseNow() - startedAt, ...(diagnosis && { diagnosis }) };
    },
    close: () => {
      for (const connection of all) connection.close();
    },
  };
}
