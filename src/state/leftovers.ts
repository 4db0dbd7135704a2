import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isTemporaryName } from './replace-files.ts';

/**
 * Removes the unfinished writes of a process that died: beside the config file and anywhere in
 * the folder that belongs to it. Called under the lock, so that nobody is still at them.
 */
export function removeLeftovers(file: string, folder: string): void {
  const beside = entriesOf(dirname(file), false)
    .filter((name) => name.startsWith(`${basename(file)}.tmp-`))
    .map((name) => join(dirname(file), name));
  const inside = entriesOf(folder, true).map((name) => join(folder, name));
  for (const leftover of [...beside, ...inside].filter(isTemporaryName)) {
    rmSync(leftover, { force: true });
  }
}

function entriesOf(folder: string, recursive: boolean): string[] {
  try {
    return readdirSync(folder, { recursive, encoding: 'utf8' });
  } catch {
    return []; // not there; what can't be read now is reported where it is needed
  }
}
