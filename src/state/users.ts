import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AuthcliError } from '../errors.ts';
import type { KnownUser } from '../protocol/user.ts';
import { excerptOf } from '../text.ts';
import { errnoCode, fileError, hashOfText, withFileErrors } from './files.ts';
import { type FileFormat, jsonFileText, readJsonFile } from './json-file.ts';
import type { StateFiles } from './state-files.ts';
import { readUserRow, userRow } from './user-rows.ts';

/** Without a version it is a row of an export. */
const format: FileFormat<KnownUser> = { name: 'user file', parse: readUserRow };

const extension = '.json';

/**
 * The users of the chosen profile, one file each. A user file that is damaged or of a newer version
 * is an AuthcliError `config` that names it.
 */
export class Users {
  readonly #files: StateFiles;

  constructor(files: StateFiles) {
    this.#files = files;
  }

  get(ptnCd: string): KnownUser | undefined {
    const name = fileName(ptnCd);
    return this.#read(name, {
      ...format,
      parse: (json, damaged) => {
        const user = format.parse(json, damaged);
        if (name === fileName(user.ptnCd)) return user;
        throw damaged('it contains a different user than its name indicates');
      },
    });
  }

  /** Sorted by the UTF-16 code units of the user code. */
  list(): readonly KnownUser[] {
    return fileNames(this.#folder)
      .flatMap((name) => this.#read(name, format) ?? [])
      .sort((left, right) => (left.ptnCd < right.ptnCd ? -1 : 1));
  }

  count(): number {
    return fileNames(this.#folder).length;
  }

  /** Adds or replaces a user. */
  async put(user: KnownUser): Promise<void> {
    await this.importUsers([user]);
  }

  /** Throws AuthcliError `unknown-user`. */
  async remove(ptnCd: string): Promise<void> {
    this.#refuseUnknown(ptnCd);
    await this.#files.locked((lease) => {
      this.#refuseUnknown(ptnCd);
      lease.confirm();
      const file = join(this.#folder, fileName(ptnCd));
      withFileErrors('remove', file, () => rmSync(file));
    });
  }

  /** Puts all users under one lock, or after an error none. */
  async importUsers(
    users: readonly KnownUser[],
  ): Promise<{ readonly added: number; readonly replaced: number }> {
    const folder = this.#folder; // a profile that doesn't exist is refused before anything is made
    const files = users.map((user) => ({
      file: join(folder, fileName(user.ptnCd)),
      text: jsonFileText(userRow(user)),
    }));
    return this.#files.locked(async (lease) => {
      const replaced = files.filter(({ file }) => existsSync(file)).length;
      await this.#files.replace(folder, files, lease);
      return { added: users.length - replaced, replaced };
    });
  }

  get #folder(): string {
    return join(this.#files.folder, 'users');
  }

  #read(name: string, as: FileFormat<KnownUser>): KnownUser | undefined {
    const file = join(this.#folder, name);
    const bytes = this.#files.read(file);
    return bytes && readJsonFile(bytes, file, as);
  }

  #refuseUnknown(ptnCd: string): void {
    if (this.get(ptnCd) !== undefined) return;
    throw new AuthcliError('unknown-user', `No user "${excerptOf(ptnCd, 60)}" is known here.`, {
      hint: 'The user may be in another profile.',
      data: { ptn_cd: ptnCd },
    });
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
