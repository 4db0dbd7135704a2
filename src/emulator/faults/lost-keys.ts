import type { Secret } from '../../crypto/secret.ts';
import {
  type ApplicationPoints,
  byExplore,
  defineApplicationFaults,
  type Hooks,
  recall,
  type Situation,
  sentIn,
} from './points.ts';
import { afterwards, countOf, isAccepted, keepsOldKey, remembered } from './sequences.ts';

/** A key exchange returns a new key, and the user keeps the one before: its registration is refused. */
export const lostKeyFaults = defineApplicationFaults({
  check: byExplore,
  diagnosis: 'stale-key',
})({
  'keeps-second-key': {
    title: "Keeps a user's second key for ever, and returns new ones",
    steps: 4,
    apply: keepsOldKey((seen) => countOf(seen, 'keys until the second', seen.ptnCd) > 2),
  },
  'keeps-sixth-key': {
    title: "Keeps a user's sixth key for ever, and returns new ones",
    steps: 8,
    apply: keepsOldKey((seen) => countOf(seen, 'keys until the sixth', seen.ptnCd) > 6),
  },
  'loses-every-fourth-key': {
    title: 'Does not store every fourth key of a user',
    steps: 5,
    apply: keepsOldKey((seen) => countOf(seen, 'keys of a user', seen.ptnCd) % 4 === 0),
  },
  // Which one it is depends on everything before: three users in a row always include one.
  'loses-every-third-key': {
    title: 'Does not store every third key, whoever exchanges it',
    steps: 6,
    apply: keepsOldKey((seen) => countOf(seen, 'keys of all') % 3 === 0),
  },
  'returning-public-key-restores-key': {
    title: 'Restores the key of the time when a user had the same public_key, then another',
    steps: 4,
    apply: restoresKeyOfPublicKey(),
  },
  'other-key-size-keeps-key': {
    title: 'Does not store the new key where the public_key is larger or smaller than before',
    steps: 3,
    apply: keepsOldKey((seen) => {
      const sizes = recall(seen, 'sizes of public keys', () => new Map<string, number>());
      const before = sizes.get(seen.ptnCd);
      sizes.set(seen.ptnCd, seen.publicKey.modulusBits);
      return before !== undefined && before !== seen.publicKey.modulusBits;
    }),
  },
  'keeps-key-of-second-sign-up': {
    title: 'Keeps the key of users who have registered twice, and returns new ones',
    steps: 6,
    apply: keepsKeyAfterSignUps(2),
  },
  'user-info-keeps-key': {
    title: 'Keeps the key of users who registered with ubifill, and returns new ones',
    steps: 4,
    apply: {
      ...keepsOldKey((seen) => remembered(seen, 'with ubifill').has(seen.ptnCd)),
      response: afterwards((seen) => {
        if (!isAccepted(seen, 'registration') || sentIn(seen).ubifill === undefined) return;
        remembered(seen, 'with ubifill').add(seen.ptnCd ?? '');
      }),
    },
  },
  'returning-user-keeps-key': {
    title: 'Does not store the key of a user who comes again after another user',
    steps: 4,
    apply: keepsOldKey((seen) => {
      const last = recall(seen, 'last to exchange a key', () => ({ ptnCd: seen.ptnCd }));
      const isReturning = seen.user !== undefined && last.ptnCd !== seen.ptnCd;
      last.ptnCd = seen.ptnCd;
      return isReturning;
    }),
  },
  'bad-key-exchange-loses-next': {
    title: 'Does not store the key after a key exchange with an invalid public_key',
    steps: 3,
    diagnosis: 'code-not-success',
    apply: {
      ...keepsOldKey((seen) => remembered(seen, 'with a bad public_key').delete(seen.ptnCd)),
      response: afterwards((seen) => {
        if (seen.refusal?.name !== 'public-key') return;
        remembered(seen, 'with a bad public_key').add(seen.ptnCd ?? '');
      }),
    },
  },
});

/** The one of the first time, once another public key came between. */
function restoresKeyOfPublicKey(): Hooks<ApplicationPoints> {
  return {
    storedUser: (right, seen) => {
      const first = recall(seen, 'first keys of public keys', () => new Map<string, Secret>());
      const last = recall(seen, 'last public keys', () => new Map<string, string>());
      const { fingerprint } = seen.publicKey;
      const isBack = ![undefined, fingerprint].includes(last.get(seen.ptnCd));
      last.set(seen.ptnCd, fingerprint);
      const name = `${fingerprint} of ${seen.ptnCd}`;
      const key = first.get(name);
      if (right && key === undefined) first.set(name, right.key);
      return right && key && isBack ? { ...right, key } : right;
    },
  };
}

/** A sign-up is a registration after a key exchange: a second one under the same key is not. */
function keepsKeyAfterSignUps(most: number): Hooks<ApplicationPoints> {
  const signUps = (seen: Situation) =>
    recall(seen, 'sign-ups', () => new Map<string, { done: number; hasKey: boolean }>());
  return {
    ...keepsOldKey((seen) => {
      const { done } = signUps(seen).get(seen.ptnCd) ?? { done: 0 };
      signUps(seen).set(seen.ptnCd, { done, hasKey: true });
      return done >= most;
    }),
    response: afterwards((seen) => {
      const signUp = signUps(seen).get(seen.ptnCd ?? '');
      if (!isAccepted(seen, 'registration') || !signUp?.hasKey) return;
      signUp.done += 1;
      signUp.hasKey = false;
    }),
  };
}
