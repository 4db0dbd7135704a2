import { comparesCode } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

/** By numeric parsing, by containment, in other digits, of another type, and one that is not at the top. */
const nearMisses = [
  'short',
  'two-zeros',
  'long',
  'decimal',
  'hexadecimal',
  'signed',
  'minus-zero',
  'digit-before',
  'letter-before',
  'space-behind',
  'line-end',
  'full-width',
  'zero',
  'true',
  'in-array',
  'in-object',
  'behind',
] as const;

export const comparesCodeExactly = rejecting({
  id: 'signin/compares-code-exactly',
  title: 'must reject a sign-in after a code that is nearly "0000"',
  section: '2.1',
  sentence: 'code: String. Result code; "0000" means success.',
  needs: ['signin/rejects-token-code', 'signin/rejects-authenticate-code'],
  scenarios: nearMisses.flatMap((name) => [
    `token-code-${name}` as const,
    `authenticate-code-${name}` as const,
  ]),
  risk: 'An error code of the service, or a response that was not made by it, counts as success.',
  fix: 'Compare code as it came with the string "0000": no parsing as a number, no trimming, no prefix or search, no loose ==, and nothing but a string.',
  calls: comparesCode,
});
