import type { RandomBytes } from '../bytes.ts';
import type { WireRequest } from '../client/exchange.ts';
import { type MalformedName, malform } from '../conformance/malformed.ts';
import type { KeyPairs } from '../conformance/test-data.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import type { ModelRequest } from './model/expectation.ts';
import type { KeyId } from './model/state.ts';
import type { Step } from './sequence.ts';

/** A per-user key of the sequence. */
export interface SeenKey {
  readonly id: KeyId;
  readonly text: string;
}

/** What a step is built from: the user, and what is known about all. */
export interface Scene {
  readonly url: URL;
  readonly clientId: string;
  readonly cipher: Cipher;
  readonly keyPairs: KeyPairs;
  readonly randomBytes: RandomBytes;
  readonly now: () => number;
  readonly ptnCd: string;
  /** The keys of the user in the order in which they came. */
  readonly keys: readonly SeenKey[];
  /** Those that may be the stored one. */
  readonly stored: readonly SeenKey[];
  /** No key exchange of the user was ever accepted. */
  readonly isUnknown: boolean;
  /** The last registration of the user that was accepted, and the key that encrypted it. */
  readonly accepted?: { readonly request: WireRequest; readonly key: KeyId };
  readonly keysOf: (user: number) => readonly SeenKey[];
}

/** A request, and what the model has to know about it. */
export interface Built {
  readonly request: WireRequest;
  /** Of its `public_key`, where it has one. */
  readonly keyPair?: RsaPrivateKey;
  readonly model: DistributiveOmit<ModelRequest, 'operation' | 'code'>;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Something that is sent to the endpoint. */
export interface Operation {
  /** `GROUP/NAME`. */
  readonly id: string;
  /** "a valid key exchange" */
  readonly about: string;
  /** How often it is drawn beside others. */
  readonly weight: number;
  /** What a user must be for it, as far as a drawing of sequences can know. */
  readonly fits: (plan: PlannedUser) => boolean;
  /** Undefined if it can't be sent now. */
  readonly build: (scene: Scene, step: Step) => Promise<Built | undefined>;
}

/** What a drawing of sequences knows about a user: what a right application would know. */
export interface PlannedUser {
  readonly exchanges: number;
  readonly registrations: number;
  readonly isRegistered: boolean;
  /** Whether some other user has a key. */
  readonly othersHaveKeys: boolean;
}

/** What a malformed request is, in words. */
export function aboutOf(name: MalformedName): string {
  const empty = { method: 'POST', url: new URL('http://localhost'), headers: [] };
  return malform(name, { ...empty, body: new TextEncoder().encode('{}') }).about;
}
