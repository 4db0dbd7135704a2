import { chownSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import Conf from 'conf';
import type { RandomBytes } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';
import type { JsonObject } from '../protocol/json.ts';
import { fileMode, withFileErrors } from './files.ts';
import { temporaryFor } from './replace-files.ts';

/**
 * Lets conf write a file beside the config file, mode 0600, and puts it in place when it is whole:
 * conf itself reports no short write on a full disk, and writes in place inside a snap. Called under
 * the lock, with the path behind all links.
 *
 * @throws AuthcliError `config`; the file is then unchanged
 */
export function writeConfigFile(file: string, json: JsonObject, randomBytes: RandomBytes): void {
  const staged = temporaryFor(file, randomBytes);
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
    fileExtension: '', // part of the name
    projectSuffix: '',
    configFileMode: fileMode,
    accessPropertiesByDotNotation: false,
    serialize: textOf,
  });
}

function textOf(json: JsonObject): string {
  return `${JSON.stringify(json, undefined, 2)}\n`;
}

/** A file that root changes keeps its owner. */
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
    hint: 'Free some space, or use another disk.',
    data: { file },
  });
}
