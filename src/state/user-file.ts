import { dirname } from 'node:path';
import type { RandomBytes } from '../bytes.ts';
import type { UserStore } from '../emulator/users.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { User } from '../protocol/user.ts';
import { followLinks, makeFolder, readStateFile } from './files.ts';
import { damaged, type FileFormat, jsonFileText, readJsonFile } from './json-file.ts';
import { replaceFiles } from './replace-files.ts';
import { readUserRow, userRow } from './user-rows.ts';

const format: FileFormat = { name: 'users file', migrations: [(json) => json] };

/**
 * The users of an emulated application in a JSON file, mode 0600, which is read once and replaced at
 * every change.
 *
 * @throws AuthcliError `config` for a file that can't be read, isn't a users file, or is newer
 */
export function openUserFile(path: string, randomBytes: RandomBytes): UserStore {
  const users = new Map(readUsers(path).map((user) => [user.ptnCd, user]));
  const save = shareRuns(() => {
    makeFolder(dirname(path));
    const text = jsonFileText({ users: [...users.values()].map(userRow) }, format);
    return replaceFiles([{ file: followLinks(path), text }], { randomBytes });
  });
  return {
    get: (ptnCd) => users.get(ptnCd),
    list: () => [...users.values()],
    put: (user) => {
      users.set(user.ptnCd, user);
      return save();
    },
  };
}

function readUsers(path: string): readonly User[] {
  const bytes = readStateFile(path)?.bytes;
  const json = bytes && readJsonFile(bytes, path, format);
  if (json === undefined) return [];
  if (json.version !== 1 || !Array.isArray(json.users)) {
    throw damaged(path, format, 'it has no "version" 1 with a list of "users"');
  }
  return json.users.map((row: unknown, index) => {
    const reading = isJsonObject(row) ? readUserRow(row) : undefined;
    if (reading?.ok) return reading.user;
    const problem = reading?.problem ?? 'it is not a JSON object';
    throw damaged(path, format, `row ${index + 1} of "users": ${problem}`);
  });
}

/** All callers during one run share the next: each waits for a run that began after its call. */
function shareRuns(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        running = work();
        return running;
      });
    return next;
  };
}
