import { decodeUtf8, encodeUtf8 } from '../../bytes.ts';
import { decryptPayload } from '../../crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../../crypto/per-user-key.ts';
import type { DiagnosisCode } from '../../errors.ts';
import { Recent } from '../../latest-results.ts';
import { type Operation, refusal } from '../handling.ts';
import { jsonResponse } from '../http.ts';
import { type ApplicationRefusal, applicationCodes } from '../refusals.ts';
import { afterwards, counter, laterThan, overlapping } from './edit.ts';
import {
  type ApplicationPoints,
  byExplore,
  defineFaults,
  type FaultRow,
  type FaultTable,
  type Hooks,
  type KeyExchangeSituation,
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
  'user-code-as-pattern': () => {
    const stored: string[] = [];
    return {
      userCode: (right, { operation }) => {
        if (operation === 'key-exchange') stored.push(right);
        if (operation !== 'registration' || !right.includes('_')) return right;
        return stored.find((code) => isLike(code, right)) ?? right;
      },
    };
  },
});

function isLike(code: string, pattern: string): boolean {
  const isSame = (character: string, at: number) => character === '_' || character === code[at];
  return pattern.length === code.length && [...pattern].every(isSame);
}

/** Users whose key is gone although they exchanged one: their registration is refused. */
const lostUserFaults = defineSequenceFaults('code-not-success', {
  'keeps-three-users': () => keepsLatest(3),
  'keeps-fifty-users': () => keepsLatest(50),
  'bad-registration-deletes-user': () => forgets(refusedAs('undecryptable')),
  'bad-key-exchange-deletes-user': () => forgets(refusedAs('public-key')),
  'foreign-client-deletes-user': () => forgets(refusedAs('foreign-client')),
  'remembers-unknown-users': () => {
    const unknown = new Set<string>();
    return {
      foundKey: (right, { ptnCd }) => {
        if (right === undefined) unknown.add(ptnCd);
        return unknown.has(ptnCd) ? undefined : right;
      },
    };
  },
});

/** The user of a request that was refused so. */
function refusedAs(name: ApplicationRefusal) {
  return ({ ptnCd, refusal }: Situation): readonly string[] =>
    ptnCd !== undefined && refusal?.name === name ? [ptnCd] : [];
}

/** The user of a request of this kind that was accepted. */
function acceptedAs(wanted: Operation, { ptnCd, operation, refusal }: Situation) {
  return ptnCd !== undefined && operation === wanted && refusal === undefined ? [ptnCd] : [];
}

/** The users are in the order of their latest key exchanges. */
function keepsLatest(size: number): FaultRow {
  const kept = new Recent<string, true>(size);
  return {
    storedKey: (right, { ptnCd }) => {
      kept.delete(ptnCd);
      kept.set(ptnCd, true);
      return right;
    },
    foundKey: (right, { ptnCd }) => (kept.has(ptnCd) ? right : undefined),
    diagnosis: 'shared-state',
  };
}

/** Forgets users after the calls in which `losses` names them; a key exchange makes one known again. */
function forgets(losses: (seen: Situation) => readonly string[]): Hooks<ApplicationPoints> {
  const lost = new Set<string>();
  return {
    storedKey: (right, { ptnCd }) => {
      lost.delete(ptnCd);
      return right;
    },
    foundKey: (right, { ptnCd }) => (lost.has(ptnCd) ? undefined : right),
    response: afterwards((seen) => {
      for (const ptnCd of losses(seen)) lost.add(ptnCd);
    }),
  };
}

/** A key exchange returns a new key, and the user keeps the one before: its registration is refused. */
const lostKeyFaults = defineSequenceFaults('stale-key', {
  'keeps-second-key': () => keepsKeyByNumber((number) => number > 2),
  'loses-every-fourth-key': () => keepsKeyByNumber((number) => number % 4 === 0),
  'returning-public-key-restores-key': () => {
    const isChanged = changes();
    const keys = new Map<string, string>();
    return {
      storedKey: (right = '', { ptnCd, publicKey: { fingerprint } }) => {
        const name = `${fingerprint} ${ptnCd}`;
        const key = isChanged(ptnCd, fingerprint) ? (keys.get(name) ?? right) : right;
        if (!keys.has(name)) keys.set(name, right);
        return key;
      },
    };
  },
  'keeps-key-of-second-sign-up': () => {
    const signUps = new Map<string, number>();
    return keepsOldKey(({ ptnCd, user }) => {
      const done = (signUps.get(ptnCd) ?? 0) + (user?.superPasscode === undefined ? 0 : 1);
      signUps.set(ptnCd, done);
      return done > 1;
    });
  },
  'user-info-keeps-key': keepsOldKey(({ user }) => user?.userInfo !== undefined),
  'returning-user-keeps-key': () => {
    const isAnother = changes();
    return keepsOldKey(({ ptnCd, user }) => isAnother('last', ptnCd) && user !== undefined);
  },
});

/** Keeps what was stored before a key exchange, and returns its new key, where it `isLost`. */
function keepsOldKey(isLost: (seen: KeyExchangeSituation) => boolean): Hooks<ApplicationPoints> {
  return {
    storedKey: (right, seen) => (isLost(seen) ? seen.user?.key.reveal() : right),
  };
}

/** The same by the number of the key among those of the user, or of what `whose` names. */
function keepsKeyByNumber(
  isLost: (number: number) => boolean,
  whose = ({ ptnCd }: KeyExchangeSituation) => ptnCd,
): Hooks<ApplicationPoints> {
  const numberOf = counter();
  return keepsOldKey((seen) => isLost(numberOf(whose(seen))));
}

/** Says whether there was another value under this name the last time. */
function changes() {
  const values = new Map<string, string>();
  return (name: string, value: string): boolean => {
    const before = values.get(name) ?? value;
    values.set(name, value);
    return before !== value;
  };
}

/** What a request leaves behind in a variable becomes part of a later one. */
const mixedUsers = defineSequenceFaults('shared-state', {
  'key-of-failed-registration': () => {
    let left: string | undefined;
    return {
      foundKey: (right) => {
        const key = right && (left ?? right);
        left = undefined;
        return key;
      },
      response: afterwards(({ user, refusal }) => {
        if (refusal?.name === 'undecryptable') left = user?.key.reveal();
      }),
      diagnosis: 'stale-key',
    };
  },
  'leftover-user-info': () => {
    let leftover: string | undefined;
    return {
      foundKey: (right, seen) => {
        const { ubifill } = sentIn(seen);
        if (typeof ubifill === 'string') leftover = ubifill;
        const isRead =
          right === undefined || leftover === undefined || reads(leftover, right, seen);
        return isRead ? right : generatePerUserKey(seen.randomBytes);
      },
      diagnosis: 'code-not-success',
    };
  },
  'registration-ends-last-key': () => {
    let last: readonly string[] = [];
    return forgets((seen) => {
      last = [...acceptedAs('key-exchange', seen), ...last].slice(0, 1);
      const [registered] = acceptedAs('registration', seen);
      return registered === undefined ? [] : last.filter((ptnCd) => ptnCd !== registered);
    });
  },
});

/** Whether a key decrypts a payload to text: a padding fits by chance once in 256 times, and what is left is not text. */
function reads(payload: string, key: string, { cipher }: Situation): boolean {
  const read = decryptPayload(payload, key, cipher);
  return read.ok && decodeUtf8(read.plaintext) !== undefined;
}

/** Requests that must be refused are accepted after others. */
const tooLenient = defineSequenceFaults('accepted-bad-input', {
  'unknown-user-gets-last-key': () => withLastKey((right, last) => right ?? last),
  'undecryptable-once-registered': {
    refusal: (right, { user }) =>
      right?.name === 'undecryptable' && user?.superPasscode !== undefined ? undefined : right,
  },
  'key-of-last-user-fits': () =>
    withLastKey((right, last, seen) => {
      const payload = String(sentIn(seen).partner_sp);
      const fits = (key?: string) => key && decryptPayload(payload, key, seen.cipher).ok;
      return right && !fits(right) && fits(last) ? last : right;
    }),
  'leftover-public-key': () => acceptsAfter('key-exchange', 'field-missing'),
  'leftover-passcode': () => acceptsAfter('registration', 'field-missing'),
  'client-checked-once': () => {
    const checked = new Set<string | undefined>();
    return {
      refusal: (right, { ptnCd }) =>
        right?.name === 'foreign-client' && checked.has(ptnCd) ? undefined : right,
      response: afterwards(({ ptnCd, refusal }) => {
        if (refusal === undefined) checked.add(ptnCd);
      }),
    };
  },
});

/** Accepts what is refused under `name` where the request before was an accepted one of the same kind. */
function acceptsAfter(kind: Operation, name: ApplicationRefusal): Hooks<ApplicationPoints> {
  let isAfter = false;
  return {
    refusal: (right, { operation }) =>
      right?.name === name && isAfter && operation === kind ? undefined : right,
    response: afterwards((seen) => {
      isAfter = acceptedAs(kind, seen).length > 0;
    }),
  };
}

/** Changes the key that a registration finds, knowing the one that was stored last. */
function withLastKey(
  change: (right: string | undefined, last: string | undefined, seen: Situation) => typeof right,
): Hooks<ApplicationPoints> {
  let last: string | undefined;
  return {
    storedKey: (right) => {
      last = right;
      return right;
    },
    foundKey: (right, seen) => change(right, last, seen),
  };
}

/** What is stored with a connection and not with a user; a caller that keeps connections open sees it. */
export const connectionFaults = defineSequenceFaults('shared-state', {
  'connection-caches-key': () => {
    const cache = new Map<string, string>();
    const nameOf = ({ ptnCd, request }: Situation) => `${ptnCd} over ${request.connection}`;
    return {
      storedKey: (right = '', seen) => {
        cache.set(nameOf(seen), right);
        return right;
      },
      foundKey: (right, seen) => right && (cache.get(nameOf(seen)) ?? right),
      diagnosis: 'stale-key',
    };
  },
  'refusal-poisons-connection': () => {
    const poisoned = new Set<number | undefined>();
    return {
      response: (right, { refusal, request: { connection } }) => {
        if (refusal !== undefined) poisoned.add(connection);
        return refusal === undefined && poisoned.has(connection) ? internalError : right;
      },
    };
  },
  'connection-loses-fourth-key': () => ({
    ...keepsKeyByNumber(
      (number) => number === 4,
      ({ request }) => `${request.connection}`,
    ),
    diagnosis: 'stale-key',
  }),
});

const internalError = jsonResponse(500, encodeUtf8('{"code":"A999","message":"internal error"}'));

/** How long a request counts as under way, in milliseconds. */
const windowMs = 10;

/** Two requests that are handled at the same time disturb each other. */
const raceFaults = defineSequenceFaults('shared-state', {
  'race-loses-user': racing((besides) => {
    const lost = new Set<string | undefined>();
    return {
      storedKey: (right, seen) => {
        for (const { ptnCd } of besides(seen)) lost.add(ptnCd);
        lost.delete(seen.ptnCd);
        return right;
      },
      foundKey: (right, { ptnCd }) => (lost.has(ptnCd) ? undefined : right),
    };
  }),
  'race-restores-key': racing((besides) => {
    const keyBeside = (seen: Situation, wanted: Operation, own: string | undefined) =>
      besides(seen, own).find(
        ({ ptnCd, operation }) => ptnCd === seen.ptnCd && operation === wanted,
      )?.text;
    return {
      storedKey: (right, seen) => keyBeside(seen, 'registration', seen.user?.key.reveal()) ?? right,
      foundKey: (right, seen) => keyBeside(seen, 'key-exchange', right) ?? right,
      diagnosis: 'stale-key',
    };
  }),
  'race-mixes-registrations': racing((besides) => ({
    foundKey: (right, seen) => right && (ofAnother(seen, besides(seen, right)) ?? right),
  })),
  'race-tears-key': racing((besides) => ({
    storedKey: (right = '', seen) => {
      const other = besides(seen, right).find(({ ptnCd }) => ptnCd === seen.ptnCd);
      return (other?.text ?? right).slice(0, 16) + right.slice(16);
    },
  })),
  'race-shares-response': racing((besides) => ({
    encPartnerKey: (right, seen) => ofAnother(seen, besides(seen, right)) ?? right,
    diagnosis: 'key-repeated',
  })),
  'race-refuses-second': racing((besides) => ({
    refusal: (right, seen) => (right === undefined && besides(seen).length > 0 ? busy : right),
    diagnosis: 'code-not-success',
  })),
});

const busy = refusal(applicationCodes, 'field-type', 'Another request is being handled.');

/** A fault that is told what is under way beside a request; responses come late, so that requests overlap. */
function racing(make: (besides: ReturnType<typeof overlapping>) => FaultRow) {
  return (): FaultRow => ({ ...make(overlapping(windowMs)), response: laterThan(windowMs) });
}

function ofAnother(seen: Situation, besides: ReturnType<ReturnType<typeof overlapping>>) {
  return besides.find(({ ptnCd }) => ptnCd !== seen.ptnCd)?.text;
}

function defineSequenceFaults(usual: DiagnosisCode, rows: FaultTable[string]) {
  return defineFaults(usual, { [byExplore]: rows });
}

/** What only sequences of requests show, which `explore` sends. */
export const sequenceFaults = [
  ...lostUserFaults,
  ...lostKeyFaults,
  ...mixedUsers,
  ...tooLenient,
  ...nearCodeFaults,
  ...connectionFaults,
  ...raceFaults,
];
