import { type SetAside, setDamagedAside } from './damage.ts';
import { FailedChecks } from './failed-checks.ts';
import { LocalTlsFile } from './local-tls-file.ts';
import { Profiles, SettingsStore } from './profiles.ts';
import { ServiceKeyPairs } from './service-key-pairs.ts';
import { StateFiles, type StateOptions } from './state-files.ts';
import { Users } from './users.ts';

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

  /** Renames every damaged file, and returns the old and the new names; see {@link setDamagedAside}. */
  setDamagedAside(): Promise<readonly SetAside[]> {
    return this.#files.locked((lease) => {
      lease.confirm();
      return setDamagedAside(this.#files);
    });
  }
}

/** Opens the local state; nothing is read before it is needed. */
export function openState(options: StateOptions): State {
  return new State(new StateFiles(options));
}
