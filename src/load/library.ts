/**
 * The sign-ups of a load, one at a time, for load generators that pace and count themselves: the same
 * callbacks, checks and diagnoses as `authcli load`.
 *
 * @packageDocumentation
 */
import { randomBytes } from 'node:crypto';
import { createTransport } from '../client/transport.ts';
import { preciseNow } from '../clock.ts';
import { defaultCipher } from '../crypto/cipher.ts';
import { formatCipher, parseCipher } from '../crypto/cipher-notation.ts';
import { Secret } from '../crypto/secret.ts';
import type { Diagnosis } from '../errors.ts';
import { defaultClientId } from '../protocol/defaults.ts';
import { callbackUrl } from '../protocol/endpoints.ts';
import { KeyMemory } from './key-examiner.ts';
import { checkSignupSettings, SignupScenario } from './scenario.ts';

export { AuthcliError, type Diagnosis, type DiagnosisCode } from '../errors.ts';

/** The parts of sign-ups. */
export interface SignupsOptions {
  /** The application's callback URL. */
  readonly url: string;
  /** The service's key pairs: private keys in PEM, sent by turns. */
  readonly keyPairs: readonly string[];
  /** The Application Client ID; `authcli-client` by default. */
  readonly clientId?: string;
  /** The cipher of the per-user key, in authcli's notation. */
  readonly cipher?: string;
  /** The text of everyone's user information; made up for each user by default, null for none. */
  readonly userInfo?: string | null;
  /** Bounds one callback; 10 s by default. */
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
  /** Signs one made-up user up; never rejects for the application's faults. Any number may run at a time. */
  run(): Promise<SignupResult>;
  /** Ends the connections; callbacks under way end as `reset`. */
  close(): void;
}

/**
 * Prepares sign-ups at an application.
 * @throws AuthcliError `usage` for a URL, key, cipher, header or user information that can't be used.
 */
export function createSignups(options: SignupsOptions): Signups {
  const { keyPairs, userInfo, clientId = defaultClientId, timeoutMs = 10_000 } = options;
  const { cipher = formatCipher(defaultCipher) } = options;
  checkSignupSettings({ cipher: parseCipher(cipher), userInfo });
  const url = callbackUrl(options.url).href;
  const headers = Object.entries(options.headers ?? {}).map(
    ([name, value]) => [name, Secret.text(value)] as const,
  );
  const transport = createTransport({ timeoutMs, headers, now: preciseNow });
  const scenario = new SignupScenario(
    { url, clientId, cipher, keyPairs, userInfo },
    KeyMemory.allocate(),
    { randomBytes, now: preciseNow },
  );
  return {
    run: async () => {
      const startedAt = preciseNow();
      const { ok, stepsMs, diagnosis } = await scenario.run(transport);
      return { ok, stepsMs, latencyMs: preciseNow() - startedAt, ...(diagnosis && { diagnosis }) };
    },
    close: () => void transport.close(),
  };
}
