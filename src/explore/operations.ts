import type { RandomBytes } from '../bytes.ts';
import type { WireRequest } from '../client/exchange.ts';
import { keyExchangeRequest, registrationRequest } from '../client/signup.ts';
import { unicodeInfo } from '../conformance/checks/registration/unicode-user-info.ts';
import {
  type MalformedName,
  malform,
  malformedNames,
  operationOf,
  withUnknownField,
} from '../conformance/malformed.ts';
import { type KeyPairs, plainUserInfo } from '../conformance/test-data.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import type { ModelRequest } from './model/expectation.ts';
import type { KeyId } from './model/state.ts';
import type { Step } from './sequence.ts';
import { payloadForNone, payloadForOne } from './telling-payload.ts';

/** A per-user key of the sequence. */
export interface SeenKey {
  readonly id: KeyId;
  readonly text: string;
}

/** What a step is built from: the user, and what is known of all. */
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

/** A request, and what the model has to know of it. */
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

/** What a drawing of sequences knows of a user: what a right application would know. */
export interface PlannedUser {
  readonly exchanges: number;
  readonly registrations: number;
  readonly isRegistered: boolean;
  /** Whether some other user has a key. */
  readonly othersHaveKeys: boolean;
}

const always = () => true;
const isKnown = ({ exchanges }: PlannedUser) => exchanges > 0;

const exchanges: readonly Operation[] = [
  exchange('valid', 'a key exchange', 60, 'valid', ({ usual }) => usual()),
  exchange('second-public-key', 'a key exchange with another public_key', 10, 'valid', (pairs) =>
    pairs.second(),
  ),
  exchange('3072-bits', 'a key exchange with a public_key of 3072 bits', 3, 'optional', (pairs) =>
    pairs.large(3072),
  ),
  exchange('4096-bits', 'a key exchange with a public_key of 4096 bits', 2, 'optional', (pairs) =>
    pairs.large(4096),
  ),
  exchange(
    'unknown-field',
    'a key exchange with an additional field',
    3,
    'optional',
    ({ usual }) => usual(),
    withUnknownField,
  ),
];

function exchange(
  name: string,
  about: string,
  weight: number,
  form: 'valid' | 'optional',
  pairOf: (pairs: KeyPairs) => Promise<RsaPrivateKey>,
  alter: (right: WireRequest) => WireRequest = (right) => right,
): Operation {
  const build = async (scene: Scene): Promise<Built> => {
    const keyPair = await pairOf(scene.keyPairs);
    const request = alter(exchangeRequest(scene, keyPair));
    return { request, keyPair, model: { kind: 'key-exchange', form } };
  };
  return { id: `key-exchange/${name}`, about, weight, fits: always, build };
}

function exchangeRequest(scene: Scene, keyPair: RsaPrivateKey): WireRequest {
  const { url, clientId, ptnCd } = scene;
  return keyExchangeRequest({ url, clientId, ptnCd, keyPair });
}

/** What an application should refuse by the interface's silence, and need not (`should` in `verify`). */
const odd = /^(?:client-id-|used-type-|json-)/;

const malformedExchanges: readonly Operation[] = malformedNames
  .filter((name) => operationOf(name) === 'key-exchange')
  .map((name) => ({
    id: `key-exchange/${name}`,
    about: aboutOf(name),
    weight: 2,
    fits: always,
    build: async (scene) => {
      const keyPair = await scene.keyPairs.usual();
      const { request } = malform(name, exchangeRequest(scene, keyPair));
      return {
        request,
        keyPair,
        model: { kind: 'key-exchange', form: odd.test(name) ? 'odd' : 'invalid' },
      };
    },
  }));

function aboutOf(name: MalformedName): string {
  const empty = { method: 'POST', url: new URL('http://localhost'), headers: [] };
  return malform(name, { ...empty, body: new TextEncoder().encode('{}') }).about;
}

const registrations: readonly Operation[] = [
  registration('latest-key', 'a registration', 40, 'valid', isKnown),
  registration('user-info', 'a registration with ubifill', 8, 'valid', isKnown, {
    userInfo: plainUserInfo,
  }),
  registration(
    'unicode-user-info',
    'a registration with a name outside ASCII',
    3,
    'valid',
    isKnown,
    {
      userInfo: unicodeInfo,
    },
  ),
  registration(
    'late',
    'a registration after callbacks of other users',
    6,
    'valid',
    ({ isRegistered, ...plan }) => isKnown(plan as PlannedUser) && !isRegistered,
  ),
  registration('unknown-field', 'a registration with an additional field', 3, 'optional', isKnown, {
    alter: withUnknownField,
  }),
  {
    id: 'registration/again',
    about: 'a registration that was accepted before, byte for byte',
    weight: 5,
    fits: ({ registrations: count }) => count > 0,
    build: async ({ accepted }) =>
      accepted && {
        request: accepted.request,
        model: { kind: 'registration', form: 'valid', key: accepted.key, isTelling: false },
      },
  },
  {
    id: 'registration/earlier-key',
    about: 'a registration with an earlier key of the user',
    weight: 5,
    fits: ({ exchanges: count }) => count > 1,
    build: async (scene, { detail = 1 }) => {
      const key = scene.keys.at(-1 - detail);
      return (
        key &&
        misuse(
          scene,
          key,
          scene.stored.filter(({ id }) => id !== key.id),
          key.id,
        )
      );
    },
  },
  {
    id: 'registration/other-users-key',
    about: "a registration with another user's key",
    weight: 6,
    fits: ({ exchanges: count, othersHaveKeys }) => count > 0 && othersHaveKeys,
    build: async (scene, { detail = 0 }) => {
      const key = scene.keysOf(detail).at(-1);
      return key && scene.keys.length > 0 ? misuse(scene, key, scene.stored, undefined) : undefined;
    },
  },
  {
    id: 'registration/unknown-user',
    about: 'a registration of a user who never exchanged a key',
    weight: 4,
    fits: ({ exchanges: count }) => count === 0,
    build: async (scene, { detail = 0 }) => {
      if (!scene.isUnknown) return undefined;
      const other = scene.keysOf(detail).at(-1)?.text ?? generatePerUserKey(scene.randomBytes);
      const request = right(scene, other);
      return {
        request,
        model: { kind: 'registration', form: 'valid', key: undefined, isTelling: true },
      };
    },
  },
  {
    id: 'registration/undecryptable-partner-sp',
    about: "a registration with a partner_sp that its key can't decrypt",
    weight: 6,
    fits: isKnown,
    build: async (scene) => tampered(scene, 'undecryptable-partner-sp'),
  },
  {
    id: 'registration/missing-partner-sp',
    about: aboutOf('missing-partner-sp'),
    weight: 3,
    fits: isKnown,
    build: async (scene) => {
      const key = scene.keys.at(-1);
      if (key === undefined) return undefined;
      const { request } = malform('missing-partner-sp', right(scene, key.text));
      return {
        request,
        model: { kind: 'registration', form: 'invalid', key: key.id, isTelling: true },
      };
    },
  },
];

interface Extras {
  readonly userInfo?: string;
  readonly alter?: (right: WireRequest) => WireRequest;
}

function registration(
  name: string,
  about: string,
  weight: number,
  form: 'valid' | 'optional',
  fits: Operation['fits'],
  { userInfo, alter = (request) => request }: Extras = {},
): Operation {
  const build = async (scene: Scene): Promise<Built | undefined> => {
    const key = scene.keys.at(-1);
    if (key === undefined) return undefined;
    const request = alter(right(scene, key.text, userInfo));
    // Under the stored key it is decrypted; under another one only by chance, which is left open.
    return { request, model: { kind: 'registration', form, key: key.id, isTelling: false } };
  };
  return { id: `registration/${name}`, about, weight, fits, build };
}

function right(scene: Scene, key: string, userInfo?: string): WireRequest {
  const superPasscode = Secret.text(newPasscode(scene));
  return registrationRequest({
    ...scene,
    key: Secret.key(key),
    superPasscode,
    userInfo: Secret.optional(userInfo),
  });
}

/** Whole blocks of every cipher, for those that don't pad. */
function newPasscode({ randomBytes }: Scene): string {
  return Buffer.from(randomBytes(36)).toString('base64url');
}

/** A payload under one key that none of the others decrypts, where the cipher can show that. */
function misuse(
  scene: Scene,
  key: SeenKey,
  others: readonly SeenKey[],
  id: KeyId | undefined,
): Built {
  const { cipher, randomBytes } = scene;
  const telling = payloadForOne(
    key.text,
    others.map(({ text }) => text),
    {
      cipher,
      randomBytes,
      newText: () => newPasscode(scene),
      earlier: otherKeys(scene, key),
    },
  );
  const valid = right(scene, key.text);
  const model = {
    kind: 'registration',
    form: 'valid',
    key: id,
    isTelling: telling !== undefined,
  } as const;
  if (telling === undefined) return { request: valid, model };
  const { request } = malform('undecryptable-partner-sp', valid, { partner_sp: telling });
  return { request, model };
}

function otherKeys({ keys }: Scene, key: SeenKey): readonly string[] {
  return keys.flatMap(({ id, text }) => (id === key.id ? [] : [text]));
}

function tampered(scene: Scene, name: MalformedName): Built | undefined {
  const key = scene.keys.at(-1);
  const payload = key && payloadForNone(key.text, { ...scene, earlier: otherKeys(scene, key) });
  if (key === undefined || payload === undefined) return undefined;
  const { request } = malform(name, right(scene, key.text), { partner_sp: payload });
  return {
    request,
    model: { kind: 'registration', form: 'valid', key: undefined, isTelling: true },
  };
}

/** Everything that is sent to an endpoint; the requests are those of `verify`. */
export const operations: readonly Operation[] = [
  ...exchanges,
  ...malformedExchanges,
  ...registrations,
];

const byId = new Map(operations.map((operation) => [operation.id, operation]));

/** The operation of a step; a saved sequence may name one that no longer exists. */
export function findOperation(id: string): Operation | undefined {
  return byId.get(id);
}
