import { existsSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AuthcliError } from '../errors.ts';
import { readConfigDocument } from './config-document.ts';
import { FailedChecks, failedChecksFile } from './failed-checks.ts';
import { readStateFile, withFileErrors } from './files.ts';
import { type FileFormat, readJsonFile } from './json-file.ts';
import { LocalTlsFile, localTlsFile } from './local-tls-file.ts';
import { Profiles, SettingsStore } from './profiles.ts';
import { keyPairsFile, ServiceKeyPairs } from './service-key-pairs.ts';
import { StateFiles, type StateOptions } from './state-files.ts';
import { Users, userFolderName, userFormat } from './users.ts';

/**
 * The local state of one profile. Reading makes no file; every change is made under the config
 * file's lock: lock, read again, change, write, release. What can't be read, parsed, locked or
 * written is an AuthcliError `config`, a missing profile an AuthcliError `usage`.
 */
export class State {
  readonly settings: SettingsStore;
  readonly profiles: Profiles;
  readonly users: Users;
  readonly serviceKeyPairs: ServiceKeyPairs;
  readonly failedChecks: FailedChecks;
  readonly localTls: LocalTlsFile;
  readonly #files: StateFiles;

  constructor(files: StateFiles) {
    this.#files = files;
    this.settings = new SettingsStore(files);
    this.profiles = new Profiles(files);
    this.users = new Users(files);
    this.serviceKeyPairs = new ServiceKeyPairs(files);
    this.failedChecks = new FailedChecks(files);
    this.localTls = new LocalTlsFile(files);
  }

  /** The config file, links followed. */
  get configFile(): string {
    return this.#files.configFile;
  }

  /** The profile used; it is looked up in the config file at the first call. */
  get profile(): string {
    return this.#files.profile;
  }

  /** What the user should know about the files read so far, such as that others can read them. */
  get warnings(): readonly string[] {
    return this.#files.warnings;
  }

  /**
   * Renames every damaged file to `FILE.damaged-TIME`. A file that is empty or of a newer version
   * isn't damaged.
   *
   * @throws AuthcliError `config` for what can't be read or moved, and for a newer config file
   */
  setDamagedAside(): Promise<readonly SetAside[]> {
    return this.#files.locked((lease) => {
      lease.confirm();
      const { configFile, profilesFolder, now } = this.#files;
      const time = new Date(now()).toISOString().replace(/[:.]/g, '-');
      const config: Readable = [configFile, (bytes) => readConfigDocument(bytes, configFile)];
      return [config, ...readableFiles(profilesFolder)].flatMap(([file, read]) => {
        const problem = damageOf(file, read);
        if (problem === undefined) return [];
        const aside = freeName(`${file}.damaged-${time}`);
        withFileErrors('move aside', file, () => renameSync(file, aside));
        return [{ file, aside, problem }];
      });
    });
  }
}

/** A damaged file, its new name, and what is wrong with it. */
interface SetAside {
  readonly file: string;
  readonly aside: string;
  readonly problem: string;
}

type Readable = readonly [file: string, read: (bytes: Uint8Array) => unknown];

function readableFiles(folder: string): readonly Readable[] {
  if (!existsSync(folder)) return [];
  const names = withFileErrors('read', folder, () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }),
  );
  return names.sort().flatMap((name): readonly Readable[] => {
    const file = join(folder, name);
    const format = formatOf(file);
    return format ? [[file, (bytes) => readJsonFile(bytes, file, format)]] : [];
  });
}

function formatOf(file: string): FileFormat<unknown> | undefined {
  const [name, folder] = [basename(file), basename(dirname(file))];
  if (folder === userFolderName) return name.endsWith('.json') ? userFormat(name) : undefined;
  return [keyPairsFile, failedChecksFile, localTlsFile].find(({ fileName }) => fileName === name);
}

function damageOf(file: string, read: (bytes: Uint8Array) => unknown): string | undefined {
  const found = readStateFile(file);
  try {
    if (found !== undefined) read(found.bytes);
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

/** Opens the local state; nothing is read before it is needed. */
export function openState(options: StateOptions): State {
  return new State(new StateFiles(options));
}
