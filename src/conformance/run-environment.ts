import type { Transport } from '../client/transport.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { EmitEvent, RunRecord } from './result.ts';
import type { KeyPairs, TestUsers } from './test-data.ts';

/** What all checks of a run share. */
export interface RunEnvironment {
  readonly transport: Transport;
  /** Undefined if only a command is verified. */
  readonly url?: URL;
  readonly clientId: string;
  readonly cipher: Cipher;
  readonly keyPairs: KeyPairs;
  readonly users: TestUsers;
  readonly seed: string;
  readonly insecure: boolean;
  readonly now: () => number;
  readonly record: RunRecord;
  readonly emit: EmitEvent;
  readonly hasPassed: (id: string) => boolean;
}
