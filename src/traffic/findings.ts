import { hash } from 'node:crypto';
import { isPayloadCode, keyFormCodes, wrappedKeyCodes } from '../errors.ts';
import { keepingLatest, Recent } from '../latest-results.ts';
import { type CapturedExchange, jsonOf, knownText } from './capture.ts';
import { callbackFacts } from './departures.ts';
import type { Finding } from './exchange-review.ts';
import { acceptance } from './judge.ts';

/** One thing that is wrong, however often. */
export interface DistinctFinding extends Finding {
  readonly count: number;
  /** Where it was seen first. */
  readonly source: string;
  readonly ptnCd?: string;
  /** Milliseconds since the epoch. */
  readonly firstAt?: number;
  readonly lastAt?: number;
  readonly operation: CapturedExchange['operation'];
  readonly users: ReadonlySet<string>;
  /** What the exchanges in which it was seen have in common. */
  readonly traits: Tally;
}

/** What an application and a service do that the interface forbids. */
export type Departures = Readonly<Record<Finding['side'], readonly DistinctFinding[]>>;

/** More different ones are left out: something in them differs each time. */
const mostKinds = 1000;
/** More users of one finding are not listed. */
const mostUsers = 100_000;

/** More occurrences of one finding are judged like those before. */
const mostDoubts = 10_000;

interface Kept extends DistinctFinding {
  count: number;
  readonly doubts: (() => boolean)[];
  firstAt?: number;
  lastAt?: number;
  readonly users: Set<string>;
}

/** The distinct ones among findings; at most `mostKinds`. */
export class Findings {
  readonly #findings = new Map<string, Kept>();

  add(finding: Finding, captured: CapturedExchange, ptnCd?: string): void {
    const { source, operation, startedAt: at } = captured;
    const id = kindOf(finding);
    if (!this.#findings.has(id) && this.#findings.size >= mostKinds) return;
    const known = this.#findings.get(id) ?? {
      ...finding,
      source,
      ptnCd,
      operation,
      count: 0,
      users: new Set<string>(),
      traits: new Tally(),
      doubts: [],
    };
    this.#findings.set(id, known);
    known.count += 1;
    if (finding.isStillWrong && known.doubts.length < mostDoubts)
      known.doubts.push(finding.isStillWrong);
    known.traits.add(captured);
    if (ptnCd !== undefined && known.users.size < mostUsers) known.users.add(ptnCd);
    if (at === undefined) return;
    known.firstAt = Math.min(known.firstAt ?? at, at);
    known.lastAt = Math.max(known.lastAt ?? at, at);
  }

  /** By harm: users who can't sign up or sign in, secrets, other requirements, recommendations; then by how many. */
  get all(): readonly DistinctFinding[] {
    const wrong = [...this.#findings.values()].flatMap((kept) => {
      const resolved = kept.doubts.filter((isStillWrong) => !isStillWrong()).length;
      const isResolved = resolved > 0 && resolved === Math.min(kept.count, mostDoubts);
      return isResolved ? [] : [{ ...kept, count: kept.count - resolved }];
    });
    return wrong.sort(
      (a, b) => harmOf(a) - harmOf(b) || b.users.size - a.users.size || b.count - a.count,
    );
  }

  /** Those that break a `must`; a refusal breaks none by itself, and a payload shows one only under its cipher. */
  get departures(): Departures {
    const broken = this.all.filter(
      ({ check }) =>
        check.level === 'must' && !acceptance.test(check.id) && !ofPayloads.includes(check.id),
    );
    const of = (wanted: Finding['side']) => broken.filter(({ side }) => side === wanted);
    return { service: of('service'), application: of('application') };
  }
}

const ofPayloads: readonly string[] = [callbackFacts.payloads.id, 'service/returns-passcode'];

/** The same for what has the same cause. */
function kindOf({ check, side, fault, isKeyGuessed, isUnanswered }: Finding): string {
  // of a shape, which field it is; what else was observed may differ each time
  const what = check === callbackFacts.shape ? fault.observed : fault.diagnosis?.code;
  const said = String(fault.diagnosis?.evidence?.error_text ?? '');
  const words = said.replace(/(['"])[^'"]*\1|\d+/g, '…');
  const kind = [side, check.id, check.level, what ?? fault.observed, words];
  return [...kind, isKeyGuessed, isUnanswered].join('\0');
}

const ofSecrets = /secret|plain-key|log\//;
const ofKeys: readonly string[] = [...wrappedKeyCodes, ...keyFormCodes];

function harmOf({ check, fault }: Finding): number {
  if (ofSecrets.test(check.id)) return 1;
  if (check.level !== 'must') return 3;
  const code = fault.diagnosis?.code ?? '';
  return acceptance.test(check.id) || isPayloadCode(code) || ofKeys.includes(code) ? 0 : 2;
}

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
