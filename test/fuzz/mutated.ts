import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';

/** What breaks parsers: the signs of formats, controls, numbers at their edges, other alphabets. */
const junk: readonly string[] = [
  ...[
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    ':',
    ',',
    '\\',
    '\\u',
    '\\ud800',
    '/*',
    '//',
    '<',
    '>',
    '&',
    ';',
  ],
  ...[
    '=',
    '==',
    '+',
    '-',
    '_',
    '%',
    '%00',
    '%zz',
    '@',
    '#',
    '?',
    '*',
    '.',
    '..',
    '|',
    '$',
    '`',
    '~',
  ],
  ...['\0', '\t', '\n', '\r\n', '\u001b[2J', '\u0007', '\u007f', '\u0085', '\u009b', '\u00a0'],
  ...['\u200b', '\u202e', '\u2028', '\ufeff', '\ufffd', '\u0301', '한글', 'é', '😀', 'ﬁ', '０'],
  ...['0', '-1', '1e999', '00', '0x', '9'.repeat(40), 'NaN', 'null', 'true', '[]', '{}', '""'],
  ...['__proto__', 'constructor', 'toString', 'version', '"version":99,', '-----BEGIN ', '-----'],
  ...['A'.repeat(3000), '['.repeat(3000), ' '.repeat(3000), 'a:'.repeat(500), '=&'.repeat(500)],
];

type Edit =
  | { readonly kind: 'delete' | 'double' | 'reverse'; readonly at: number; readonly size: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'set'; readonly at: number; readonly byte: number }
  | { readonly kind: 'cut'; readonly at: number };

const at = fc.double({ min: 0, max: 1, noNaN: true });

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('delete' as const, 'double' as const, 'reverse' as const),
    at,
    size: fc.nat({ max: 40 }),
  }),
  fc.record({
    kind: fc.constant('insert' as const),
    at,
    bytes: fc.oneof(
      fc.constantFrom(...junk).map((text) => Buffer.from(text)),
      fc.uint8Array({ minLength: 1, maxLength: 4 }),
    ),
  }),
  fc.record({ kind: fc.constant('set' as const), at, byte: fc.nat({ max: 255 }) }),
  fc.record({ kind: fc.constant('cut' as const), at }),
);

function apply(bytes: Uint8Array, change: Edit): Uint8Array {
  const place = Math.floor(change.at * bytes.length);
  const [before, behind] = [bytes.subarray(0, place), bytes.subarray(place)];
  if (change.kind === 'cut') return before;
  if (change.kind === 'insert') return Buffer.concat([before, change.bytes, behind]);
  if (change.kind === 'set') {
    return Buffer.concat([before, Uint8Array.of(change.byte), behind.subarray(1)]);
  }
  const [part, rest] = [behind.subarray(0, change.size), behind.subarray(change.size)];
  if (change.kind === 'delete') return Buffer.concat([before, rest]);
  if (change.kind === 'double') return Buffer.concat([before, part, part, rest]);
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
