import { chownSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import Conf from 'conf';
import { AuthcliError } from '../errors.ts';
import type { JsonObject } from '../protocol/json-type.ts';
import { withFileErrors } from './file-error.ts';
import { fileMode } from './files.ts';
import { temporaryFor } from './replace-files.ts';

/**
 * Has conf write the config file beside its place, mode 0600, and puts it in place when it is
 * whole. Called under the lock, with the path behind all links.
 *
 * conf itself would put in place what a disk that was filling up took of the text, without an
 * error, and inside a snap it writes in place.
 *
 * @throws AuthcliError `config`; the file is then as it was
 */
export function writeConfigFile(file: string, json: JsonObject): void {
  const staged = temporaryFor(file);
  try {
    withFileErrors('write', file, () => {
      storeFor(staged).store = json;
      if (readFileSync(staged, 'utf8') !== textOf(json)) throw cutShort(file);
      keepOwner(file, staged);
      renameSync(staged, file);
    });
  } finally {
    rmSync(staged, { force: true });
  }
}

function storeFor(file: string): Conf<Record<string, unknown>> {
  return new Conf({
    cwd: dirname(file),
    configName: basename(file),
    fileExtension: '', // the name is whole: it may have any extension, or none
    projectSuffix: '',
    configFileMode: fileMode,
    accessPropertiesByDotNotation: false,
    serialize: textOf,
  });
}

function textOf(json: JsonObject): string {
  return `${JSON.stringify(json, undefined, 2)}\n`;
}

/** What root changes stays its owner's. */
function keepOwner(file: string, staged: string): void {
  const owner = statSync(file, { throwIfNoEntry: false });
  const { uid, gid } = statSync(staged);
  if (owner === undefined || (owner.uid === uid && owner.gid === gid)) return;
  try {
    chownSync(staged, owner.uid, owner.gid);
  } catch {
    // Only root may give a file away; another who may write here becomes its owner.
  }
}

function cutShort(file: string): AuthcliError {
  return new AuthcliError('config', `Can't write ${file}: the disk took only a part of it.`, {
    hint: 'Free some space, or keep the config file on another disk.',
    data: { file },
  });
}
