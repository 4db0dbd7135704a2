/*
 * The shortest sequence that shows each fault which only sequences show. X is a key exchange and R a
 * registration, then the user; ` | ` is between requests at the same time. Without more, a request is
 * valid, with the latest key of its user; ␠ is a space in a user code.
 */
export const sequences: Readonly<Record<string, readonly string[]>> = {
  'keeps-three-users': [...exchanges(4), 'R u1'],
  'keeps-eight-users': [...exchanges(9), 'R u1'],
  'keeps-fifty-users': [...exchanges(51), 'R u1'],
  'bad-registration-deletes-user': ['X a', 'R a undecryptable', 'R a'],
  'bad-registrations-delete-user': ['X a', 'R a undecryptable', 'R a undecryptable', 'R a'],
  'bad-key-exchange-deletes-user': ['X a', 'X a bad-public-key', 'R a'],
  'foreign-client-deletes-user': ['X a', 'X a foreign', 'R a'],
  'registration-forgets-waiting-users': ['X a', 'X b', 'R b', 'R a'],
  'remembers-unknown-users': ['R a', 'X a', 'R a'],
  'keeps-second-key': ['X a', 'X a', 'X a', 'R a'],
  'keeps-sixth-key': [...Array(7).fill('X a'), 'R a'],
  'loses-every-fourth-key': ['X a', 'X a', 'X a', 'X a', 'R a'],
  'loses-every-third-key': ['X a', 'R a', 'X b', 'R b', 'X c', 'R c'],
  'returning-public-key-restores-key': ['X a', 'X a key-2', 'X a', 'R a'],
  'other-key-size-keeps-key': ['X a', 'X a key-3072', 'R a'],
  'keeps-key-of-second-sign-up': ['X a', 'R a', 'X a', 'R a', 'X a', 'R a'],
  'user-info-keeps-key': ['X a', 'R a user-info', 'X a', 'R a'],
  'returning-user-keeps-key': ['X a', 'X b', 'X a', 'R a'],
  'bad-key-exchange-loses-next': ['X a bad-public-key', 'X a', 'R a'],
  'key-of-failed-registration': ['X a', 'X b', 'R a undecryptable', 'R b'],
  'leftover-user-info': ['X a', 'X b', 'R a user-info', 'R b'],
  'registration-ends-last-key': ['X a', 'X b', 'R a', 'R b'],
  'refusal-comes-twice': ['X a bad-public-key', 'X a'],
  'unknown-user-gets-last-key': ['X a', 'R b key-of-a'],
  'unknown-user-after-success': ['X a', 'R a', 'R b'],
  'undecryptable-after-refusal': ['X a', 'R a undecryptable', 'R a undecryptable'],
  'undecryptable-once-registered': ['X a', 'R a', 'R a undecryptable'],
  'key-of-last-user-fits': ['X a', 'X b', 'R a key-of-b'],
  'leftover-public-key': ['X a', 'X a no-public-key'],
  'leftover-passcode': ['X a', 'R a', 'R a no-passcode'],
  'client-checked-once': ['X a', 'X a foreign'],
  'trims-user-code': ['X a', 'X a␠', 'R a'],
  'user-code-as-number': ['X 7', 'X 007', 'R 7'],
  'folds-width': ['X a', 'X ａ', 'R a'],
  'drops-invisible-characters': ['X a', 'X a\u200b', 'R a'],
  'user-code-url-decoded': ['X a+b', 'X a␠b', 'R a+b'],
  'user-code-as-pattern': ['X a1b', 'X a_b', 'R a_b'],
  'connection-keeps-registered-user': ['X a', 'X b', 'R a @2', 'R b @2'],
  'connection-caches-key': ['X a @1', 'X a @2', 'R a @1'],
  'refusal-poisons-connection': ['X a bad-public-key', 'X a'],
  'connection-loses-fourth-key': ['X a', 'X a', 'X a', 'X a', 'R a'],
  'race-loses-user': ['X a | X b', 'R a'],
  'race-restores-key': ['X a', 'R a | X a', 'R a'],
  'race-mixes-registrations': ['X a', 'X b', 'R a | R b'],
  'race-tears-key': ['X a | X a', 'R a earlier-key', 'R a'],
  'race-shares-response': ['X a | X b'],
  'race-refuses-second': ['X a | X b'],
};

function exchanges(users: number): readonly string[] {
  return Array.from({ length: users }, (_, index) => `X u${index + 1}`);
}

/** The fewest requests that show a fault. */
export function fewestSteps(name: string): number {
  return (sequences[name] ?? []).flatMap((round) => round.split(' | ')).length;
}
