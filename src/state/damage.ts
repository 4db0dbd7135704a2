import { existsSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AuthcliError } from '../errors.ts';
import { readConfigDocument } from './config-document.ts';
import { failedChecksFileName, readFailedChecksFile } from './failed-checks.ts';
import { readStateFile, withFileErrors } from './files.ts';
import { localTlsFileName, readLocalTlsFile } from './local-tls-file.ts';
import { keyPairsFileName, readKeyPairsFile } from './service-key-pairs.ts';
import type { StateFiles } from './state-files.ts';
import { readNamedUserFile, userFolderName } from './users.ts';

/** A damaged file, its new name, and what is wrong with it. */
export interface SetAside {
  readonly file: string;
  readonly aside: string;
  readonly problem: string;
}

/**
 * Renames every damaged file of the local state to `FILE.damaged-TIME`. A file that is empty or of a
 * newer version isn't damaged. Called under the lock.
 *
 * @throws AuthcliError `config` for what can't be read or moved, and for a newer config file
 */
export function setDamagedAside({
  configFile,
  profilesFolder,
  now,
}: Pick<StateFiles, 'configFile' | 'profilesFolder' | 'now'>): readonly SetAside[] {
  const time = new Date(now()).toISOString().replace(/[:.]/g, '-');
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
    if (basename(entry) === failedChecksFileName) return [[file, readFailedChecksFile]];
    if (basename(entry) === localTlsFileName) return [[file, readLocalTlsFile]];
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
