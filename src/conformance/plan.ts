import type { Capability, Check } from './check.ts';
import type { CheckResult } from './result.ts';

/** Which check finds out for the others whether a capability is there. */
export const providers: Readonly<Record<Capability, string>> = {
  'readable-key': 'key-exchange/wraps-key',
  'usable-key': 'key-exchange/key-length',
};

/** What a run consists of. */
export interface Plan {
  readonly selected: readonly Check[];
  /** Needed by those and not among them. */
  readonly controls: readonly Check[];
}

/** Adds to a selection the checks that it needs; both in the order of the catalogue, none twice. */
export function planOf(selection: readonly Check[], catalogue: readonly Check[]): Plan {
  const selected = catalogue.filter((check) => selection.includes(check));
  const needed = new Set<string>();
  const add = (check: Check): void => {
    for (const id of check.needs.map(providerOf)) {
      const control = catalogue.find((candidate) => candidate.id === id);
      if (control === undefined) throw new TypeError(`${check.id} needs ${id}, which is no check`);
      if (needed.has(id)) continue;
      needed.add(id);
      add(control);
    }
  };
  for (const check of selected) add(check);
  const controls = catalogue.filter((check) => needed.has(check.id) && !selected.includes(check));
  return { selected, controls };
}

/** Why a check can't be judged: the first of its needs that is not there; undefined where all are. */
export function missingNeed(
  check: Check,
  results: ReadonlyMap<string, CheckResult>,
): string | undefined {
  for (const need of check.needs) {
    const id = providerOf(need);
    const result = results.get(id);
    const isThere = isCapability(need)
      ? result?.provides?.includes(need)
      : result?.status === 'passed';
    if (!isThere) return reasonOf(need, id, result);
  }
  return undefined;
}

const lacking: Readonly<Record<Capability, string>> = {
  'readable-key': 'no wrapped key came with the answer',
  'usable-key': 'no per-user key could be read that can be used',
};

function reasonOf(need: string, id: string, result: CheckResult | undefined): string {
  if (isCapability(need)) return `It can't be judged: ${lacking[need]} (${id}).`;
  const how = result?.status === 'skipped' ? 'could not be judged' : 'did not hold';
  return `It counts only beside its positive control ${id}, which ${how}.`;
}

/** The id of the check that a need is about. */
export function providerOf(need: string): string {
  return isCapability(need) ? providers[need] : need;
}

function isCapability(need: string): need is Capability {
  return need in providers;
}
