import { AuthcliError } from '../../errors.ts';
import type { LogBody } from './log-body.ts';

/** Bodies that belong together: a single one, or a request and its response in one object. */
export type Unit = readonly LogBody[];

/** So many show whether a log is newest first. */
const sampleUnits = 64;
/** A log that is read backwards is kept until its end. */
const mostBackwards = 100_000;

/** Puts the bodies of a log in the order of time: one that is newest first is read backwards. */
export class LogOrder {
  #units: Unit[] = [];
  #direction: 'forwards' | 'backwards' | undefined;

  get isBackwards(): boolean {
    return this.#direction === 'backwards';
  }

  /** @throws AuthcliError `usage` for a log that is newest first and too long to be read backwards */
  add(unit: Unit): readonly LogBody[] {
    if (this.#direction === 'forwards') return unit;
    this.#units.push(unit);
    if (this.#units.length > mostBackwards) {
      throw new AuthcliError(
        'usage',
        'The log is newest first, and too long to be kept in memory.',
        {
          hint: 'Turn it around: `tac FILE > app.log`.',
        },
      );
    }
    if (this.isBackwards || this.#units.length < sampleUnits) return [];
    this.#direction = directionOf(this.#units.flat());
    return this.isBackwards ? [] : this.#take();
  }

  end(): readonly LogBody[] {
    this.#direction ??= directionOf(this.#units.flat());
    if (this.isBackwards) this.#units.reverse();
    return this.#take();
  }

  #take(): readonly LogBody[] {
    return this.#units.splice(0).flat();
  }
}

function directionOf(bodies: readonly LogBody[]): 'forwards' | 'backwards' {
  const { later, earlier } = stepsOfTime(bodies);
  const { right, wrong } = causes(bodies);
  if (right > wrong) return 'forwards';
  if (later + earlier > 0) return earlier > 4 * later ? 'backwards' : 'forwards';
  const fitsBackwards = lonelyResponses(bodies) > lonelyResponses([...bodies].reverse());
  return fitsBackwards && (wrong > 0 || hasOnlyPairs(bodies)) ? 'backwards' : 'forwards';
}

/** How often the time goes on, and back. */
function stepsOfTime(bodies: readonly LogBody[]) {
  const times = bodies.flatMap(({ at }) => at ?? []);
  const steps = times.slice(1).map((at, index) => at - Number(times[index]));
  const count = (isMeant: (step: number) => boolean) => steps.filter(isMeant).length;
  return { later: count((step) => step > 0), earlier: count((step) => step < 0) };
}

/** How often what comes first in a flow is first, and last: a key exchange and a token before their use. */
function causes(bodies: readonly LogBody[]): { readonly right: number; readonly wrong: number } {
  const firstUses = new Map<string, number>();
  const causedAt = new Map<string, number>();
  for (const [index, { operation, isResponse, ptnCd, fields }] of bodies.entries()) {
    const token = isResponse ? Object(fields.result).acs_token : fields.acs_token;
    const name = typeof token === 'string' ? `token ${token}` : `user ${ptnCd}`;
    const isCause = operation === (isResponse ? 'token' : 'key-exchange');
    const isUse = !isResponse && ['authenticate', 'registration'].includes(operation);
    const seen = isCause ? causedAt : firstUses;
    if ((isCause || isUse) && !seen.has(name)) seen.set(name, index);
  }
  const pairs = [...firstUses].flatMap(([name, use]) => {
    const cause = causedAt.get(name);
    return cause === undefined ? [] : cause < use;
  });
  const right = pairs.filter(Boolean).length;
  return { right, wrong: pairs.length - right };
}

/** How many responses come without a request of their operation before them. */
function lonelyResponses(bodies: readonly LogBody[]): number {
  const open = new Map<string, number>();
  let lonely = 0;
  for (const { isResponse, operation } of bodies) {
    const name = operation === 'other' ? 'registration' : operation;
    const count = (open.get(name) ?? 0) + (isResponse ? -1 : 1);
    if (count < 0) lonely += 1;
    open.set(name, Math.max(0, count));
  }
  return lonely;
}

/** Whether it is as many requests as responses, so that neither end was cut off. */
function hasOnlyPairs(bodies: readonly LogBody[]): boolean {
  return bodies.filter(({ isResponse }) => isResponse).length * 2 === bodies.length;
}
