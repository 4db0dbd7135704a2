import type { WireRequest } from '../client/exchange.ts';
import { registrationRequest } from '../client/signup.ts';
import { unicodeInfo } from '../conformance/checks/registration/unicode-user-info.ts';
import { type MalformedName, malform, withUnknownField } from '../conformance/malformed.ts';
import { plainUserInfo } from '../conformance/test-data.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import { Secret } from '../crypto/secret.ts';
import type { KeyId } from './model/state.ts';
import {
  aboutOf,
  type Built,
  type Operation,
  type PlannedUser,
  type Scene,
  type SeenKey,
} from './operation.ts';
import { payloadForNone, payloadForOne } from './telling-payload.ts';

const isKnown = ({ exchanges }: PlannedUser) => exchanges > 0;

/** Registrations, valid and malformed, with the latest key of the user and with others. */
export const registrationOperations: readonly Operation[] = [
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
