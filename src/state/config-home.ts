import { dirname, join } from 'node:path';
import { AuthcliError } from '../errors.ts';
import { didYouMean } from '../suggest.ts';
import { excerptOf } from '../text.ts';
import { type ConfigDocument, configJson, readConfigDocument } from './config-document.ts';
import {
  closeFile,
  closeFolder,
  followLinks,
  makeFolder,
  readStateFile,
  refuseUnlessFile,
  type StateFile,
} from './files.ts';
import { removeLeftovers } from './leftovers.ts';
import type { Lease } from './lock.ts';
import type { SetAside } from './mending.ts';
import { safeName } from './names.ts';

/** Where the local state is and which part of it is meant. */
export interface StateOptions {
  /** The config file's absolute path, whether it is there or not; a link is followed. */
  readonly configFile: string;
  /** The profile to use; default: the one in use, else `default`. */
  readonly profile?: string;
  /** Milliseconds since 1970, for what is dated. */
  readonly now: () => number;
}

/**
 * Where one config file and what belongs to it are, and how they are read and changed. Beside
 * the file FILE stand
 *
 *     FILE.lock/                               while something is changed
 *     FILE.profiles/PROFILE/users/HASH.json    one for each user
 *     FILE.profiles/PROFILE/service-key-pairs.json
 */
export class ConfigHome {
  /** The config file, links followed. */
  readonly file: string;
  readonly now: () => number;
  readonly #wanted: string | undefined;
  readonly #warnings = new Set<string>();
  #profile: string | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor({ configFile, profile, now }: StateOptions) {
    this.file = followLinks(configFile);
    this.now = now;
    this.#wanted = profile;
  }

  /** The chosen profile. Throws AuthcliError `usage` if it isn't there. */
  get profile(): string {
    this.#profile ??= this.#chooseProfile(this.read());
    return this.#profile;
  }

  /** What was noticed so far that the user should know. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  /** The folder of a profile's own files; it may be missing. */
  profileFolder(profile: string): string {
    return join(this.#profilesFolder, safeName(profile));
  }

  /** Reads the config file anew. What is no config file, as when another is named by mistake, keeps its mode. */
  read(): ConfigDocument {
    const found = readStateFile(this.file);
    const document = readConfigDocument(found?.bytes, this.file);
    this.#closeLoose(this.file, found);
    for (const warning of document.warnings) this.#warnings.add(warning);
    return document;
  }

  /** Reads a file of this home, undefined if there is none; one that others can read is closed and noted. */
  readFile(file: string): Uint8Array | undefined {
    const found = readStateFile(file);
    this.#closeLoose(file, found);
    return found?.bytes;
  }

  /** Does `work` under the lock; within this process one after the other. */
  locked<T>(work: (lease: Lease) => T | Promise<T>): Promise<T> {
    const turn = this.#queue.then(() => this.#lockAnd(work));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  /**
   * Reads, changes and writes the config file under the lock, then does what comes `afterwards`;
   * neither if `change` says false.
   */
  async change(
    change: (document: ConfigDocument) => boolean,
    afterwards: () => void = () => {},
  ): Promise<void> {
    const { writeConfigFile } = await import('./config-writer.ts');
    await this.locked((lease) => {
      const document = this.read();
      if (!change(document)) return;
      lease.confirm();
      writeConfigFile(this.file, configJson(document));
      afterwards();
    });
  }

  /** What is kept beside the config file hangs on it: once something is, it is there and private. Called under the lock. */
  async makeConfigFile(): Promise<void> {
    const found = readStateFile(this.file);
    if (found !== undefined && found.looseMode === undefined) return;
    const { writeConfigFile } = await import('./config-writer.ts');
    writeConfigFile(this.file, configJson(this.read()));
  }

  /** Makes a folder inside the home; it and those around it are closed to others. */
  makeFolder(folder: string): void {
    makeFolder(folder);
    for (let at = folder; at.startsWith(this.#profilesFolder); at = dirname(at)) {
      const loose = closeFolder(at);
      if (loose !== undefined) this.#noteLoose(at, loose);
    }
  }

  /** Moves what is damaged aside as it is, and says what and where to; nothing is deleted. */
  async setDamagedAside(): Promise<readonly SetAside[]> {
    const { setDamagedAside } = await import('./mending.ts');
    return this.locked((lease) => {
      lease.confirm();
      return setDamagedAside(this.file, this.#profilesFolder, this.now());
    });
  }

  get #profilesFolder(): string {
    return `${this.file}.profiles`;
  }

  async #lockAnd<T>(work: (lease: Lease) => T | Promise<T>): Promise<T> {
    const { withLock } = await import('./lock.ts');
    refuseUnlessFile(this.file);
    makeFolder(dirname(this.file));
    return withLock(this.file, (lease) => {
      if (lease.tookOver) removeLeftovers(this.file, this.#profilesFolder);
      return work(lease);
    });
  }

  #chooseProfile({ profiles, activeProfile }: ConfigDocument): string {
    if (this.#wanted === undefined) return activeProfile;
    requireProfile(profiles, this.#wanted);
    return this.#wanted;
  }

  #closeLoose(file: string, found: StateFile | undefined): void {
    const mode = found?.looseMode;
    if (mode === undefined) return;
    if (closeFile(file)) this.#noteLoose(file, mode);
    else {
      this.#warnings.add(
        `Others can read ${file} (mode ${mode}), and it isn't yours to close: have its owner run chmod 600.`,
      );
    }
  }

  #noteLoose(path: string, mode: string): void {
    this.#warnings.add(`Others could read ${path} (mode ${mode}); it is private again.`);
  }
}

/** @throws AuthcliError `usage` if there is no profile of that name */
export function requireProfile(profiles: ReadonlyMap<string, unknown>, name: string): void {
  if (profiles.has(name)) return;
  const names = excerptOf([...profiles.keys()].sort().join(', '), 200);
  throw new AuthcliError('usage', `There is no profile "${excerptOf(name, 40)}".`, {
    hint: didYouMean(name, profiles.keys()) || `The profiles are ${names}.`,
  });
}
