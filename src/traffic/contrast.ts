import { hash } from 'node:crypto';
import { keepingLatest, Recent } from '../latest-results.ts';
import { type CapturedExchange, jsonOf, knownText } from './capture.ts';

/** What may set the callbacks that fail apart from those that succeed. */
function traitsOf({ ptnCd, request, instance }: CapturedExchange) {
  const { ubifill, public_key: key } = jsonOf(request);
  const publicKey = knownText(key);
  const fingerprint = publicKey && fingerprintOf(publicKey);
  const ofCode = ptnCd === undefined ? [] : codeTraits.filter(([, form]) => form.test(ptnCd));
  return {
    has: [
      ...ofCode.map(([trait]) => `${trait} in ptn_cd`),
      ...(request ? [`${ubifill === undefined ? 'no' : 'an'} ubifill`] : []),
      ...(fingerprint ? [`the public key ${fingerprint}`] : []),
      ...(instance ? [`the instance ${instance}`] : []),
    ],
    sizes: [
      ['characters in ptn_cd', ptnCd?.length],
      ['characters in ubifill', typeof ubifill === 'string' ? ubifill.length : undefined],
    ] as const,
  };
}

const fingerprintOf = keepingLatest(4, (key: string) => hash('sha256', key).slice(0, 8));

const codeTraits: readonly (readonly [trait: string, form: RegExp])[] = [
  ['a capital letter', /[A-Z]/],
  ['no capital letter', /^[^A-Z]*$/],
  ['a leading zero', /^0/],
  ['only digits', /^\d+$/],
  ['only letters', /^[a-z]+$/i],
  ['other characters than letters and digits', /[^\w.-]/],
];

/** More different traits are forgotten: they set nothing apart. */
const mostTraits = 500;

/** How many of a number of callbacks have each trait. */
export class Tally {
  count = 0;
  readonly #has = new Recent<string, number>(mostTraits);
  readonly #sizes = new Map<string, readonly [least: number, most: number]>();

  add(captured: CapturedExchange): void {
    const { has, sizes } = traitsOf(captured);
    this.count += 1;
    for (const trait of has) this.#has.set(trait, this.having(trait) + 1);
    for (const [name, size] of sizes) {
      if (size === undefined) continue;
      const [least, most] = this.#sizes.get(name) ?? [size, size];
      this.#sizes.set(name, [Math.min(least, size), Math.max(most, size)]);
    }
  }

  having(trait: string): number {
    return this.#has.get(trait) ?? 0;
  }

  /** What all of these have, and none of those that succeeded; nothing where there are few of either. */
  apartFrom(others: Tally): readonly string[] {
    if (this.count < 5 || others.count < 5) return [];
    const traits = [...this.#has].filter(
      ([trait, count]) => count === this.count && others.having(trait) === 0,
    );
    return [...traits.map(([trait]) => trait), ...this.#sizesApartFrom(others)];
  }

  #sizesApartFrom(others: Tally): readonly string[] {
    return [...this.#sizes].flatMap(([name, [least, most]]) => {
      const [otherLeast, otherMost] = others.#sizes.get(name) ?? [-Infinity, Infinity];
      if (least > otherMost) return [`${least} or more ${name} (at most ${otherMost} otherwise)`];
      return most < otherLeast ? [`at most ${most} ${name} (${otherLeast} or more otherwise)`] : [];
    });
  }
}
