import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RandomBytes } from '../bytes.ts';
import type { UserStore } from '../emulator/application.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { User } from '../protocol/user.ts';
import { followLinks, makeFolder, readStateFile, replaceFiles } from './files.ts';
import { type FileFormat, jsonFileText, readJsonFile } from './json-file.ts';
import { readUserRow, userRow } from './user-rows.ts';

const format: FileFormat<readonly User[]> = {
  name: 'users file',
  parse({ version, users }, damaged) {
    if (version !== 1 || !Array.isArray(users))
      throw damaged('it has no "version" 1 with a list of "users"');
    return users.map((row: unknown, index) => {
      const damagedRow = (problem: string) => damaged(`row ${index + 1} of "users": ${problem}`);
      if (!isJsonObject(row)) throw damagedRow('it is not a JSON object');
      return readUserRow(row, damagedRow);
    });
  },
};

/**
 * The users of an emulated application in a JSON file, mode 0600, which is replaced at every change. Several processes
 * may use the file at once: each change is made under its lock, to the users that are in it by then.
 *
 * @throws AuthcliError `config` for a file that can't be read, isn't a users file, or is newer
 */
export function openUserFile(path: string, randomBytes: RandomBytes): UserStore {
  const users = new Map<string, User>();
  const unsaved = new Map<string, User>();
  let seen = '';
  const readAgain = (file: string) => {
    if (seen !== '' && identityOf(file) === seen) return;
    // All users of an emulator are in memory, however many.
    const bytes = readStateFile(file, Number.POSITIVE_INFINITY)?.bytes;
    const stored = (bytes && readJsonFile(bytes, file, format)) ?? [];
    for (const user of [...stored, ...unsaved.values()]) users.set(user.ptnCd, user);
  };
  const save = shareRuns(async () => {
    makeFolder(dirname(path));
    const file = followLinks(path);
    const { withLock } = await import('./lock.ts');
    await withLock(file, async (confirm) => {
      readAgain(file);
      const saved = [...unsaved];
      const text = jsonFileText({ users: [...users.values()].map(userRow) });
      await replaceFiles([{ file, text }], randomBytes, confirm);
      seen = identityOf(file);
      // What was put meanwhile is saved by the next run.
      for (const [ptnCd, user] of saved) if (unsaved.get(ptnCd) === user) unsaved.delete(ptnCd);
    });
  });
  readAgain(path);
  return {
    get: (ptnCd) => users.get(ptnCd),
    list: () => [...users.values()],
    put: (user) => {
      users.set(user.ptnCd, user);
      unsaved.set(user.ptnCd, user);
      return save();
    },
  };
}

/** Which version of a file is in its place: each one is a new file. */
function identityOf(file: string): string {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return `${stat?.ino}:${stat?.ctimeNs}`;
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
