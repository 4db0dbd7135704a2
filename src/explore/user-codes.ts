import { nearCodes } from '../conformance/checks/protocol/exact-user-code.ts';
import { inventUsers } from '../conformance/test-data.ts';
import type { CodeKind } from './model/expectation.ts';
import type { UserPlan } from './sequence.ts';

/** How a code follows from the ordinary one of its family. */
export interface Variant {
  readonly name: string;
  /** "differs in case"; undefined for a code that is as ordinary as the one it follows from. */
  readonly oddity?: string;
  readonly codeFrom: (code: string) => string;
}

/** The variants of a user code that an application may confuse with others of its family. */
export const variants: readonly Variant[] = [
  { name: 'plain', codeFrom: (code) => code },
  { name: 'prefix', codeFrom: (code) => code.slice(0, -1) },
  { name: 'longer', codeFrom: (code) => `${code}0` },
  { name: 'capitals', oddity: 'is in capital letters', codeFrom: (code) => code.toUpperCase() },
  { name: 'space-after', oddity: 'ends with a space', codeFrom: (code) => `${code} ` },
  { name: 'space-before', oddity: 'begins with a space', codeFrom: (code) => ` ${code}` },
  ...nearCodes.flatMap(([whose, first, second], index) => [
    { name: `near-${index}-a`, oddity: `is one of two ${whose}`, codeFrom: first },
    { name: `near-${index}-b`, oddity: `is one of two ${whose}`, codeFrom: second },
  ]),
];

const byName = new Map(variants.map((variant) => [variant.name, variant]));

export function variantOf({ variant }: UserPlan): Variant {
  return byName.get(variant) ?? (variants[0] as Variant);
}

/** Whether some user of the same family, another code, is in `known`. */
export function codeKindOf(
  users: readonly UserPlan[],
  user: number,
  stateOf: (user: number) => CodeKind['hasNearUser'],
): CodeKind {
  const plan = users[user];
  const near = users.flatMap((other, index) =>
    index !== user && plan !== undefined && other.family === plan.family ? [stateOf(index)] : [],
  );
  const hasNearUser = near.includes('unsure') ? 'unsure' : near.includes(true);
  const oddity = plan && variantOf(plan).oddity;
  return { hasNearUser, ...(oddity !== undefined && { oddity }) };
}

/** The codes of the users of one execution: `given` ones in turn, or new ones that follow from `nonce`. */
export function codesOf(
  users: readonly UserPlan[],
  nonce: string,
  given?: readonly string[],
): readonly string[] {
  if (given !== undefined) return users.map((_, index) => given[index] ?? '');
  const families = Math.max(-1, ...users.map(({ family }) => family)) + 1;
  const plain = inventUsers(nonce).forCheck('explore', families) ?? [];
  return users.map((user) => variantOf(user).codeFrom(plain[user.family] ?? ''));
}
