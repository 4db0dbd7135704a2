import type { generateKeyPair } from '../client/key-pair.ts';
import type { Environment as EmulatorEnvironment } from '../emulator/handling.ts';
import type { Redactor } from '../reports/redact.ts';

/** The clock, randomness and key pairs of use cases; each edge injects its own. */
export interface Environment extends EmulatorEnvironment {
  readonly generateKeyPair: typeof generateKeyPair;
}

/** Where a use case reports the secrets that it creates or receives. */
export type Secrets = Pick<Redactor, 'add' | 'addFromPeer' | 'addUserInfo'>;
