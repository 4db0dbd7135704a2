import type { ApplicationPoints, Situation } from './points.ts';
import { byExplore, defineApplicationFaults, type Hooks, recall } from './points.ts';
import { forgets, isAccepted, remembered } from './sequences.ts';

/** Users whose key is gone although they exchanged one: their registration is refused. */
export const lostUserFaults = defineApplicationFaults({
  check: byExplore,
  diagnosis: 'code-not-success',
})({
  'keeps-three-users': {
    title: 'Keeps the three users who exchanged a key last, and forgets the others',
    steps: 5,
    diagnosis: 'shared-state',
    apply: keepsLatest(3),
  },
  'keeps-eight-users': {
    title: 'Keeps the eight users who exchanged a key last, and forgets the others',
    steps: 10,
    diagnosis: 'shared-state',
    apply: keepsLatest(8),
  },
  'keeps-fifty-users': {
    title: 'Keeps the fifty users who exchanged a key last, and forgets the others',
    steps: 52,
    diagnosis: 'shared-state',
    apply: keepsLatest(50),
  },
  'bad-registration-deletes-user': {
    title: "Deletes the user of a registration that it can't decrypt",
    steps: 3,
    apply: forgets('deleted by bad registration', (seen) => undecryptableUser(seen)),
  },
  'bad-registrations-delete-user': {
    title: "Deletes the user of two registrations in a row that it can't decrypt",
    steps: 4,
    apply: forgets('deleted by bad registrations', (seen) => {
      const [ptnCd] = undecryptableUser(seen);
      const last = recall(seen, 'last undecryptable', () => ({ ptnCd: '' }));
      const isAgain = ptnCd !== undefined && last.ptnCd === ptnCd;
      last.ptnCd = ptnCd ?? '';
      return isAgain ? [ptnCd] : [];
    }),
  },
  'bad-key-exchange-deletes-user': {
    title: 'Deletes the user of a key exchange with an invalid public_key',
    steps: 3,
    apply: forgets('deleted by bad key exchange', ({ ptnCd, refusal }) =>
      ptnCd !== undefined && refusal?.name === 'public-key' ? [ptnCd] : [],
    ),
  },
  'foreign-client-deletes-user': {
    title: 'Deletes the user of a request with another client_id, and refuses it',
    steps: 3,
    apply: forgets('deleted by foreign client', ({ ptnCd, refusal }) =>
      ptnCd !== undefined && refusal?.name === 'foreign-client' ? [ptnCd] : [],
    ),
  },
  'registration-forgets-waiting-users': {
    title: 'Forgets all users who are not registered yet when one registers',
    steps: 4,
    diagnosis: 'shared-state',
    apply: forgets('forgotten while waiting', (seen) => {
      const waiting = remembered(seen, 'waiting for registration');
      if (isAccepted(seen, 'key-exchange')) waiting.add(seen.ptnCd ?? '');
      if (!isAccepted(seen, 'registration')) return [];
      waiting.delete(seen.ptnCd ?? '');
      const lost = [...waiting];
      waiting.clear();
      return lost;
    }),
  },
  'remembers-unknown-users': {
    title: 'Remembers that a user was unknown, also after the key exchange',
    steps: 3,
    apply: {
      foundUser: (right, seen) =>
        remembered(seen, 'unknown').has(seen.ptnCd ?? '') ? undefined : right,
      response: (right, seen) => {
        if (seen.refusal?.name === 'unknown-user')
          remembered(seen, 'unknown').add(seen.ptnCd ?? '');
        return right;
      },
    },
  },
});

function undecryptableUser({ ptnCd, refusal }: Situation): readonly string[] {
  return ptnCd !== undefined && refusal?.name === 'undecryptable' ? [ptnCd] : [];
}

/** The users are in the order of their latest key exchanges. */
function keepsLatest(size: number): Hooks<ApplicationPoints> {
  const kept = (seen: Situation) => remembered(seen, `the ${size} latest users`);
  return {
    storedUser: (right, seen) => {
      const users = kept(seen);
      users.delete(seen.ptnCd);
      users.add(seen.ptnCd);
      const [oldest] = users;
      if (users.size > size && oldest !== undefined) users.delete(oldest);
      return right;
    },
    foundUser: (right, seen) => (right && kept(seen).has(right.ptnCd) ? right : undefined),
  };
}
