import { isJsonObject } from '../protocol/json.ts';
import { ownProperty } from '../text.ts';
import type { OwnFile, StateFiles } from './state-files.ts';

/** The checks that failed, by what was verified. */
interface Failures {
  readonly targets: Readonly<Record<string, readonly string[]>>;
}

export const failedChecksFile: OwnFile<Failures> = {
  fileName: 'failed-checks.json',
  name: 'list of failed checks',
  parse(json, damaged) {
    const targets = ownProperty(json, 'targets') ?? {};
    if (!isJsonObject(targets)) throw damaged('"targets" must be an object');
    const entries = Object.entries(targets).map(([target, ids]) => {
      if (!Array.isArray(ids)) throw damaged('each target must be a list');
      return [target, ids.filter((id) => typeof id === 'string')];
    });
    return { targets: Object.fromEntries(entries) };
  },
};

/** Runs of many addresses, such as of random ports, don't fill the file. */
const maxTargets = 50;

/** The checks that failed in the last run of `verify`, of the chosen profile. */
export class FailedChecks {
  readonly #files: StateFiles;

  constructor(files: StateFiles) {
    this.#files = files;
  }

  /** Empty where nothing failed, or nothing is known. */
  of(target: string): readonly string[] {
    return failuresOf(target, this.#files.readOwn(failedChecksFile));
  }

  /** Replaces the failures of the checks that ran, and leaves those of others. */
  async put(target: string, ran: readonly string[], failed: readonly string[]): Promise<void> {
    const next = (before: Failures | undefined): Failures | undefined => {
      const known = failuresOf(target, before);
      const all = [...known.filter((id) => !ran.includes(id)), ...failed];
      if (all.join() === known.join()) return undefined;
      const entries = Object.entries(before?.targets ?? {});
      const others = entries.filter(([name]) => name !== target).slice(1 - maxTargets);
      const own: typeof others = all.length === 0 ? [] : [[target, all]];
      return { targets: Object.fromEntries([...others, ...own]) };
    };
    if (next(this.#files.readOwn(failedChecksFile)) === undefined) return;
    await this.#files.changeOwn(failedChecksFile, next);
  }
}

function failuresOf(target: string, failures: Failures | undefined): readonly string[] {
  return new Map(Object.entries(failures?.targets ?? {})).get(target) ?? [];
}
