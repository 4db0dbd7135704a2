import { encodeUtf8 } from '../../bytes.ts';
import type { User } from '../../protocol/user.ts';
import { jsonResponse } from '../http.ts';
import { byExplore, defineApplicationFaults, recall, type Situation } from './points.ts';
import { countOf, keepsOldKey } from './sequences.ts';

/** What is stored with a connection and not with a user; a caller that keeps connections open sees it. */
export const connectionFaults = defineApplicationFaults({
  check: byExplore,
  diagnosis: 'shared-state',
})({
  'connection-keeps-registered-user': {
    title: 'Keeps the first user who registers over a connection for all who follow on it',
    steps: 4,
    apply: {
      foundUser: (right, seen) => {
        const first =
          right && recall(seen, `first user of ${seen.request.connection}`, () => right);
        return right && first && first.ptnCd !== right.ptnCd ? { ...right, key: first.key } : right;
      },
    },
  },
  'connection-caches-key': {
    title: 'Caches keys by connection, and misses key exchanges over another connection',
    steps: 3,
    diagnosis: 'stale-key',
    apply: {
      storedUser: (right, seen) => {
        if (right) cacheOf(seen).set(right.ptnCd, right);
        return right;
      },
      foundUser: (right, seen) => {
        const cached = right && cacheOf(seen).get(right.ptnCd);
        return right && cached && !cached.key.equals(right.key)
          ? { ...right, key: cached.key }
          : right;
      },
    },
  },
  'refusal-poisons-connection': {
    title: 'Refuses every request over a connection after a refused one',
    steps: 2,
    apply: {
      response: (right, seen) => {
        const state = recall(seen, `state of ${seen.request.connection}`, () => ({
          isPoisoned: false,
        }));
        if (state.isPoisoned && seen.refusal === undefined) return poisoned;
        state.isPoisoned ||= seen.refusal !== undefined;
        return right;
      },
    },
  },
  'connection-loses-fourth-key': {
    title: 'Does not store the fourth key that is exchanged over a connection',
    steps: 5,
    diagnosis: 'stale-key',
    apply: keepsOldKey((seen) => countOf(seen, `keys over ${seen.request.connection}`) === 4),
  },
});

const poisoned = jsonResponse(500, encodeUtf8('{"code":"A999","message":"internal error"}'));

function cacheOf(seen: Situation): Map<string, User> {
  return recall(seen, `users of ${seen.request.connection}`, () => new Map<string, User>());
}
