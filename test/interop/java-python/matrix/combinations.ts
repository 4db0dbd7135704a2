import { cipherPresets } from '../../../../src/crypto/cipher-presets.ts';
import { type Language, languages } from './peer.ts';

/** The public key of a service. */
interface KeyForm {
  readonly form: 'base64' | 'lines' | 'pem';
  readonly bits: number;
  readonly exponent: number;
}

/** One choice of everything that the interface leaves open, and who plays which side. */
export interface Combination {
  readonly cipher: string;
  readonly format: string;
  readonly zone: string;
  readonly key: KeyForm;
  readonly decrypt: boolean;
  readonly sides: readonly [service: Language, application: Language];
}

/** Formats of user information, and what `learn` has to print for each. */
export const formats: Readonly<Record<string, string>> = {
  json: 'json: email, name, phone',
  'json-other': 'json: eml, nm, hp, grade',
  xml: 'xml: email, name, phone',
  form: 'form: email, name, phone',
  pipe: 'separated by "|"',
  lines: 'separated by "\\n": email, name, phone',
};

const zones = ['UTC', 'Asia/Seoul', 'America/New_York', 'Asia/Kolkata', 'Pacific/Chatham'];

export const keys: readonly KeyForm[] = [
  { form: 'base64', bits: 2048, exponent: 65_537 },
  { form: 'base64', bits: 1024, exponent: 65_537 },
  { form: 'base64', bits: 3072, exponent: 65_537 },
  { form: 'base64', bits: 4096, exponent: 65_537 },
  { form: 'base64', bits: 2048, exponent: 3 },
  { form: 'lines', bits: 2048, exponent: 65_537 },
  { form: 'pem', bits: 2048, exponent: 65_537 },
  { form: 'pem', bits: 3072, exponent: 3 },
];

/** Presets of one cipher are one. */
const ciphers = [...new Set(cipherPresets.map(({ cipher }) => cipher))];

const dimensions = {
  cipher: ciphers,
  format: Object.keys(formats),
  zone: zones,
  key: keys,
  decrypt: [true, false],
  sides: languages.flatMap((service) => languages.map((application) => [service, application])),
} as const;

type Name = keyof typeof dimensions;
const names = Object.keys(dimensions) as readonly Name[];

/** The JDK has no ARIA. */
function isPossible({ cipher, sides }: Partial<Combination>): boolean {
  return !cipher?.startsWith('aria') || sides === undefined || !sides.includes('java');
}

/** Every combination of the settings; who plays which side changes from one to the next. */
export function wholeProduct(): readonly Combination[] {
  const all = names
    .filter((name) => name !== 'sides')
    .reduce<readonly Partial<Combination>[]>(
      (rows, name) =>
        rows.flatMap((row) => dimensions[name].map((value) => ({ ...row, [name]: value }))),
      [{}],
    ) as readonly Combination[];
  return all.map((row, index) => {
    // each second one decrypts, so that the pair changes after two, and after each 16 by one more
    const turn = Math.floor(index / 2) + Math.floor(index / 16);
    const sides = [inTurn(turn), inTurn(turn >> 1)] as const;
    const withSides = { ...row, sides };
    return isPossible(withSides) ? withSides : { ...row, sides: ['python', 'python'] };
  });
}

/**
 * Combinations in which every pair of values of two settings occurs. Those with the largest keys are only in the
 * whole product: making one takes seconds.
 */
export function allPairs(): readonly Combination[] {
  const open = pairsOf();
  const rows: Combination[] = [];
  while (open.size > 0) {
    const row = rowThatCovers(open);
    for (const pair of pairsIn(row)) open.delete(pair);
    rows.push(row as Combination);
  }
  return rows.filter(({ key }) => key.bits < 4096);
}

function pairsOf(): Set<string> {
  const pairs = new Set<string>();
  for (const [at, left] of names.entries()) {
    for (const right of names.slice(at + 1)) {
      for (const one of dimensions[left])
        for (const other of dimensions[right]) {
          const row = { [left]: one, [right]: other } as Partial<Combination>;
          if (isPossible(row)) pairs.add(pairName(row, left, right));
        }
    }
  }
  return pairs;
}

function pairName(row: Partial<Combination>, left: Name, right: Name): string {
  return JSON.stringify([left, row[left], right, row[right]]);
}

function pairsIn(row: Partial<Combination>): readonly string[] {
  const known = names.filter((name) => row[name] !== undefined);
  return known.flatMap((left, at) =>
    known.slice(at + 1).map((right) => pairName(row, left, right)),
  );
}

/** Begins with the first pair that is open, and takes for each other setting what covers most. */
function rowThatCovers(open: ReadonlySet<string>): Partial<Combination> {
  const [first = ''] = open;
  const [left, one, right, other] = JSON.parse(first) as [Name, unknown, Name, unknown];
  const valueIn = (name: Name, value: unknown) =>
    (dimensions[name] as readonly unknown[]).find(
      (each) => JSON.stringify(each) === JSON.stringify(value),
    );
  let row = { [left]: valueIn(left, one), [right]: valueIn(right, other) } as Partial<Combination>;
  for (const name of names) {
    if (row[name] !== undefined) continue;
    const rows = dimensions[name]
      .map((value) => ({ ...row, [name]: value }) as Partial<Combination>)
      .filter(isPossible)
      .map((each) => ({ each, covered: pairsIn(each).filter((pair) => open.has(pair)).length }));
    row = rows.reduce((best, next) => (next.covered > best.covered ? next : best)).each;
  }
  return row;
}

function inTurn(turn: number): Language {
  return turn % 2 === 0 ? 'python' : 'java';
}
