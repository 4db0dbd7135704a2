import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { RandomBytes } from '../bytes.ts';
import { AuthcliError, hasCode } from '../errors.ts';
import { isJsonObject, type JsonObject, otherProperties } from '../protocol/json.ts';
import { didYouMean, excerptOf, ownProperty, shellWord } from '../text.ts';
import {
  errnoCode,
  fileMode,
  folderMode,
  followLinks,
  makeFolder,
  type NewFile,
  notAFile,
  readStateFile,
  replaceFiles,
  type StateFile,
  withFileErrors,
} from './files.ts';
import { type FileFormat, jsonFileText, newestVersion, readJsonFile } from './json-file.ts';
import type { Confirm } from './lock.ts';
import { settingNamed } from './settings.ts';

export const defaultProfile = 'default';

/** The values of one profile by name; unknown ones are preserved. */
export type ProfileValues = Map<string, unknown>;

/** The content of the config file, to be read and changed. */
export interface ConfigDocument {
  activeProfile: string;
  readonly profiles: Map<string, ProfileValues>;
  /** Other properties of the file, which are preserved. */
  readonly other: JsonObject;
}

const configFormat: FileFormat<ConfigDocument> = {
  name: 'config file',
  parse(given, damaged) {
    const json = given.version ? given : withProfiles(given);
    const found = ownProperty(json, 'profiles') ?? {};
    if (!isJsonObject(found)) throw damaged('"profiles" must be an object');
    const profiles = new Map<string, ProfileValues>([[defaultProfile, new Map()]]);
    for (const [name, values] of Object.entries(found))
      profiles.set(name, readProfile(name, values, damaged));
    const activeProfile = ownProperty(json, 'activeProfile') ?? defaultProfile;
    if (typeof activeProfile !== 'string') throw damaged('"activeProfile" must be text');
    const other = otherProperties(json, ['version', 'activeProfile', 'profiles']);
    return { activeProfile, profiles, other };
  },
};

/** A file without a version, as a user writes it: the settings are at the top. */
function withProfiles(json: JsonObject): JsonObject {
  if (Object.hasOwn(json, 'profiles')) return json;
  const names = Object.keys(json).filter((name) => settingNamed(name) !== undefined);
  const settings = Object.fromEntries(names.map((name) => [name, json[name]]));
  return { ...otherProperties(json, names), profiles: { [defaultProfile]: settings } };
}

/** The system's codes where this user may write nothing. */
const unwritable = ['EACCES', 'EPERM', 'EROFS'];

const inMemory: Confirm = () => {};

function readProfile(profile: string, values: unknown, damaged: (problem: string) => AuthcliError) {
  const where = `the profile "${excerptOf(profile, 40)}"`;
  if (!isJsonObject(values)) throw damaged(`${where} must be an object`);
  return new Map(
    Object.entries(values).map(([name, value]) => {
      const setting = settingNamed(name);
      if (setting === undefined) return [name, value];
      const isList = setting === 'headers';
      const texts = isList ? value : [value];
      if (Array.isArray(texts) && texts.every((text) => typeof text === 'string'))
        return [setting, value];
      throw damaged(`"${name}" of ${where} must be ${isList ? 'a list of texts' : 'text'}`);
    }),
  );
}

export interface OwnFile<T> extends FileFormat<T> {
  readonly fileName: string;
}

/** Where the local state is, which profile of it is used, and what it needs of the platform. */
export interface StateOptions {
  /** The config file's absolute path; the file may be missing, and a link is followed. */
  readonly configFile: string;
  readonly profile?: string;
  readonly randomBytes: RandomBytes;
  /** As `process.platform`; win32 has no permission bits. */
  readonly os: string;
  /** The ID of the user who runs authcli, where the system has one. */
  readonly userId?: number | undefined;
}

/**
 * The config file and what belongs to it:
 *
 *     FILE
 *     FILE.lock/                               while something is changed
 *     FILE.profiles/PROFILE/users/HASH.json    one for each user
 *     FILE.profiles/PROFILE/service-key-pairs.json
 *     FILE.profiles/PROFILE/local-tls.json     once it has a local CA, whose certificate is in ca.pem beside it
 */
export class StateFiles {
  readonly configFile: string;
  readonly #options: StateOptions;
  readonly #warnings = new Set<string>();
  readonly #unsaved = new Map<string, string>();
  /** Why something is in memory only. */
  notStored: string | undefined;
  #profile: string | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: StateOptions) {
    this.configFile = followLinks(options.configFile);
    this.#options = options;
  }

  /** The chosen profile. Throws AuthcliError `usage` if it doesn't exist. */
  get profile(): string {
    if (this.#profile === undefined) {
      const { profiles, activeProfile } = this.readConfig();
      const { profile = activeProfile } = this.#options;
      requireProfile(profiles, profile);
      this.#profile = profile;
    }
    return this.#profile;
  }

  /** What the user should know about the files read so far. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  /** The folder with those of every profile; it may be missing. */
  get profilesFolder(): string {
    return `${this.configFile}.profiles`;
  }

  /** The folder of a profile's own files; it may be missing. */
  profileFolder(profile: string): string {
    // For any name on any file system: a readable part in small letters, then a hash.
    const readable = profile
      .replace(/[^A-Za-z0-9]+/g, '-')
      .slice(0, 32)
      .toLowerCase();
    return join(this.profilesFolder, `${readable}-${hashOfText(profile).slice(0, 16)}`);
  }

  /** The folder of the chosen profile's own files; it may be missing. */
  get folder(): string {
    return this.profileFolder(this.profile);
  }

  /** A file of the chosen profile; undefined if it doesn't exist or is empty. */
  readOwn<T>(own: OwnFile<T>): T | undefined {
    const file = join(this.folder, own.fileName);
    const bytes = this.read(file);
    return bytes && readJsonFile(bytes, file, own);
  }

  /** Keeps what `next` makes of a file, unless it is undefined; returns what the file then is. */
  async changeOwn<T extends object>(
    own: OwnFile<T>,
    next: (before: T | undefined) => T | undefined,
  ): Promise<T | undefined> {
    const file = join(this.folder, own.fileName); // a missing profile is refused before anything is made
    return this.kept(async (confirm) => {
      const before = this.readOwn(own);
      const after = next(before);
      if (after === undefined) return before;
      await this.replace(this.folder, [{ file, text: jsonFileText(after) }], confirm);
      return after;
    });
  }

  readConfig(): ConfigDocument {
    const found = readStateFile(this.configFile);
    const document = (found && readJsonFile(found.bytes, this.configFile, configFormat)) ?? {
      activeProfile: defaultProfile,
      profiles: new Map([[defaultProfile, new Map()]]),
      other: {},
    };
    if (found !== undefined) this.#refuseForeign(found);
    // Only now: a file that isn't a config file was named by mistake, and keeps its mode.
    this.#makePrivate(this.configFile, found);
    const { activeProfile, profiles } = document;
    if (!profiles.has(activeProfile)) {
      this.#warnings.add(
        `The profile in use, "${excerptOf(activeProfile, 40)}", isn't in ${this.configFile}; "${defaultProfile}" is used.`,
      );
      document.activeProfile = defaultProfile;
    }
    return document;
  }

  /** Undefined if the file doesn't exist. One that others can read is made private, with a warning. */
  read(file: string): Uint8Array | undefined {
    const unsaved = this.#unsaved.get(file);
    if (unsaved !== undefined) return Buffer.from(unsaved);
    const found = readStateFile(file);
    this.#makePrivate(file, found);
    return found?.bytes;
  }

  /** Does `work` under the lock; within this process one after the other. */
  locked<T>(work: (confirm: Confirm) => T | Promise<T>): Promise<T> {
    const turn = this.#queue.then(() => this.#lockAnd(work));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  /**
   * Does what nobody asked for by name, as {@link locked}; where this user may write nothing, what is replaced is
   * in memory as long as the process runs.
   */
  async kept<T>(work: (confirm: Confirm) => Promise<T>): Promise<T> {
    try {
      return await this.locked(work);
    } catch (error) {
      if (!hasCode(error, 'config') || !unwritable.includes(errnoCode(error.cause) ?? ''))
        throw error;
      this.notStored ??= error.message;
      return work(inMemory);
    }
  }

  /** The names of the files in a folder; it may be missing. */
  namesIn(folder: string): readonly string[] {
    const unsaved = [...this.#unsaved.keys()].filter((file) => dirname(file) === folder);
    const written = existsSync(folder)
      ? withFileErrors('read', folder, () => readdirSync(folder))
      : [];
    return [...new Set([...written, ...unsaved.map((file) => basename(file))])];
  }

  /** Changes the config file under the lock, unless `change` returns false, and then runs `afterwards`. */
  changeConfig(change: (document: ConfigDocument) => unknown, afterwards: () => void = () => {}) {
    return this.locked(async (confirm) => {
      const document = this.readConfig();
      if (change(document) === false) return false;
      await this.#writeConfig(document, confirm);
      afterwards();
      return true;
    });
  }

  /**
   * Replaces files in a folder below {@link profilesFolder}, and makes sure that the config file, to
   * which they belong, exists and is private. Called under the lock.
   */
  async replace(folder: string, files: readonly NewFile[], confirm: Confirm): Promise<void> {
    if (confirm === inMemory) {
      for (const { file, text } of files) this.#unsaved.set(file, text);
      return;
    }
    this.#makePrivateFolder(folder);
    await replaceFiles(files, this.#options.randomBytes, confirm);
    for (const { file } of files) this.#unsaved.delete(file);
    const config = readStateFile(this.configFile);
    if (config === undefined || this.#looseModeOf(config) !== undefined)
      await this.#writeConfig(this.readConfig(), confirm);
  }

  /** conf replaces the file in one step, with its mode and owner. */
  async #writeConfig({ activeProfile, profiles, other }: ConfigDocument, confirm: Confirm) {
    const { default: Conf } = await import('conf');
    const values = [...profiles].map(([name, each]) => [name, Object.fromEntries(each)]);
    confirm();
    withFileErrors('write', this.configFile, () => {
      const conf = new Conf<Record<string, unknown>>({
        cwd: dirname(this.configFile),
        configName: basename(this.configFile),
        fileExtension: '', // part of the name
        projectSuffix: '',
        configFileMode: fileMode,
        accessPropertiesByDotNotation: false,
        serialize: (json) => `${JSON.stringify(json, undefined, 2)}\n`,
        deserialize: () => ({}), // it was read already
      });
      const fields = { activeProfile, profiles: Object.fromEntries(values), ...other };
      conf.store = { version: newestVersion, ...fields };
    });
  }

  #makePrivateFolder(folder: string): void {
    makeFolder(folder);
    if (this.#options.os === 'win32') return;
    for (let at = folder; at.startsWith(this.profilesFolder); at = dirname(at)) {
      const loose = withFileErrors('read', at, () => looseMode(statSync(at).mode));
      if (loose === undefined) continue;
      withFileErrors('close', at, () => chmodSync(at, folderMode));
      this.#warnings.add(closedWarning(at, loose));
    }
  }

  async #lockAnd<T>(work: (confirm: Confirm) => T | Promise<T>): Promise<T> {
    const { withLock } = await import('./lock.ts');
    const file = this.configFile;
    const stat = withFileErrors('write', file, () => statSync(file, { throwIfNoEntry: false }));
    if (stat?.isFile() === false) throw notAFile(file, stat.isDirectory());
    makeFolder(dirname(file));
    return withLock(file, work);
  }

  /** Whoever can write the config file decides which commands authcli runs, and which files it reads. */
  #refuseForeign({ bytes, mode = 0, owner = 0 }: StateFile): void {
    const { os, userId = owner } = this.#options;
    if (os === 'win32' || !/["\s](?:cmd|file):/.test(Buffer.from(bytes).toString())) return;
    const file = this.configFile;
    const isForeign = owner !== userId && owner !== 0;
    if (!isForeign && (mode & 0o022) === 0) return;
    const [problem, fix] = isForeign
      ? [`The config file ${file} belongs to another user`, 'sudo chown "$(id -un)"']
      : [`Others can write the config file ${file} (mode ${looseMode(mode)})`, 'chmod 600'];
    const message = `${problem}, and its references (cmd:, file:) decide what authcli runs and reads.`;
    const hint = `Check its content, then run: ${fix} ${shellWord(file)}`;
    throw new AuthcliError('config', message, { hint, data: { file } });
  }

  #makePrivate(file: string, found: StateFile | undefined): void {
    const mode = found && this.#looseModeOf(found);
    if (mode === undefined) return;
    try {
      chmodSync(file, fileMode);
      this.#warnings.add(closedWarning(file, mode));
    } catch {
      // another user's file, or a file system that is read-only
      const advice = "it isn't yours to close: have its owner run chmod 600";
      this.#warnings.add(`Others can read ${file} (mode ${mode}), and ${advice}.`);
    }
  }

  #looseModeOf({ mode = 0 }: StateFile): string | undefined {
    return this.#options.os === 'win32' ? undefined : looseMode(mode);
  }
}

/** A mode in octal that permits others something, such as 0644; undefined for any other. */
function looseMode(mode: number): string | undefined {
  return (mode & 0o077) === 0 ? undefined : (mode & 0o777).toString(8).padStart(4, '0');
}

function closedWarning(path: string, mode: string): string {
  return `Others could read ${path} (mode ${mode}); it is private again.`;
}

/** The values of a profile. Throws AuthcliError `usage` if it doesn't exist. */
export function requireProfile(profiles: ReadonlyMap<string, ProfileValues>, name: string) {
  const values = profiles.get(name);
  if (values !== undefined) return values;
  const names = excerptOf([...profiles.keys()].sort().join(', '), 200);
  throw new AuthcliError('usage', `Unknown profile "${excerptOf(name, 40)}".`, {
    hint: didYouMean(name, profiles.keys()) || `Existing profiles: ${names}.`,
  });
}

/** SHA-256 of the text as JSON, which distinguishes lone surrogates. */
export function hashOfText(text: string): string {
  return createHash('sha256').update(JSON.stringify(text)).digest('hex');
}
