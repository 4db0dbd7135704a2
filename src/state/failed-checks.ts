import { join } from 'node:path';
import { isJsonObject, ownProperty } from '../protocol/json.ts';
import { damaged, type FileFormat, jsonFileText, readJsonFile } from './json-file.ts';
import type { StateFiles } from './state-files.ts';

/** In the folder of a profile. */
export const failedChecksFileName = 'failed-checks.json';
const format: FileFormat = {
  name: 'list of failed checks',
  migrations: [(json) => json], // version 0: written by hand
};

/** Runs of many addresses, such as of random ports, don't fill the file. */
const maxTargets = 50;

type ByTarget = ReadonlyMap<string, readonly string[]>;

/** The checks that failed in the last run of `verify`, by what was verified; of the chosen profile. */
export class FailedChecks {
  readonly #files: StateFiles;

  constructor(files: StateFiles) {
    this.#files = files;
  }

  /** Empty where nothing failed, or nothing is known. */
  of(target: string): readonly string[] {
    return this.#read().get(target) ?? [];
  }

  /** Replaces the failures of the checks that ran, and leaves those of others. */
  async put(target: string, ran: readonly string[], failed: readonly string[]): Promise<void> {
    const left = (before: ByTarget) => (before.get(target) ?? []).filter((id) => !ran.includes(id));
    const isNew = (before: ByTarget) =>
      JSON.stringify([...left(before), ...failed]) !== JSON.stringify(before.get(target) ?? []);
    if (!isNew(this.#read())) return;
    const { folder } = this.#files;
    const file = join(folder, failedChecksFileName);
    await this.#files.locked(async (lease) => {
      const before = this.#read();
      const others = [...before].filter(([name]) => name !== target).slice(1 - maxTargets);
      const all = [...left(before), ...failed];
      const targets = Object.fromEntries(all.length === 0 ? others : [...others, [target, all]]);
      await this.#files.replace(folder, [{ file, text: jsonFileText({ targets }, format) }], lease);
    });
  }

  #read(): ByTarget {
    return this.#files.readOwn(failedChecksFileName, readFailedChecksFile) ?? new Map();
  }
}

/** Throws AuthcliError `config` for a damaged or newer one. */
export function readFailedChecksFile(bytes: Uint8Array, file: string): ByTarget {
  const targets = ownProperty(readJsonFile(bytes, file, format) ?? {}, 'targets') ?? {};
  if (!isJsonObject(targets)) throw damaged(file, format, '"targets" must be an object');
  return new Map(
    Object.entries(targets).map(([target, ids]) => {
      if (!Array.isArray(ids)) throw damaged(file, format, 'each target must be a list');
      return [target, ids.filter((id) => typeof id === 'string')];
    }),
  );
}
