import { existsSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AuthcliError } from '../errors.ts';
import { readConfigDocument } from './config-document.ts';
import { withFileErrors } from './file-error.ts';
import { readStateFile } from './files.ts';
import { keyPairsFileName, readKeyPairsFile } from './service-key-pairs.ts';
import { readNamedUserFile, userFolderName } from './users.ts';

/** A file that couldn't be understood and where it is kept now, as it was. */
export interface SetAside {
  readonly file: string;
  readonly aside: string;
  /** What was wrong with it, in a sentence. */
  readonly problem: string;
}

/**
 * Moves every damaged file of the local state aside, to `FILE.damaged-TIME` in its folder, as it
 * is. What is empty, whole or of a newer version stays. Called under the lock.
 *
 * @param profilesFolder where the profiles keep their own files; it may be missing
 * @param now milliseconds since 1970
 * @throws AuthcliError `config` for what can't be read or moved, and for a newer config file
 */
export function setDamagedAside(
  configFile: string,
  profilesFolder: string,
  now: number,
): readonly SetAside[] {
  const time = new Date(now).toISOString().replace(/[:.]/g, '-');
  const readers: [string, Reader][] = [
    [configFile, readConfigDocument],
    ...filesIn(profilesFolder),
  ];
  return readers.flatMap(([file, read]) => {
    const problem = damageOf(file, read);
    if (problem === undefined) return [];
    const aside = freeName(`${file}.damaged-${time}`);
    withFileErrors('move aside', file, () => renameSync(file, aside));
    return [{ file, aside, problem }];
  });
}

/** Throws what reading the file for its use would throw. */
type Reader = (bytes: Uint8Array, file: string) => unknown;

function filesIn(profilesFolder: string): readonly [string, Reader][] {
  const entries = existsSync(profilesFolder)
    ? withFileErrors('read', profilesFolder, () =>
        readdirSync(profilesFolder, { recursive: true, encoding: 'utf8' }),
      )
    : [];
  return entries.sort().flatMap((entry): [string, Reader][] => {
    const file = join(profilesFolder, entry);
    if (basename(entry) === keyPairsFileName) return [[file, readKeyPairsFile]];
    const isUser = basename(dirname(entry)) === userFolderName && entry.endsWith('.json');
    return isUser ? [[file, readNamedUserFile]] : [];
  });
}

function damageOf(file: string, read: Reader): string | undefined {
  const found = readStateFile(file);
  if (found === undefined) return undefined;
  try {
    read(found.bytes, file);
    return undefined;
  } catch (error) {
    if (error instanceof AuthcliError && error.data.damaged === true) return error.message;
    throw error;
  }
}

function freeName(wanted: string): string {
  let name = wanted;
  for (let count = 2; existsSync(name); count += 1) name = `${wanted}-${count}`;
  return name;
}
