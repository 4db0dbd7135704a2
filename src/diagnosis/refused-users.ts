import { hash } from 'node:crypto';
import type { Secret } from '../crypto/secret.ts';
import type { Diagnosis } from '../errors.ts';
import { counted } from '../text.ts';

/** The same callback of one user among several. */
export interface SignupAttempt {
  readonly ptnCd: string;
  readonly key?: Secret | undefined;
  readonly accepted: boolean;
}

/** What code does wrong with some keys and not with others. */
const traits: readonly (readonly [about: string, has: (key: string) => boolean])[] = [
  ['begin with a 0', (key) => key.startsWith('0')],
  ['have an MD5 that begins with a 0', (key) => hash('md5', key).startsWith('0')],
  ['have a SHA-256 that begins with a 0', (key) => hash('sha256', key).startsWith('0')],
  ['contain a +', (key) => key.includes('+')],
  ['contain a /', (key) => key.includes('/')],
  ['contain a %', (key) => key.includes('%')],
  ['contain a quotation mark or a backslash', (key) => /["'\\`]/.test(key)],
  ['contain < or &', (key) => /[<&]/.test(key)],
  ['begin or end with white space', (key) => key.trim() !== key],
  ['contain a byte above 127', (key) => /[^\0-\x7f]/.test(key)],
  ['consist of digits', (key) => /^\d+$/.test(key)],
  ['are not hexadecimal', (key) => /[^0-9a-f]/i.test(key)],
];

/**
 * A callback that is refused of some users and accepted of others.
 *
 * @param attempts the first is of a user who was refused
 * @param isAcceptedAgain whether that one's was accepted when it was repeated
 */
export function diagnoseUsers(
  failed: Diagnosis,
  callback: string,
  attempts: readonly SignupAttempt[],
  isAcceptedAgain: boolean,
): Diagnosis {
  const refused = attempts.filter(({ accepted }) => !accepted);
  const [first] = refused;
  const [trait] =
    traits.find(([, has]) =>
      attempts.every(({ key, accepted }) => key && has(key.reveal()) !== accepted),
    ) ?? [];
  const name = callback.replace('-', ' ');
  const count = `The application refuses the same ${name} for ${refused.length} of ${counted(attempts.length, 'user')}`;
  const again = isAcceptedAgain
    ? `and accepted that of ${first?.ptnCd} when it was repeated, so it is not about the user`
    : `and that of ${first?.ptnCd} again when it was repeated`;
  const isShared = trait !== undefined && !isAcceptedAgain && refused.length > 1;
  const sharing = isShared ? ` The keys of all that were refused ${trait}, and no other.` : '';
  const hint = isAcceptedAgain
    ? 'Look for what differs from request to request: processes or servers that do not share the keys, a transaction that is not committed yet, a cache, a race.'
    : 'Compare what is stored for this ptn_cd and its key with that of a user who is accepted: lengths, characters, leading zeros.';
  return {
    code: failed.code,
    message: `${count}, ${again}.${sharing} ${failed.message}`,
    hint,
    calls: {},
    evidence: {
      ...failed.evidence,
      experiment: 'another-user',
      users: attempts.length,
      refused_users: refused.map(({ ptnCd }) => ptnCd),
    },
  };
}
