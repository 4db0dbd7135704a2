import { Secret } from '../../crypto/secret.ts';
import type { User } from '../../protocol/user.ts';
import { refusal } from '../handling.ts';
import { applicationCodes } from '../refusals.ts';
import { byExplore, defineApplicationFaults, recall, type Situation } from './points.ts';
import { late, remembered, windowMs } from './sequences.ts';

/** Two requests that are handled at the same time disturb each other. */
export const raceFaults = defineApplicationFaults({
  check: byExplore,
  diagnosis: 'shared-state',
})({
  'race-loses-user': {
    title: 'Loses one of two users whose keys are stored at the same time',
    steps: 3,
    apply: {
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
  },
  'race-restores-key': {
    title: 'Writes back the old key where a registration and a key exchange overlap',
    steps: 4,
    diagnosis: 'stale-key',
    apply: {
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
    },
  },
  'race-mixes-registrations': {
    title: 'Decrypts with the key of another user whose registration is under way',
    steps: 4,
    apply: {
      foundUser: (right, seen) => {
        const other = besides(seen, 'mix', right).find(({ ptnCd }) => ptnCd !== seen.ptnCd);
        return right && other?.key ? { ...right, key: other.key } : right;
      },
      response: late,
    },
  },
  'race-tears-key': {
    title: 'Stores half of each key where a user exchanges two at the same time',
    steps: 4,
    apply: {
      storedUser: (right, seen) => {
        const other = besides(seen, 'tear', right).find(({ ptnCd }) => ptnCd === seen.ptnCd);
        return right && other?.key ? { ...right, key: halves(other.key, right.key) } : right;
      },
      response: late,
    },
  },
  'race-shares-response': {
    title: 'Gives the enc_partner_key of one user to another who asks at the same time',
    steps: 2,
    diagnosis: 'key-repeated',
    apply: {
      encPartnerKey: (right, seen) => {
        const before = recall(seen, 'shared response', () => ({ text: '', ptnCd: '', until: 0 }));
        if (before.until > seen.now && before.ptnCd !== seen.ptnCd) return before.text;
        Object.assign(before, { text: right, ptnCd: seen.ptnCd, until: seen.now + windowMs });
        return right;
      },
      response: late,
    },
  },
  'race-refuses-second': {
    title: 'Refuses a request while another one is handled',
    steps: 2,
    diagnosis: 'code-not-success',
    apply: {
      refusal: (right, seen) =>
        right === undefined && besides(seen, 'refuse', undefined).length > 0 ? busy : right,
      response: late,
    },
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

function halves(first: Secret, second: Secret): Secret {
  return Secret.key(first.reveal().slice(0, 16) + second.reveal().slice(16));
}
