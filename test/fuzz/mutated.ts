import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';

/** What breaks parsers: the signs of formats, controls, numbers at their edges, other alphabets. */
const junk: readonly string[] = [
  ...'{}[]"\':,\\<>&;=+-_%@#?*.|$`~0\0\t\n\u0007\u007f\u0085\u009b\u00a0',
  ...['\\u', '\\ud800', '/*', '//', '==', '%00', '%zz', '..', '\r\n', '\u001b[2J'],
  ...['\u200b', '\u202e', '\u2028', '\ufeff', '\ufffd', '\u0301', '한글', 'é', '😀', 'ﬁ', '０'],
  ...['-1', '1e999', '00', '0x', '9'.repeat(40), 'NaN', 'null', 'true', '[]', '{}', '""'],
  ...['__proto__', 'constructor', 'toString', 'version', '"version":99,', '-----BEGIN ', '-----'],
  ...['A'.repeat(3000), '['.repeat(3000), ' '.repeat(3000), 'a:'.repeat(500), '=&'.repeat(500)],
];

const edit = fc.record({
  kind: fc.constantFrom('delete', 'double', 'reverse', 'insert', 'insert', 'set', 'cut'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  size: fc.nat({ max: 40 }),
  bytes: fc.oneof(
    fc.constantFrom(...junk).map((text) => Buffer.from(text)),
    fc.uint8Array({ minLength: 1, maxLength: 4 }),
  ),
});
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never;

function apply(whole: Uint8Array, { kind, at, size, bytes }: Edit): Uint8Array {
  const place = Math.floor(at * whole.length);
  const [before, behind] = [whole.subarray(0, place), whole.subarray(place)];
  const [part, rest] = [behind.subarray(0, size), behind.subarray(size)];
  if (kind === 'cut') return before;
  if (kind === 'insert') return Buffer.concat([before, bytes, behind]);
  if (kind === 'set') return Buffer.concat([before, bytes.subarray(0, 1), behind.subarray(1)]);
  if (kind === 'delete') return Buffer.concat([before, rest]);
  if (kind === 'double') return Buffer.concat([before, part, part, rest]);
  return Buffer.concat([before, Buffer.from(part).reverse(), rest]);
}

/** One of the samples after a few edits, or now and then bytes of any kind. */
export function mutated(samples: readonly (string | Uint8Array)[]): fc.Arbitrary<Uint8Array> {
  const sample = fc.constantFrom(...samples).map((text) => Buffer.from(text));
  const edited = fc
    .tuple(sample, fc.array(edit, { maxLength: 5 }))
    .map(([bytes, edits]) => edits.reduce<Uint8Array>(apply, bytes));
  return fc.oneof(
    { weight: 8, arbitrary: edited },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }) },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter }).map((text) => Buffer.from(text)) },
  );
}
