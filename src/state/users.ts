import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AuthcliError } from '../errors.ts';
import type { KnownUser } from '../protocol/user.ts';
import { excerptOf } from '../text.ts';
import { errnoCode, fileError, hashOfText, withFileErrors } from './files.ts';
import { type FileFormat, jsonFileText, readJsonFile } from './json-file.ts';
import type { Lease } from './lock.ts';
import type { StateFiles } from './state-files.ts';
import { type ImportedUser, readUserRow, type StoredUser, userRow } from './user-rows.ts';

/** Without a version it is a row of an export. */
const format: FileFormat<StoredUser> = {
  name: 'user file',
  parse(json, damaged) {
    const reading = readUserRow(json);
    if (!reading.ok) throw damaged(reading.problem);
    return { ...reading.user, updatedAt: reading.user.updatedAt ?? new Date(0).toISOString() };
  },
};

/** The format of a file of this name, which must contain the user that it names. */
export function userFormat(name: string): FileFormat<StoredUser> {
  return {
    ...format,
    parse(json, damaged) {
      const user = format.parse(json, damaged);
      if (name === fileName(user.ptnCd)) return user;
      throw damaged('it contains a different user than its name indicates');
    },
  };
}

const extension = '.json';
/** In the folder of a profile. */
export const userFolderName = 'users';

/**
 * The users of the chosen profile, one file each. A user file that is damaged or of a newer version
 * is an AuthcliError `config` that names it.
 */
export class Users {
  readonly #files: StateFiles;

  constructor(files: StateFiles) {
    this.#files = files;
  }

  get(ptnCd: string): StoredUser | undefined {
    const name = fileName(ptnCd);
    return this.#read(name, userFormat(name));
  }

  /** Sorted by the UTF-16 code units of the user code. */
  list(): readonly StoredUser[] {
    return fileNames(this.#folder)
      .flatMap((name) => this.#read(name, format) ?? [])
      .sort((left, right) => (left.ptnCd < right.ptnCd ? -1 : 1));
  }

  count(): number {
    return fileNames(this.#folder).length;
  }

  /** Adds or replaces a user. */
  async put(user: KnownUser): Promise<StoredUser> {
    const stored = this.#dated(user);
    const folder = this.#folder; // a profile that doesn't exist is refused before anything is made
    await this.#files.locked((lease) => this.#write(folder, [stored], lease));
    return stored;
  }

  /** Changes a user as it then is; its code stays. Throws AuthcliError `unknown-user`. */
  async update(ptnCd: string, change: (user: StoredUser) => KnownUser): Promise<StoredUser> {
    this.#known(ptnCd); // before anything is made or locked
    return this.#files.locked(async (lease) => {
      const stored = this.#dated({ ...change(this.#known(ptnCd)), ptnCd });
      await this.#write(this.#folder, [stored], lease);
      return stored;
    });
  }

  /** Throws AuthcliError `unknown-user`. */
  async remove(ptnCd: string): Promise<void> {
    this.#known(ptnCd);
    await this.#files.locked((lease) => {
      this.#known(ptnCd);
      lease.confirm();
      const file = join(this.#folder, fileName(ptnCd));
      withFileErrors('remove', file, () => rmSync(file));
    });
  }

  /** Puts all users under one lock, or after an error none; `onWritten` reports progress. */
  async importUsers(
    users: readonly ImportedUser[],
    onWritten?: (count: number) => void,
  ): Promise<{ readonly added: number; readonly replaced: number }> {
    const folder = this.#folder;
    return this.#files.locked(async (lease) => {
      const before = new Set(fileNames(folder));
      const added = users.filter(({ ptnCd }) => !before.has(fileName(ptnCd))).length;
      const stored = users.map((user) => {
        const dated = this.#dated(user);
        return this.#withDelivered({ ...dated, updatedAt: user.updatedAt ?? dated.updatedAt });
      });
      await this.#write(folder, stored, lease, onWritten);
      return { added, replaced: users.length - added };
    });
  }

  get #folder(): string {
    return join(this.#files.folder, userFolderName);
  }

  #read(name: string, as: FileFormat<StoredUser>): StoredUser | undefined {
    const file = join(this.#folder, name);
    const bytes = this.#files.read(file);
    return bytes && readJsonFile(bytes, file, as);
  }

  #known(ptnCd: string): StoredUser {
    const user = this.get(ptnCd);
    if (user !== undefined) return user;
    throw new AuthcliError('unknown-user', `No user "${excerptOf(ptnCd, 60)}" is known here.`, {
      hint: 'The user may be in another profile.',
      data: { ptn_cd: ptnCd },
    });
  }

  /** An import without a delivered passcode keeps the one stored, as long as the key stays. */
  #withDelivered(user: StoredUser): StoredUser {
    if (user.deliveredPasscode !== undefined) return user;
    const before = this.get(user.ptnCd);
    return before !== undefined && user.key.equals(before.key)
      ? { ...user, deliveredPasscode: before.deliveredPasscode }
      : user;
  }

  #dated(user: KnownUser): StoredUser {
    return { ...user, updatedAt: new Date(this.#files.now()).toISOString() };
  }

  async #write(
    folder: string,
    users: readonly StoredUser[],
    lease: Lease,
    onWritten?: (count: number) => void,
  ): Promise<void> {
    const files = users.map((user) => ({
      file: join(folder, fileName(user.ptnCd)),
      text: jsonFileText(userRow(user)),
    }));
    await this.#files.replace(folder, files, lease, onWritten);
  }
}

/** Not the code itself: file systems differ in the names that they allow and distinguish. */
function fileName(ptnCd: string): string {
  return `${hashOfText(ptnCd)}${extension}`;
}

function fileNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(extension));
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') return [];
    throw fileError(error, 'read', folder);
  }
}
