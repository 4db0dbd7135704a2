import { nearCodes } from '../conformance/checks/protocol/exact-user-code.ts';
import { inventCodes } from '../conformance/test-data.ts';
import type { CodeKind } from './model.ts';
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
  { name: 'zero-before', oddity: 'begins with a zero', codeFrom: (code) => `0${numberIn(code)}` },
  { name: 'number', oddity: 'is a number', codeFrom: numberIn },
  { name: 'wide', oddity: 'has a full-width letter', codeFrom: (code) => `ａ${code.slice(1)}` },
  { name: 'invisible', oddity: 'has a zero-width space', codeFrom: (code) => `${code}\u200b` },
  { name: 'plus', oddity: 'has a plus sign', codeFrom: (code) => `${code}+b` },
  { name: 'blank', oddity: 'has a blank inside', codeFrom: (code) => `${code} b` },
  { name: 'underscore', oddity: 'has an underscore', codeFrom: (code) => `${code.slice(0, -1)}_` },
  { name: 'percent', oddity: 'has a percent sign', codeFrom: (code) => `${code.slice(0, -2)}%` },
  ...nearCodes.flatMap(([whose, first, second], index) => [
    { name: `near-${index}-a`, oddity: `is one of two ${whose}`, codeFrom: first },
    { name: `near-${index}-b`, oddity: `is one of two ${whose}`, codeFrom: second },
  ]),
];

/** Digits that follow from a code and differ where its end does, the first of them not zero. */
function numberIn(code: string): string {
  return String(1e12 + Number.parseInt(code.slice(-8), 36));
}

/** Pairs of variants that some application takes for the same code. */
export const collisions: readonly (readonly [string, string])[] = [
  ...['prefix', 'longer', 'capitals', 'space-after', 'space-before'].map(besidePlain),
  ...['wide', 'invisible', 'underscore', 'percent'].map(besidePlain),
  ['number', 'zero-before'],
  ['blank', 'plus'],
  ...nearCodes.map((_, index) => [`near-${index}-a`, `near-${index}-b`] as const),
];

function besidePlain(variant: string): readonly [string, string] {
  return ['plain', variant];
}

const byName = new Map(variants.map((variant) => [variant.name, variant]));

export function variantOf({ variant }: UserPlan): Variant {
  return byName.get(variant) ?? (variants[0] as Variant);
}

export function isVariant(name: unknown): name is string {
  return typeof name === 'string' && byName.has(name);
}

export function isOdd(user: UserPlan): boolean {
  return variantOf(user).oddity !== undefined;
}

/** What the model must know about the code of a user; `isKnown` says of each user whether they have a key. */
export function codeKindOf(
  users: readonly UserPlan[],
  user: number,
  refused: ReadonlySet<string>,
  isKnown: (user: number) => boolean | 'unsure',
): CodeKind {
  const plan = users[user];
  if (plan === undefined) return { near: '' };
  const beside: string[] = [];
  let isUnsure = false;
  for (const [index, other] of users.entries()) {
    if (index === user || other.family !== plan.family) continue;
    const known = isKnown(index);
    isUnsure ||= known === 'unsure';
    if (known === true) beside.push(other.variant);
  }
  const near = beside.length === 0 ? '' : `${plan.variant} beside ${beside.sort().join(', ')}`;
  const oddity = refused.has(plan.variant) ? variantOf(plan).oddity : undefined;
  return { near: isUnsure ? 'unsure' : near, ...(oddity !== undefined && { oddity }) };
}

/** The codes of the users of one execution: new ones that follow from `nonce`. */
export function codesOf(users: readonly UserPlan[], nonce: string): readonly string[] {
  const families = Math.max(-1, ...users.map(({ family }) => family)) + 1;
  const plain = inventCodes(nonce, 'explore', families);
  return users.map((user) => variantOf(user).codeFrom(plain[user.family] ?? ''));
}
