import { rmSync } from 'node:fs';
import { AuthcliError } from '../errors.ts';
import { excerptOf } from '../text.ts';
import { type ConfigDocument, defaultProfile, type ProfileValues } from './config-document.ts';
import { withFileErrors } from './files.ts';
import {
  findSetting,
  isSettingValue,
  type SettingName,
  type Settings,
  type SettingValue,
  settingDefinitions,
} from './settings.ts';
import { requireProfile, type StateFiles } from './state-files.ts';

/** The profiles of a config file. One is active; `default` always exists. */
export class Profiles {
  readonly #files: StateFiles;

  constructor(files: StateFiles) {
    this.#files = files;
  }

  list(): readonly string[] {
    return [...this.#files.readConfig().profiles.keys()].sort();
  }

  active(): string {
    return this.#files.readConfig().activeProfile;
  }

  /** Throws AuthcliError `usage` if the name is taken or empty, or begins like an option. */
  async create(name: string): Promise<void> {
    if (name.trim() === '') throw new AuthcliError('usage', "A profile's name can't be empty.");
    if (name.startsWith('-')) {
      throw new AuthcliError('usage', "A profile's name can't begin with a dash.", {
        hint: 'Begin it with a letter or a digit: commands would read it as an option.',
      });
    }
    await this.#files.changeConfig(({ profiles }) => {
      if (profiles.has(name)) {
        const hint = 'Use it, or choose another name.';
        const message = `The profile "${excerptOf(name, 40)}" already exists.`;
        throw new AuthcliError('usage', message, { hint });
      }
      this.#removeFolder(name); // what an interrupted removal left
      profiles.set(name, new Map());
    });
  }

  /** Makes a profile the active one. Throws AuthcliError `usage` if it doesn't exist. */
  async use(name: string): Promise<void> {
    await this.#files.changeConfig((document) => {
      requireProfile(document.profiles, name);
      document.activeProfile = name;
    });
  }

  /** Throws AuthcliError `usage` if the profile doesn't exist, or is `default`. */
  async remove(name: string): Promise<void> {
    if (name === defaultProfile) {
      const hint = 'Unset its settings and remove its users instead.';
      throw new AuthcliError('usage', `The profile "${name}" can't be removed.`, { hint });
    }
    const forget = (document: ConfigDocument) => {
      requireProfile(document.profiles, name);
      document.profiles.delete(name);
      if (document.activeProfile === name) document.activeProfile = defaultProfile;
    };
    await this.#files.changeConfig(forget, () => this.#removeFolder(name));
  }

  #removeFolder(name: string): void {
    const folder = this.#files.profileFolder(name);
    withFileErrors('remove', folder, () => rmSync(folder, { recursive: true, force: true }));
  }
}

/** The settings of the chosen profile. Only their types are checked here. */
export class SettingsStore {
  readonly #files: StateFiles;

  constructor(files: StateFiles) {
    this.#files = files;
  }

  get<Name extends SettingName>(name: Name): SettingValue<Name> | undefined {
    return this.list()[name];
  }

  /** In the order of `settingDefinitions`. */
  list(): Settings {
    const values = this.#valuesIn(this.#files.readConfig());
    const set = settingDefinitions.filter(({ name }) => values.has(name));
    return Object.fromEntries(set.map(({ name }) => [name, values.get(name)]));
  }

  /** Throws TypeError for a value of the wrong type. */
  async set<Name extends SettingName>(name: Name, value: SettingValue<Name>): Promise<void> {
    await this.assign({ [name]: value });
  }

  /** Derives a value from the current one, under the lock. */
  async update<Name extends SettingName>(
    name: Name,
    change: (value: SettingValue<Name> | undefined) => SettingValue<Name>,
  ): Promise<void> {
    await this.#files.changeConfig((document) => {
      const values = this.#valuesIn(document);
      put(values, name, change(values.get(name) as SettingValue<Name> | undefined));
    });
  }

  /** Writes all of it, or nothing. */
  async assign(added: Settings): Promise<void> {
    await this.#files.changeConfig((document) => {
      const values = this.#valuesIn(document);
      for (const [name, value] of Object.entries(added)) put(values, name, value);
    });
  }

  /** Returns whether it was set. */
  async unset(name: SettingName): Promise<boolean> {
    let wasSet = false;
    await this.#files.changeConfig((document) => {
      wasSet = this.#valuesIn(document).delete(name);
      return wasSet;
    });
    return wasSet;
  }

  /** Throws where another process removed the profile meanwhile. */
  #valuesIn({ profiles }: ConfigDocument): ProfileValues {
    return requireProfile(profiles, this.#files.profile);
  }
}

function put(values: ProfileValues, name: string, value: unknown): void {
  if (!isSettingValue(findSetting(name), value)) {
    throw new TypeError(`${name} takes ${name === 'headers' ? 'a list of texts' : 'text'}`);
  }
  values.set(name, value);
}
