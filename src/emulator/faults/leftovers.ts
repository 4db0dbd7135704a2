import { decodeUtf8 } from '../../bytes.ts';
import { decryptPayload } from '../../crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../../crypto/per-user-key.ts';
import { Secret } from '../../crypto/secret.ts';
import type { User } from '../../protocol/user.ts';
import type { EmulatorResponse } from '../http.ts';
import {
  type ApplicationPoints,
  byExplore,
  defineApplicationFaults,
  type Hooks,
  recall,
  type Situation,
  sentIn,
} from './points.ts';
import { afterwards, countOf, forgets, isAccepted, remembered } from './sequences.ts';

/** What a request leaves behind in a variable becomes part of a later one. */
const mixedUsers = defineApplicationFaults({ check: byExplore, diagnosis: 'shared-state' })({
  'key-of-failed-registration': {
    title: 'Decrypts with the key of the user whose registration it could not decrypt before',
    steps: 4,
    diagnosis: 'stale-key',
    apply: {
      foundUser: (right, seen) => {
        const failed = recall(seen, 'failed registration', () => ({ user: undefined as Found }));
        const { user } = failed;
        failed.user = undefined;
        return right && user ? { ...right, key: user.key } : right;
      },
      response: afterwards((seen) => {
        if (seen.refusal?.name !== 'undecryptable') return;
        recall(seen, 'failed registration', () => ({ user: undefined as Found })).user = seen.user;
      }),
    },
  },
  'leftover-user-info': {
    title: 'Decrypts the ubifill of the registration before where a registration has none',
    steps: 4,
    diagnosis: 'code-not-success',
    apply: { foundUser: (right, seen) => (right && unreadableLeftover(right, seen)) ?? right },
  },
  'registration-ends-last-key': {
    title: 'Deletes the user who exchanged a key last when another user registers',
    steps: 4,
    apply: forgets('ended by a registration', (seen) => {
      const last = recall(seen, 'last with a key', () => ({ ptnCd: '' }));
      if (isAccepted(seen, 'key-exchange')) last.ptnCd = seen.ptnCd ?? '';
      const isOther = isAccepted(seen, 'registration') && last.ptnCd !== seen.ptnCd;
      return isOther ? [last.ptnCd] : [];
    }),
  },
  'refusal-comes-twice': {
    title: 'Responds to the request after a refused one of the same user with that refusal again',
    steps: 2,
    diagnosis: 'code-not-success',
    apply: { response: (right, seen) => lastRefusal(seen, right) ?? right },
  },
});

type Found = Situation['user'];

/** Requests that must be refused are accepted after others. */
const tooLenient = defineApplicationFaults({ check: byExplore, diagnosis: 'accepted-bad-input' })({
  'unknown-user-gets-last-key': {
    title: 'Decrypts with the key of the latest key exchange where the user is unknown',
    steps: 2,
    apply: {
      ...lastUser((right, last) => right ?? last),
    },
  },
  'unknown-user-after-success': {
    title: 'Accepts the registration of an unknown user after one that succeeded',
    steps: 3,
    apply: acceptsAfter('unknown-user', (before) => before === 'registration'),
  },
  'undecryptable-after-refusal': {
    title: 'Accepts an undecryptable registration after another one of the same user',
    steps: 3,
    apply: {
      refusal: (right, seen) =>
        right?.name === 'undecryptable' && countOf(seen, 'undecryptable', seen.ptnCd) > 1
          ? undefined
          : right,
    },
  },
  'undecryptable-once-registered': {
    title: 'Accepts any partner_sp of a user who is registered',
    steps: 3,
    apply: {
      refusal: (right, { user }) =>
        right?.name === 'undecryptable' && user?.superPasscode !== undefined ? undefined : right,
    },
  },
  'key-of-last-user-fits': {
    title: 'Tries the key of the latest key exchange where that of the user does not fit',
    steps: 3,
    apply: lastUser((right, last, seen) =>
      right && last && !fits(right, seen) && fits(last, seen) ? { ...right, key: last.key } : right,
    ),
  },
  'leftover-public-key': {
    title: 'Uses the public_key of the previous request where a key exchange has none',
    steps: 2,
    apply: acceptsAfter('field-missing', (before) => before === 'key-exchange', 'key-exchange'),
  },
  'leftover-passcode': {
    title: 'Uses the partner_sp of the registration before where a registration has none',
    steps: 3,
    apply: acceptsAfter('field-missing', (before) => before === 'registration', 'registration'),
  },
  'client-checked-once': {
    title: 'Checks the client_id of a user only in the first request',
    steps: 2,
    apply: {
      refusal: (right, seen) =>
        right?.name === 'foreign-client' && remembered(seen, 'checked').has(seen.ptnCd ?? '')
          ? undefined
          : right,
      response: afterwards((seen) => {
        if (seen.refusal === undefined) remembered(seen, 'checked').add(seen.ptnCd ?? '');
      }),
    },
  },
});

/** Faults in what is left of earlier requests. */
export const leftoverFaults = [...mixedUsers, ...tooLenient];

/** The user with a wrong key, where the leftover can't be decrypted with the right one. */
function unreadableLeftover(user: User, seen: Situation): User | undefined {
  const leftover = recall(seen, 'leftover ubifill', () => ({ text: '' }));
  const { ubifill } = sentIn(seen);
  if (typeof ubifill === 'string') leftover.text = ubifill;
  const read = decryptPayload(leftover.text, user.key.reveal(), seen.cipher);
  // Of another key, a padding fits once in 256 times, and what is left is not text.
  const isFit = leftover.text === '' || (read.ok && decodeUtf8(read.plaintext) !== undefined);
  return isFit ? undefined : { ...user, key: Secret.key(generatePerUserKey(seen.randomBytes)) };
}

/** The refusal that the user's request before had; it comes once more. */
function lastRefusal(seen: Situation, response: EmulatorResponse): EmulatorResponse | undefined {
  const refusals = recall(seen, 'refusals', () => new Map<string, EmulatorResponse>());
  const { ptnCd = '' } = seen;
  const before = refusals.get(ptnCd);
  refusals.delete(ptnCd);
  if (before === undefined && seen.refusal !== undefined) refusals.set(ptnCd, response);
  return before;
}

/** Accepts what is refused under `name` where the request before was an accepted one of some kind. */
function acceptsAfter(
  name: string,
  isAfter: (before: Situation['operation']) => boolean,
  only?: Situation['operation'],
): Hooks<ApplicationPoints> {
  const last = (seen: Situation) =>
    recall(seen, `before ${name}`, () => ({ accepted: undefined as Situation['operation'] }));
  return {
    refusal: (right, seen) =>
      right?.name === name &&
      isAfter(last(seen).accepted) &&
      (only === undefined || seen.operation === only)
        ? undefined
        : right,
    response: afterwards((seen) => {
      last(seen).accepted = seen.refusal === undefined ? seen.operation : undefined;
    }),
  };
}

/** Changes the user whom a registration finds, knowing the user of the latest key exchange. */
function lastUser(
  change: (right: User | undefined, last: User | undefined, seen: Situation) => User | undefined,
): Hooks<ApplicationPoints> {
  const last = (seen: Situation) =>
    recall(seen, 'last stored', () => ({ user: undefined as User | undefined }));
  return {
    storedUser: (right, seen) => {
      last(seen).user = right;
      return right;
    },
    foundUser: (right, seen) => change(right, last(seen).user, seen),
  };
}

function fits({ key }: User, seen: Situation): boolean {
  const { partner_sp: payload } = sentIn(seen);
  return typeof payload === 'string' && decryptPayload(payload, key.reveal(), seen.cipher).ok;
}
