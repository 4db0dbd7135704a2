import type { ConfigDocument, ProfileValues } from './config-document.ts';
import { type ConfigHome, requireProfile } from './config-home.ts';
import {
  findSetting,
  isSettingValue,
  type SettingName,
  type Settings,
  type SettingValue,
  settingDefinitions,
} from './settings.ts';

/** The settings of the chosen profile. Values are checked for their meaning by who sets them. */
export class SettingsStore {
  readonly #home: ConfigHome;

  constructor(home: ConfigHome) {
    this.#home = home;
  }

  /** The value, or undefined if it isn't set. */
  get<Name extends SettingName>(name: Name): SettingValue<Name> | undefined {
    return this.list()[name];
  }

  /** What is set, in the order of `settingDefinitions`. */
  list(): Settings {
    const values = this.#valuesIn(this.#home.read());
    const set = settingDefinitions.filter(({ name }) => values.has(name));
    return Object.fromEntries(set.map(({ name }) => [name, values.get(name)]));
  }

  /** Sets one; a TypeError for a value of the wrong shape. */
  async set<Name extends SettingName>(name: Name, value: SettingValue<Name>): Promise<void> {
    await this.update(name, () => value);
  }

  /** Sets one to what follows from its value at that moment, such as a list with one more item. */
  async update<Name extends SettingName>(
    name: Name,
    change: (value: SettingValue<Name> | undefined) => SettingValue<Name>,
  ): Promise<void> {
    const definition = findSetting(name);
    await this.#home.change((document) => {
      const values = this.#valuesIn(document);
      const value = change(values.get(name) as SettingValue<Name> | undefined);
      if (!isSettingValue(definition, value)) {
        throw new TypeError(`${name} takes ${name === 'headers' ? 'a list of texts' : 'text'}`);
      }
      values.set(name, value);
      return true;
    });
  }

  /** Sets several at once, and unsets others: all of it is written, or nothing. */
  async assign(added: Settings, removed: readonly SettingName[] = []): Promise<void> {
    await this.#home.change((document) => {
      const values = this.#valuesIn(document);
      for (const [name, value] of Object.entries(added)) {
        if (!isSettingValue(findSetting(name), value)) throw new TypeError(`${name}: wrong shape`);
        values.set(name, value);
      }
      for (const name of removed) values.delete(name);
      return true;
    });
  }

  /** Unsets one and says whether it was set. */
  async unset(name: SettingName): Promise<boolean> {
    let wasSet = false;
    await this.#home.change((document) => {
      wasSet = this.#valuesIn(document).delete(name);
      return wasSet;
    });
    return wasSet;
  }

  #valuesIn({ profiles }: ConfigDocument): ProfileValues {
    const { profile } = this.#home;
    requireProfile(profiles, profile); // another process may have removed it meanwhile
    return profiles.get(profile) ?? new Map();
  }
}
