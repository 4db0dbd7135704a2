import { ConfigHome, type StateOptions } from './config-home.ts';
import type { SetAside } from './mending.ts';
import { Profiles } from './profiles.ts';
import { ServiceKeyPairs } from './service-key-pairs.ts';
import { SettingsStore } from './settings-store.ts';
import { Users } from './users.ts';

export type { StateOptions } from './config-home.ts';
export type { SetAside } from './mending.ts';

/**
 * The local state of one profile. Reading makes no file; every change is made under the config
 * file's lock: lock, read again, change, write, release. What can't be read, parsed, locked or
 * written is an AuthcliError `config`; a profile that isn't there an AuthcliError `usage`.
 */
export class State {
  readonly settings: SettingsStore;
  readonly profiles: Profiles;
  readonly users: Users;
  readonly serviceKeyPairs: ServiceKeyPairs;
  readonly #home: ConfigHome;

  constructor(home: ConfigHome) {
    this.#home = home;
    this.settings = new SettingsStore(home);
    this.profiles = new Profiles(home);
    this.users = new Users(home);
    this.serviceKeyPairs = new ServiceKeyPairs(home);
  }

  /** The config file, links followed. */
  get configFile(): string {
    return this.#home.file;
  }

  /** The profile used; looked up in the config file the first time that it is asked for. */
  get profile(): string {
    return this.#home.profile;
  }

  /** What was noticed so far that the user should know, such as files that others can read. */
  get warnings(): readonly string[] {
    return this.#home.warnings;
  }

  /**
   * Moves every damaged file of the state aside as it is, and says what and where to. What is of a
   * newer version stays: of the config file an AuthcliError `config`, as ever.
   */
  setDamagedAside(): Promise<readonly SetAside[]> {
    return this.#home.setDamagedAside();
  }
}

/** Opens the local state; nothing but links is read before it is needed, and nothing is made. */
export function openState(options: StateOptions): State {
  return new State(new ConfigHome(options));
}
