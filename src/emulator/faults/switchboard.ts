import { AuthcliError } from '../../errors.ts';
import { nearest, shorten } from '../../text.ts';
import type { Activation } from '../handling.ts';
import type { Fault, Hooks, PointsOf, ResponsePoints } from './points.ts';

interface Active<P extends PointsOf<P>> {
  readonly fault: Fault<P>;
  readonly ptnCd?: string;
  hooks: Hooks<P>;
  left: number;
}

/** The faults of one side, and which of them are on. */
export class Switchboard<P extends PointsOf<P>> {
  readonly catalogue: readonly Fault<P>[];
  #active: readonly Active<P>[] = [];

  constructor(catalogue: readonly Fault<P>[]) {
    this.catalogue = catalogue;
  }

  /**
   * Switches a fault on beside those that are on already.
   *
   * @throws AuthcliError `usage` for a name that isn't in the catalogue, and for `times` that isn't
   *   a whole number above 0
   */
  switchOn({ name, times, ptnCd }: Activation): void {
    const fault =
      (chosenCodeFault(name) as Fault<P> | undefined) ??
      this.catalogue.find((candidate) => candidate.name === name);
    if (fault === undefined) {
      const known = this.catalogue.map((each) => each.name);
      const similar = similarFaults(name, known).join(', ');
      throw new AuthcliError('usage', `Unknown fault ${JSON.stringify(shorten(name, 60))}.`, {
        hint: similar ? `Did you mean ${similar}?` : 'Look it up in the list of faults.',
        data: { known },
      });
    }
    if (times !== undefined && !(Number.isSafeInteger(times) && times > 0)) {
      throw new AuthcliError('usage', `A fault can't be on for ${times} calls.`, {
        hint: 'Give a whole number of calls above 0, or leave it out to keep the fault on.',
      });
    }
    const left = times ?? Number.POSITIVE_INFINITY;
    this.#active = [...this.#active, { fault, ptnCd, hooks: hooksOf(fault), left }];
  }

  /** Switches the fault `name` off, or all; returns how many were on. */
  switchOff(name?: string): number {
    const before = this.#active.length;
    this.#active =
      name === undefined ? [] : this.#active.filter(({ fault }) => fault.name !== name);
    return before - this.#active.length;
  }

  /** The faults that are on; `times` is the number of calls left. */
  active(): readonly Activation[] {
    return this.#active.map(({ fault, ptnCd, left }) => ({
      name: fault.name,
      ...(Number.isFinite(left) && { times: left }),
      ...(ptnCd !== undefined && { ptnCd }),
    }));
  }

  /** Forgets what the faults remember of earlier calls; they stay on. */
  forget(): void {
    for (const each of this.#active) each.hooks = hooksOf(each.fault);
  }

  /** The faults that are on while one call is handled; each is charged once, when it first changes something. */
  beginCall() {
    const active = this.#active;
    const charged = new Set<Active<P>>();
    const charge = (each: Active<P>) => {
      if (charged.has(each)) return;
      charged.add(each);
      each.left -= 1;
      if (each.left === 0) this.#active = this.#active.filter((other) => other !== each);
    };
    return {
      /** The faults that changed something in this call, in the order in which they first did. */
      get acted(): readonly string[] {
        return [...charged].map(({ fault }) => fault.name);
      },
      /** What passes at `point`: `right`, as the faults change it one after another. */
      pass<Name extends keyof P>(
        point: Name,
        right: P[Name]['right'],
        seen: P[Name]['seen'],
      ): P[Name]['right'] {
        let value = right;
        for (const each of active) {
          const hook = each.hooks[point];
          const isConcerned = [undefined, seen.ptnCd].includes(each.ptnCd);
          const isSpent = each.left === 0 && !charged.has(each);
          if (hook === undefined || !isConcerned || isSpent) continue;
          const changed = hook(value, seen);
          if (changed !== value) charge(each);
          value = changed;
        }
        return value;
      },
    };
  }
}

function hooksOf<P extends PointsOf<P>>({ apply }: Fault<P>): Hooks<P> {
  return typeof apply === 'function' ? apply() : apply;
}

export type CallFaults<P extends PointsOf<P>> = ReturnType<Switchboard<P>['beginCall']>;

/** The names that may have been intended. */
export function similarFaults(name: string, known: readonly string[]): readonly string[] {
  const near = [nearest(name, known), ...known.filter((each) => each.includes(name))];
  return [...new Set(near.filter((each) => each !== undefined))];
}

/** How the fault is written, and what it does, for lists. */
export const chosenCodeForm = {
  name: 'code=CODE:MESSAGE',
  title: 'Responds to every well-formed request with this code and message',
} as const;

/**
 * The fault `code=E104:try again`, which refuses every request so; undefined for another name.
 * @throws AuthcliError `usage` without a code
 */
function chosenCodeFault(name: string): Fault<ResponsePoints> | undefined {
  if (!name.startsWith('code=')) return undefined;
  const [, code = '', message = ''] = /^code=([^:]*):?(.*)$/s.exec(name) ?? [];
  if (code === '') {
    throw new AuthcliError('usage', 'The fault code= needs a code.', {
      hint: `Write ${chosenCodeForm.name}, such as code=E104:unknown client.`,
    });
  }
  const fix = 'Pass the code and the message on to the caller.';
  const chosen = { name: 'chosen-code', code, message, fix, status: 200 };
  return {
    name,
    title: chosenCodeForm.title,
    check: 'registration/answers-success',
    diagnosis: 'code-not-success',
    apply: { refusal: () => chosen },
  };
}
