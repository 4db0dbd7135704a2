import { decodeUtf8, encodeUtf8 } from '../../bytes.ts';
import { decryptPayload } from '../../crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../../crypto/per-user-key.ts';
import { Secret } from '../../crypto/secret.ts';
import type { DiagnosisCode } from '../../errors.ts';
import { Recent } from '../../latest-results.ts';
import type { User } from '../../protocol/user.ts';
import { type Operation, refusal } from '../handling.ts';
import { type EmulatorResponse, jsonResponse } from '../http.ts';
import { type ApplicationRefusal, applicationCodes } from '../refusals.ts';
import {
  type ApplicationPoints,
  byExplore,
  countOf,
  defineFaults,
  type FaultTable,
  type Hooks,
  type KeyExchangeSituation,
  type ResponsePoints,
  recall,
  type Situation,
  sentIn,
} from './points.ts';

/** User codes that differ little are taken for the same: beyond what `verify` sends. */
const nearCodeFaults = defineSequenceFaults('shared-state', {
  'trims-user-code': { userCode: (code) => code.trim() },
  'user-code-as-number': {
    userCode: (code) => (/^\d+$/.test(code) ? code.replace(/^0+(?=.)/, '') : code),
  },
  'folds-width': { userCode: (code) => code.normalize('NFKC') },
  'drops-invisible-characters': { userCode: (code) => code.replace(/\p{Cf}/gu, '') },
  'user-code-url-decoded': { userCode: (code) => code.replaceAll('+', ' ') },
  'user-code-as-pattern': findsByPattern(),
});

/** The first user stored whose code matches; a user is stored under the code that is in the request. */
function findsByPattern(): Hooks<ApplicationPoints> {
  return {
    userCode: (right, seen) => {
      const stored = recall(seen, 'codes in their order', () => new Set<string>());
      if (seen.operation === 'key-exchange') stored.add(right);
      if (seen.operation !== 'registration' || !right.includes('_')) return right;
      return [...stored].find((code) => matches(right, code)) ?? right;
    },
  };
}

function matches(pattern: string, code: string): boolean {
  return (
    pattern.length === code.length &&
    [...pattern].every((character, at) => character === '_' || character === code[at])
  );
}

/** Users whose key is gone although they exchanged one: their registration is refused. */
const lostUserFaults = defineSequenceFaults('code-not-success', {
  'keeps-three-users': { ...keepsLatest(3), diagnosis: 'shared-state' },
  'keeps-eight-users': { ...keepsLatest(8), diagnosis: 'shared-state' },
  'keeps-fifty-users': { ...keepsLatest(50), diagnosis: 'shared-state' },
  'bad-registration-deletes-user': forgets(
    'deleted by bad registration',
    refusedAs('undecryptable'),
  ),
  'bad-registrations-delete-user': forgets('deleted by bad registrations', (seen) => {
    const [ptnCd] = refusedAs('undecryptable')(seen);
    const last = replaced(seen, 'last undecryptable', ptnCd);
    return ptnCd !== undefined && last === ptnCd ? [ptnCd] : [];
  }),
  'bad-key-exchange-deletes-user': forgets('deleted by bad key exchange', refusedAs('public-key')),
  'foreign-client-deletes-user': forgets('deleted by foreign client', refusedAs('foreign-client')),
  'registration-forgets-waiting-users': {
    ...forgets('forgotten while waiting', (seen) => {
      const waiting = remembered(seen, 'waiting for registration');
      if (isAccepted(seen, 'key-exchange')) waiting.add(seen.ptnCd ?? '');
      if (!isAccepted(seen, 'registration')) return [];
      waiting.delete(seen.ptnCd ?? '');
      const lost = [...waiting];
      waiting.clear();
      return lost;
    }),
    diagnosis: 'shared-state',
  },
  'remembers-unknown-users': {
    foundUser: (right, seen) =>
      remembered(seen, 'unknown').has(seen.ptnCd ?? '') ? undefined : right,
    response: afterwards((seen) => {
      for (const ptnCd of refusedAs('unknown-user')(seen)) remembered(seen, 'unknown').add(ptnCd);
    }),
  },
});

/** The user of a request that was refused so. */
function refusedAs(name: ApplicationRefusal) {
  return ({ ptnCd, refusal }: Situation): readonly string[] =>
    ptnCd !== undefined && refusal?.name === name ? [ptnCd] : [];
}

/** The users are in the order of their latest key exchanges. */
function keepsLatest(size: number): Hooks<ApplicationPoints> {
  const kept = (seen: Situation) =>
    recall(seen, `the ${size} latest users`, () => new Recent<string, true>(size));
  return {
    storedUser: (right, seen) => {
      kept(seen).delete(seen.ptnCd);
      kept(seen).set(seen.ptnCd, true);
      return right;
    },
    foundUser: (right, seen) => (right && kept(seen).has(right.ptnCd) ? right : undefined),
  };
}

/** A key exchange returns a new key, and the user keeps the one before: its registration is refused. */
const lostKeyFaults = defineSequenceFaults('stale-key', {
  'keeps-second-key': keepsOldKey((seen) => countOf(seen, 'keys until the second', seen.ptnCd) > 2),
  'keeps-sixth-key': keepsOldKey((seen) => countOf(seen, 'keys until the sixth', seen.ptnCd) > 6),
  'loses-every-fourth-key': keepsOldKey(
    (seen) => countOf(seen, 'keys of a user', seen.ptnCd) % 4 === 0,
  ),
  // Which one it is depends on everything before: three users in a row always include one.
  'loses-every-third-key': keepsOldKey((seen) => countOf(seen, 'keys of all') % 3 === 0),
  'returning-public-key-restores-key': restoresKeyOfPublicKey(),
  'other-key-size-keeps-key': keepsOldKey((seen) => {
    const { modulusBits } = seen.publicKey;
    const before = replaced(seen, `size of the public key of ${seen.ptnCd}`, modulusBits);
    return ![undefined, modulusBits].includes(before);
  }),
  'keeps-key-of-second-sign-up': keepsKeyAfterSignUps(2),
  'user-info-keeps-key': {
    ...keepsOldKey((seen) => remembered(seen, 'with ubifill').has(seen.ptnCd)),
    response: afterwards((seen) => {
      if (!isAccepted(seen, 'registration') || sentIn(seen).ubifill === undefined) return;
      remembered(seen, 'with ubifill').add(seen.ptnCd ?? '');
    }),
  },
  'returning-user-keeps-key': keepsOldKey((seen) => {
    const last = replaced(seen, 'last to exchange a key', seen.ptnCd);
    return seen.user !== undefined && ![undefined, seen.ptnCd].includes(last);
  }),
  'bad-key-exchange-loses-next': {
    ...keepsOldKey((seen) => remembered(seen, 'with a bad public_key').delete(seen.ptnCd)),
    response: afterwards((seen) => {
      if (seen.refusal?.name !== 'public-key') return;
      remembered(seen, 'with a bad public_key').add(seen.ptnCd ?? '');
    }),
    diagnosis: 'code-not-success',
  },
});

/** The one of the first time, once another public key came between. */
function restoresKeyOfPublicKey(): Hooks<ApplicationPoints> {
  return {
    storedUser: (right, seen) => {
      const { fingerprint } = seen.publicKey;
      const before = replaced(seen, `public key of ${seen.ptnCd}`, fingerprint);
      const isBack = ![undefined, fingerprint].includes(before);
      const key = right && recall(seen, `key of ${fingerprint} of ${seen.ptnCd}`, () => right.key);
      return right && key && isBack && key !== right.key ? { ...right, key } : right;
    },
  };
}

/** A sign-up is a registration after a key exchange: a second one under the same key is not. */
function keepsKeyAfterSignUps(most: number): Hooks<ApplicationPoints> {
  const signUps = (seen: Situation) =>
    recall(seen, `sign-ups of ${seen.ptnCd}`, () => ({ done: 0, hasKey: false }));
  return {
    ...keepsOldKey((seen) => {
      signUps(seen).hasKey = true;
      return signUps(seen).done >= most;
    }),
    response: afterwards((seen) => {
      const signUp = signUps(seen);
      if (!isAccepted(seen, 'registration') || !signUp.hasKey) return;
      signUp.done += 1;
      signUp.hasKey = false;
    }),
  };
}

/** What a request leaves behind in a variable becomes part of a later one. */
const mixedUsers = defineSequenceFaults('shared-state', {
  'key-of-failed-registration': {
    foundUser: (right, seen) => {
      const user = replaced<Situation['user']>(seen, 'user of a failed registration', undefined);
      return right && user ? { ...right, key: user.key } : right;
    },
    response: afterwards((seen) => {
      if (seen.refusal?.name === 'undecryptable')
        seen.memory.set('user of a failed registration', seen.user);
    }),
    diagnosis: 'stale-key',
  },
  'leftover-user-info': {
    foundUser: (right, seen) => (right && unreadableLeftover(right, seen)) ?? right,
    diagnosis: 'code-not-success',
  },
  'registration-ends-last-key': forgets('ended by a registration', (seen) => {
    if (isAccepted(seen, 'key-exchange')) seen.memory.set('last with a key', seen.ptnCd);
    const last = recall(seen, 'last with a key', () => '');
    return isAccepted(seen, 'registration') && last !== seen.ptnCd ? [last] : [];
  }),
  'refusal-comes-twice': {
    response: (right, seen) => lastRefusal(seen, right) ?? right,
    diagnosis: 'code-not-success',
  },
});

/** Requests that must be refused are accepted after others. */
const tooLenient = defineSequenceFaults('accepted-bad-input', {
  'unknown-user-gets-last-key': lastUser((right, last) => right ?? last),
  'unknown-user-after-success': acceptsAfter('registration', 'unknown-user'),
  'undecryptable-after-refusal': {
    refusal: (right, seen) =>
      right?.name === 'undecryptable' && countOf(seen, 'undecryptable', seen.ptnCd) > 1
        ? undefined
        : right,
  },
  'undecryptable-once-registered': {
    refusal: (right, { user }) =>
      right?.name === 'undecryptable' && user?.superPasscode !== undefined ? undefined : right,
  },
  'key-of-last-user-fits': lastUser((right, last, seen) =>
    right && last && !fits(right, seen) && fits(last, seen) ? { ...right, key: last.key } : right,
  ),
  'leftover-public-key': acceptsAfter('key-exchange', 'field-missing'),
  'leftover-passcode': acceptsAfter('registration', 'field-missing'),
  'client-checked-once': {
    refusal: (right, seen) =>
      right?.name === 'foreign-client' && remembered(seen, 'checked').has(seen.ptnCd ?? '')
        ? undefined
        : right,
    response: afterwards((seen) => {
      if (seen.refusal === undefined) remembered(seen, 'checked').add(seen.ptnCd ?? '');
    }),
  },
});

const leftoverFaults = [...mixedUsers, ...tooLenient];

/** The user with a wrong key, where the leftover can't be decrypted with the right one. */
function unreadableLeftover(user: User, seen: Situation): User | undefined {
  const { ubifill } = sentIn(seen);
  if (typeof ubifill === 'string') seen.memory.set('leftover ubifill', ubifill);
  const leftover = recall(seen, 'leftover ubifill', () => '');
  const read = decryptPayload(leftover, user.key.reveal(), seen.cipher);
  // Of another key, a padding fits once in 256 times, and what is left is not text.
  const isFit = leftover === '' || (read.ok && decodeUtf8(read.plaintext) !== undefined);
  return isFit ? undefined : { ...user, key: Secret.key(generatePerUserKey(seen.randomBytes)) };
}

/** The refusal that the user's request before had; it comes once more. */
function lastRefusal(seen: Situation, response: EmulatorResponse): EmulatorResponse | undefined {
  const name = `refusal of ${seen.ptnCd}`;
  const before = replaced<EmulatorResponse | undefined>(seen, name, undefined);
  if (before === undefined && seen.refusal !== undefined) seen.memory.set(name, response);
  return before;
}

/** Accepts what is refused under `name` where the request before was an accepted one of the same kind. */
function acceptsAfter(kind: Operation, name: ApplicationRefusal): Hooks<ApplicationPoints> {
  const last = `accepted before ${name}`;
  return {
    refusal: (right, seen) => {
      const isAfter = seen.memory.get(last) === kind && seen.operation === kind;
      return right?.name === name && isAfter ? undefined : right;
    },
    response: afterwards(({ memory, refusal, operation }) => {
      memory.set(last, refusal === undefined ? operation : undefined);
    }),
  };
}

/** Changes the user whom a registration finds, knowing the user of the latest key exchange. */
function lastUser(
  change: (right: User | undefined, last: User | undefined, seen: Situation) => User | undefined,
): Hooks<ApplicationPoints> {
  return {
    storedUser: (right, seen) => {
      seen.memory.set('last stored', right);
      return right;
    },
    foundUser: (right, seen) => change(right, seen.memory.get('last stored') as typeof right, seen),
  };
}

function fits({ key }: User, seen: Situation): boolean {
  const { partner_sp: payload } = sentIn(seen);
  return typeof payload === 'string' && decryptPayload(payload, key.reveal(), seen.cipher).ok;
}

/** What is stored with a connection and not with a user; a caller that keeps connections open sees it. */
export const connectionFaults = defineSequenceFaults('shared-state', {
  'connection-keeps-registered-user': {
    foundUser: (right, seen) => {
      const first = right && recall(seen, `first user of ${seen.request.connection}`, () => right);
      return right && first && first.ptnCd !== right.ptnCd ? { ...right, key: first.key } : right;
    },
  },
  'connection-caches-key': {
    storedUser: (right, seen) => {
      if (right) seen.memory.set(nameInCache(right, seen), right.key);
      return right;
    },
    foundUser: (right, seen) => {
      const key = right && (seen.memory.get(nameInCache(right, seen)) as Secret | undefined);
      return right && key && !key.equals(right.key) ? { ...right, key } : right;
    },
    diagnosis: 'stale-key',
  },
  'refusal-poisons-connection': {
    response: (right, seen) => {
      const refused = remembered(seen, 'connections with a refusal');
      const connection = `${seen.request.connection}`;
      if (seen.refusal !== undefined) refused.add(connection);
      else if (refused.has(connection)) return poisoned;
      return right;
    },
  },
  'connection-loses-fourth-key': {
    ...keepsOldKey((seen) => countOf(seen, `keys over ${seen.request.connection}`) === 4),
    diagnosis: 'stale-key',
  },
});

const poisoned = jsonResponse(500, encodeUtf8('{"code":"A999","message":"internal error"}'));

function nameInCache({ ptnCd }: User, { request }: Situation): string {
  return `key of ${ptnCd} over ${request.connection}`;
}

/** Two requests that are handled at the same time disturb each other. */
const raceFaults = defineSequenceFaults('shared-state', {
  'race-loses-user': {
    storedUser: (right, seen) => {
      const lost = remembered(seen, 'lost in a race');
      lost.delete(seen.ptnCd);
      for (const { ptnCd } of besides(seen, 'store', right)) {
        if (ptnCd !== undefined && ptnCd !== seen.ptnCd) lost.add(ptnCd);
      }
      return right;
    },
    foundUser: (right, seen) =>
      right && remembered(seen, 'lost in a race').has(right.ptnCd) ? undefined : right,
    response: late,
  },
  'race-restores-key': {
    storedUser: (right, seen) => {
      const before = besides(seen, 'restore', right, seen.user?.key).find(
        ({ ptnCd, operation }) => ptnCd === seen.ptnCd && operation === 'registration',
      );
      return right && before?.key ? { ...right, key: before.key } : right;
    },
    foundUser: (right, seen) => {
      const before = besides(seen, 'restore', right).find(
        ({ ptnCd, operation }) => ptnCd === seen.ptnCd && operation === 'key-exchange',
      );
      return right && before?.key ? { ...right, key: before.key } : right;
    },
    response: late,
    diagnosis: 'stale-key',
  },
  'race-mixes-registrations': {
    foundUser: (right, seen) => {
      const other = besides(seen, 'mix', right).find(({ ptnCd }) => ptnCd !== seen.ptnCd);
      return right && other?.key ? { ...right, key: other.key } : right;
    },
    response: late,
  },
  'race-tears-key': {
    storedUser: (right, seen) => {
      const other = besides(seen, 'tear', right).find(({ ptnCd }) => ptnCd === seen.ptnCd);
      if (!right || !other?.key) return right;
      const torn = other.key.reveal().slice(0, 16) + right.key.reveal().slice(16);
      return { ...right, key: Secret.key(torn) };
    },
    response: late,
  },
  'race-shares-response': {
    encPartnerKey: (right, seen) => {
      const { ptnCd, now } = seen;
      const none = { text: right, ptnCd, until: 0 };
      const before = recall(seen, 'shared response', () => none);
      if (before.until > now && before.ptnCd !== ptnCd) return before.text;
      seen.memory.set('shared response', { ...none, until: now + windowMs });
      return right;
    },
    response: late,
    diagnosis: 'key-repeated',
  },
  'race-refuses-second': {
    refusal: (right, seen) =>
      right === undefined && besides(seen, 'refuse', undefined).length > 0 ? busy : right,
    response: late,
    diagnosis: 'code-not-success',
  },
});

const busy = refusal(applicationCodes, 'field-type', 'Another request is being handled.');

interface UnderWay extends Pick<Situation, 'ptnCd' | 'operation'> {
  readonly until: number;
  /** What a registration decrypts with, and what a key exchange stores or replaces. */
  readonly key: Secret | undefined;
}

/** The requests under way beside this one, which is under way from now on. */
function besides(
  seen: Situation,
  name: string,
  user: User | undefined,
  key = user?.key,
): readonly UnderWay[] {
  const { memory, now, ptnCd, operation } = seen;
  const all = recall<readonly UnderWay[]>(seen, `under way: ${name}`, () => []);
  const others = all.filter(({ until }) => until > now);
  memory.set(`under way: ${name}`, [...others, { ptnCd, operation, key, until: now + windowMs }]);
  return others;
}

function defineSequenceFaults(usual: DiagnosisCode, rows: FaultTable[string]) {
  return defineFaults(usual, { [byExplore]: rows });
}

/** What only sequences of requests show, which `explore` sends; each remembers under a name of its own. */
export const sequenceFaults = [
  ...lostUserFaults,
  ...lostKeyFaults,
  ...leftoverFaults,
  ...nearCodeFaults,
  ...connectionFaults,
  ...raceFaults,
];

type ResponseHook = NonNullable<Hooks<ResponsePoints>['response']>;

/** Passes every response on, after `note` has seen what became of the request. */
function afterwards(note: (seen: Situation) => void): ResponseHook {
  return (right, seen) => {
    note(seen);
    return right;
  };
}

/** What was remembered under `name` until now; from now on it is `value`. */
function replaced<Value>({ memory }: Situation, name: string, value: Value): Value | undefined {
  const before = memory.get(name) as Value | undefined;
  memory.set(name, value);
  return before;
}

function remembered(seen: Situation, name: string): Set<string> {
  return recall(seen, name, () => new Set<string>());
}

/** Forgets users after the calls in which `losses` names them; a key exchange makes one known again. */
function forgets(
  name: string,
  losses: (seen: Situation) => readonly string[],
): Hooks<ApplicationPoints> {
  return {
    storedUser: (right, seen) => {
      remembered(seen, name).delete(seen.ptnCd);
      return right;
    },
    foundUser: (right, seen) =>
      right && remembered(seen, name).has(right.ptnCd) ? undefined : right,
    response: afterwards((seen) => {
      for (const ptnCd of losses(seen)) remembered(seen, name).add(ptnCd);
    }),
  };
}

/** Returns the new key of a key exchange, and keeps what was stored before, where it `isLost`. */
function keepsOldKey(isLost: (seen: KeyExchangeSituation) => boolean): Hooks<ApplicationPoints> {
  return {
    storedUser: (right, seen) =>
      right && isLost(seen) ? seen.user && { ...right, key: seen.user.key } : right,
  };
}

/** Whether the request was a registration, or a key exchange, that was accepted. */
function isAccepted({ operation, refusal }: Situation, wanted: Situation['operation']) {
  return operation === wanted && refusal === undefined;
}

/** How long a request counts as under way, in milliseconds; its response comes later than that. */
const windowMs = 10;

/** Delays a response until the request is not under way any more. */
function late(response: EmulatorResponse): EmulatorResponse {
  return { ...response, delivery: { ...response.delivery, delayMs: windowMs + 5 } };
}
