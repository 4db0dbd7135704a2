import { callbackFacts } from './departures.ts';
import type { Finding } from './exchange-review.ts';
import { acceptance } from './judge.ts';

/** One thing that is wrong, however often. */
export interface DistinctFinding extends Finding {
  readonly count: number;
  /** Where it was seen first. */
  readonly source: string;
  readonly ptnCd?: string;
}

/** What an application and a service do that the interface forbids. */
export type Departures = Readonly<Record<Finding['side'], readonly DistinctFinding[]>>;

/** More different ones are left out: something in them differs each time. */
const mostKinds = 1000;

/** The distinct ones among findings; at most `mostKinds`. */
export class Findings {
  readonly #findings = new Map<string, DistinctFinding>();

  add(finding: Finding, source: string, ptnCd?: string): void {
    const { check, side, fault, isKeyGuessed = '' } = finding;
    // of a shape, which field it is; what else was observed may differ each time
    const what = check === callbackFacts.shape ? fault.observed : fault.diagnosis?.code;
    const id = [side, check.id, check.level, what ?? fault.observed, isKeyGuessed].join('\0');
    const known = this.#findings.get(id);
    if (known === undefined && this.#findings.size >= mostKinds) return;
    const first = { ...finding, source, ptnCd };
    this.#findings.set(id, { ...(known ?? first), count: (known?.count ?? 0) + 1 });
  }

  /** What a `must` requires first, then by how often it is wrong. */
  get all(): readonly DistinctFinding[] {
    const rank = ({ check }: Finding) => (check.level === 'must' ? 0 : 1);
    return [...this.#findings.values()].sort((a, b) => rank(a) - rank(b) || b.count - a.count);
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
