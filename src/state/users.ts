import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AuthcliError } from '../errors.ts';
import { excerptOf } from '../text.ts';
import type { ConfigHome } from './config-home.ts';
import { errnoCode, fileError, withFileErrors } from './file-error.ts';
import { damaged, type FileFormat, readJsonFile } from './json-file.ts';
import type { Lease } from './lock.ts';
import { hashOfText } from './names.ts';
import { replaceFiles } from './replace-files.ts';
import {
  type ImportedUser,
  type KnownUser,
  readUserRow,
  type StoredUser,
  userRow,
} from './user.ts';

export type { ImportedUser, KnownUser, StoredUser } from './user.ts';

/** What an import did. */
export interface ImportCount {
  readonly added: number;
  readonly replaced: number;
}

const format: FileFormat = {
  name: 'user file',
  migrations: [(row) => ({ ...row, version: 1 })], // version 0: a row of an export
};
const extension = '.json';
/** The folder of the users in the folder of a profile. */
export const userFolderName = 'users';

/**
 * The users known in the chosen profile, one file each: what one costs doesn't grow with their
 * number, and 100,000 of them are no burden for a command that needs one. A user file that is
 * damaged or of a newer version is an AuthcliError `config` that names it.
 */
export class Users {
  readonly #home: ConfigHome;

  constructor(home: ConfigHome) {
    this.#home = home;
  }

  /** The user of that code; undefined if it isn't known. */
  get(ptnCd: string): StoredUser | undefined {
    const file = this.#fileOf(ptnCd);
    const bytes = this.#home.readFile(file);
    return bytes === undefined ? undefined : readNamedUserFile(bytes, file);
  }

  /** All of them, by user code in the order of its UTF-16 code units. */
  list(): readonly StoredUser[] {
    const folder = this.#folder;
    return fileNames(folder)
      .flatMap((name) => this.#read(join(folder, name)) ?? [])
      .sort((left, right) => (left.ptnCd < right.ptnCd ? -1 : 1));
  }

  /** How many there are; no file is opened. */
  count(): number {
    return fileNames(this.#folder).length;
  }

  /** Adds the user, or replaces what was known of it. */
  async put(user: KnownUser): Promise<StoredUser> {
    const stored = this.#dated(user);
    const folder = this.#folder; // a profile that isn't there is refused before anything is made
    await this.#home.locked((lease) => this.#write(folder, [stored], lease));
    return stored;
  }

  /** Changes a user as it then is; its code stays. Throws AuthcliError `unknown-user`. */
  async update(ptnCd: string, change: (user: StoredUser) => KnownUser): Promise<StoredUser> {
    this.#known(ptnCd); // before anything is made or locked
    return this.#home.locked(async (lease) => {
      const stored = this.#dated({ ...change(this.#known(ptnCd)), ptnCd });
      await this.#write(this.#folder, [stored], lease);
      return stored;
    });
  }

  /** Forgets a user. Throws AuthcliError `unknown-user`. */
  async remove(ptnCd: string): Promise<void> {
    this.#known(ptnCd);
    await this.#home.locked((lease) => {
      this.#known(ptnCd);
      lease.confirm();
      const file = this.#fileOf(ptnCd);
      withFileErrors('remove', file, () => rmSync(file));
    });
  }

  /** Puts many users under one lock: all of them, or after an error none. `onWritten` is told now and then how many are written. */
  async importUsers(
    users: readonly ImportedUser[],
    onWritten?: (count: number) => void,
  ): Promise<ImportCount> {
    const stored = users.map((user) => ({ ...this.#dated(user), ...dateOf(user) }));
    const folder = this.#folder;
    return this.#home.locked(async (lease) => {
      const before = new Set(fileNames(folder));
      const added = stored.filter(({ ptnCd }) => !before.has(fileName(ptnCd))).length;
      await this.#write(
        folder,
        stored.map((user) => this.#withDelivered(user)),
        lease,
        onWritten,
      );
      return { added, replaced: stored.length - added };
    });
  }

  get #folder(): string {
    return join(this.#home.profileFolder(this.#home.profile), userFolderName);
  }

  #fileOf(ptnCd: string): string {
    return join(this.#folder, fileName(ptnCd));
  }

  #read(file: string): StoredUser | undefined {
    const bytes = this.#home.readFile(file);
    return bytes === undefined ? undefined : readUserFile(bytes, file);
  }

  #known(ptnCd: string): StoredUser {
    const user = this.get(ptnCd);
    if (user !== undefined) return user;
    throw new AuthcliError('unknown-user', `No user "${excerptOf(ptnCd, 60)}" is known here.`, {
      hint: 'The user may be in another profile.',
      data: { ptn_cd: ptnCd },
    });
  }

  /** An import that says nothing of the delivered passcode changes nothing of it, as long as the key stays. */
  #withDelivered(user: StoredUser): StoredUser {
    if (user.deliveredPasscode !== undefined) return user;
    const before = this.get(user.ptnCd);
    return before !== undefined && user.key.equals(before.key)
      ? { ...user, deliveredPasscode: before.deliveredPasscode }
      : user;
  }

  #dated(user: KnownUser): StoredUser {
    return { ...user, updatedAt: new Date(this.#home.now()).toISOString() };
  }

  async #write(
    folder: string,
    users: readonly StoredUser[],
    lease: Lease,
    onWritten?: (count: number) => void,
  ): Promise<void> {
    this.#home.makeFolder(folder);
    const files = users.map((user) => ({
      file: join(folder, fileName(user.ptnCd)),
      text: textOf(user),
    }));
    await replaceFiles(files, lease.confirm, onWritten);
    await this.#home.makeConfigFile();
  }
}

/**
 * Reads a user file's bytes. An empty file is one whose content a power cut took: the user counts
 * as not known.
 *
 * @throws AuthcliError `config` for a damaged or newer one
 */
function readUserFile(bytes: Uint8Array, file: string): StoredUser | undefined {
  const json = readJsonFile(bytes, file, format);
  if (json === undefined) return undefined;
  const reading = readUserRow(json);
  if (!reading.ok) throw damaged(file, format, reading.problem);
  return { ...reading.user, updatedAt: reading.user.updatedAt ?? new Date(0).toISOString() };
}

/** The same of a file that must have the name of its user. */
export function readNamedUserFile(bytes: Uint8Array, file: string): StoredUser | undefined {
  const user = readUserFile(bytes, file);
  if (user === undefined || basename(file) === fileName(user.ptnCd)) return user;
  throw damaged(file, format, 'it holds another user than its name says');
}

/** The code itself would not do: file systems differ in what they allow and what they tell apart. */
function fileName(ptnCd: string): string {
  return `${hashOfText(ptnCd)}${extension}`;
}

function textOf(user: StoredUser): string {
  const json = { version: format.migrations.length, ...userRow(user) };
  return `${JSON.stringify(json, undefined, 2)}\n`;
}

function dateOf({ updatedAt }: ImportedUser): { updatedAt?: string } {
  return updatedAt === undefined ? {} : { updatedAt };
}

function fileNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(extension));
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') return [];
    throw fileError(error, 'read', folder);
  }
}
