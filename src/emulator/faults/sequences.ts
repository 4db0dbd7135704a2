import type { User } from '../../protocol/user.ts';
import type { EmulatorResponse } from '../http.ts';
import {
  type ApplicationPoints,
  type Hooks,
  type KeyExchangeSituation,
  type ResponsePoints,
  recall,
  type Situation,
} from './points.ts';

/*
 * The parts of the faults that only sequences show: they remember, count, and lose users or keys.
 * Each remembers under a name of its own.
 */

type ResponseHook = NonNullable<Hooks<ResponsePoints>['response']>;

/** Passes every response on, after `note` has seen what became of the request. */
export function afterwards(note: (seen: Situation) => void): ResponseHook {
  return (right, seen) => {
    note(seen);
    return right;
  };
}

/** How often something has come under `name` for this user, or for all without one: 1 at the first time. */
export function countOf(seen: Situation, name: string, ptnCd = ''): number {
  const counts = recall(seen, name, () => new Map<string, number>());
  const count = (counts.get(ptnCd) ?? 0) + 1;
  counts.set(ptnCd, count);
  return count;
}

/** A set that lasts as long as the emulator does. */
export function remembered(seen: Situation, name: string): Set<string> {
  return recall(seen, name, () => new Set<string>());
}

/** Forgets users after the calls in which `losses` names them; a key exchange makes one known again. */
export function forgets(
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
export function keepsOldKey(
  isLost: (seen: KeyExchangeSituation) => boolean,
): Hooks<ApplicationPoints> {
  return {
    storedUser: (right, seen) => (right && isLost(seen) ? withKeyBefore(right, seen) : right),
  };
}

function withKeyBefore(user: User, { user: before }: Situation): User | undefined {
  return before && { ...user, key: before.key };
}

/** Whether the request was a registration, or a key exchange, that was accepted. */
export function isAccepted({ operation, refusal }: Situation, wanted: Situation['operation']) {
  return operation === wanted && refusal === undefined;
}

/** How long a request counts as under way, in milliseconds; its response comes later than that. */
export const windowMs = 10;

/** Delays a response until the request is not under way any more. */
export function late(response: EmulatorResponse): EmulatorResponse {
  return { ...response, delivery: { ...response.delivery, delayMs: windowMs + 5 } };
}
