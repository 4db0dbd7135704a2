import type { RandomBytes } from '../bytes.ts';
import type { WireRequest } from '../client/exchange.ts';
import { keyExchangeRequest, registrationRequest } from '../client/signup.ts';
import { unicodeInfo } from '../conformance/checks/registration/unicode-user-info.ts';
import type { KeyPairs } from '../conformance/context.ts';
import {
  aboutMalformed,
  malform,
  malformedNames,
  operationOf,
  withUnknownField,
} from '../conformance/malformed.ts';
import { plainUserInfo } from '../conformance/test-data.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import type { ModelRequest } from './model.ts';
import type { Step } from './sequence.ts';
import { payloadForNone, payloadForOne } from './telling-payload.ts';

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
  readonly keys: readonly string[];
  /** Those that may be the stored one. */
  readonly stored: readonly string[];
  /** No key exchange of the user was ever accepted. */
  readonly isUnknown: boolean;
  /** The last registration of the user that was accepted, and the key that encrypted it. */
  readonly accepted?: { readonly request: WireRequest; readonly key: string };
  readonly keysOf: (user: number) => readonly string[];
}

/** A request, and what the model has to know about it. */
export interface Built {
  readonly request: WireRequest;
  /** Of its `public_key`, where it has one. */
  readonly keyPair?: RsaPrivateKey;
  readonly model: DistributiveOmit<ModelRequest, 'operation' | 'code'>;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export interface Operation {
  readonly id: string;
  /** "a valid key exchange" */
  readonly about: string;
  /** How often it is drawn beside others. */
  readonly weight: number;
  /** What a user must be for it, as far as a drawing of sequences can know. */
  readonly fits: (plan: PlannedUser, othersHaveKeys: boolean) => boolean;
  /** Undefined if it can't be sent now. */
  readonly build: (scene: Scene, step: Step) => Promise<Built | undefined>;
}

/** What a drawing of sequences knows about a user: what a right application would know. */
export interface PlannedUser {
  exchanges: number;
  registrations: number;
  isRegistered: boolean;
  /** Under a key before the latest. */
  wasRegistered: boolean;
}

const always = () => true;
const isKnown = ({ exchanges }: PlannedUser) => exchanges > 0;
const unaltered = (right: WireRequest) => right;

/** What an application should refuse by the interface's silence, and need not (`should` in `verify`). */
const odd = /^(?:client-id-|used-type-|json-)/;

/** Everything that is sent to an endpoint; the requests are those of `verify`. */
export const operations: readonly Operation[] = [
  exchange('valid', '', 60, 'valid'),
  exchange('second-public-key', ' with another public_key', 10, 'valid', 'second'),
  exchange('3072-bits', ' with a public_key of 3072 bits', 3, 'optional', 3072),
  exchange('4096-bits', ' with a public_key of 4096 bits', 2, 'optional', 4096),
  exchange('unknown-field', ' with an additional field', 3, 'optional', 'usual', withUnknownField),
  ...malformedNames
    .filter((name) => operationOf(name) === 'key-exchange')
    .map((name): Operation => {
      const form = odd.test(name) ? 'odd' : 'invalid';
      const alter = (right: WireRequest) => malform(name, right);
      return { ...exchange(name, '', 2, form, 'usual', alter), about: aboutMalformed(name) };
    }),
  registration('latest-key', 'a registration', 40),
  registration('user-info', 'a registration with ubifill', 8, plainUserInfo),
  registration('unicode-user-info', 'a registration with a name outside ASCII', 3, unicodeInfo),
  {
    ...registration('late', 'a registration after callbacks of other users', 6),
    fits: (plan) => isKnown(plan) && !plan.isRegistered,
  },
  {
    id: 'registration/unknown-field',
    about: 'a registration with an additional field',
    weight: 3,
    fits: isKnown,
    build: withLatestKey('optional', (scene, key) => withUnknownField(right(scene, key))),
  },
  {
    id: 'registration/again',
    about: 'a registration that was accepted before, byte for byte',
    weight: 5,
    fits: ({ registrations }) => registrations > 0,
    build: async ({ accepted }) => accepted && registered(accepted.request, accepted.key, false),
  },
  {
    id: 'registration/earlier-key',
    about: 'a registration with an earlier key of the user',
    weight: 5,
    fits: ({ exchanges }) => exchanges > 1,
    build: async (scene, { detail = 1 }) => {
      const key = scene.keys.at(-1 - detail);
      return key === undefined ? undefined : misuse(scene, key, without(key, scene.stored), key);
    },
  },
  {
    id: 'registration/other-users-key',
    about: "a registration with another user's key",
    weight: 6,
    fits: (plan, othersHaveKeys) => isKnown(plan) && othersHaveKeys,
    build: async (scene, { detail = 0 }) => {
      const key = scene.keysOf(detail).at(-1);
      return key && scene.keys.length > 0 ? misuse(scene, key, scene.stored, undefined) : undefined;
    },
  },
  {
    id: 'registration/unknown-user',
    about: 'a registration of a user who never exchanged a key',
    weight: 4,
    fits: ({ exchanges }) => exchanges === 0,
    build: async (scene, { detail = 0 }) => {
      if (!scene.isUnknown) return undefined;
      const other = scene.keysOf(detail).at(-1) ?? generatePerUserKey(scene.randomBytes);
      return registered(right(scene, other), undefined, true);
    },
  },
  {
    id: 'registration/undecryptable-partner-sp',
    about: "a registration with a partner_sp that its key can't decrypt",
    weight: 6,
    fits: isKnown,
    build: async (scene) => {
      const key = scene.keys.at(-1);
      const payload = key && payloadForNone(key, { ...scene, earlier: without(key, scene.keys) });
      if (key === undefined || payload === undefined) return undefined;
      return registered(undecryptable(right(scene, key), payload), undefined, true);
    },
  },
  {
    id: 'registration/missing-partner-sp',
    about: aboutMalformed('missing-partner-sp'),
    weight: 3,
    fits: isKnown,
    build: withLatestKey('invalid', (scene, key) =>
      malform('missing-partner-sp', right(scene, key)),
    ),
  },
];

const byId = new Map(operations.map((operation) => [operation.id, operation]));

/** The operation of a step; a saved sequence may name one that no longer exists. */
export function findOperation(id: string): Operation | undefined {
  return byId.get(id);
}

function exchange(
  name: string,
  how: string,
  weight: number,
  form: 'valid' | 'optional' | 'odd' | 'invalid',
  pair: Parameters<KeyPairs>[0] = 'usual',
  alter = unaltered,
): Operation {
  const build = async ({ url, clientId, ptnCd, keyPairs }: Scene): Promise<Built> => {
    const keyPair = await keyPairs(pair);
    const request = alter(keyExchangeRequest({ url, clientId, ptnCd, keyPair }));
    return { request, keyPair, model: { kind: 'key-exchange', form } };
  };
  const about = `a key exchange${how}`;
  return { id: `key-exchange/${name}`, about, weight, fits: always, build };
}

function registration(name: string, about: string, weight: number, userInfo?: string): Operation {
  const build = withLatestKey('valid', (scene, key) => right(scene, key, userInfo));
  return { id: `registration/${name}`, about, weight, fits: isKnown, build };
}

/** Under the stored key it is decrypted; under another one only by chance, which is left open. */
function withLatestKey(
  form: 'valid' | 'optional' | 'invalid',
  make: (scene: Scene, key: string) => WireRequest,
): Operation['build'] {
  return async (scene) => {
    const key = scene.keys.at(-1);
    if (key === undefined) return undefined;
    return registered(make(scene, key), key, form === 'invalid', form);
  };
}

function registered(
  request: WireRequest,
  key: string | undefined,
  isTelling: boolean,
  form: 'valid' | 'optional' | 'invalid' = 'valid',
): Built {
  return { request, model: { kind: 'registration', form, key, isTelling } };
}

function right(scene: Scene, key: string, userInfo?: string): WireRequest {
  const superPasscode = Secret.text(newPasscode(scene));
  const secrets = { key: Secret.key(key), superPasscode, userInfo: Secret.optional(userInfo) };
  return registrationRequest({ ...scene, ...secrets });
}

/** Whole blocks of every cipher, for those that don't pad. */
function newPasscode({ randomBytes }: Scene): string {
  return Buffer.from(randomBytes(36)).toString('base64url');
}

/** A payload under one key, `own` where it is the user's, that none of the others decrypts, where the cipher can show that. */
function misuse(
  scene: Scene,
  key: string,
  others: readonly string[],
  own: string | undefined,
): Built {
  const { cipher, randomBytes } = scene;
  const newText = () => newPasscode(scene);
  const drawing = { cipher, randomBytes, newText, earlier: without(key, scene.keys) };
  const telling = payloadForOne(key, others, drawing);
  const valid = right(scene, key);
  return telling === undefined
    ? registered(valid, own, false)
    : registered(undecryptable(valid, telling), own, true);
}

function undecryptable(valid: WireRequest, payload: string): WireRequest {
  return malform('undecryptable-partner-sp', valid, { partner_sp: payload });
}

function without(key: string, keys: readonly string[]): readonly string[] {
  return keys.filter((each) => each !== key);
}
