import { rmSync } from 'node:fs';
import { AuthcliError } from '../errors.ts';
import { excerptOf } from '../text.ts';
import { type ConfigDocument, defaultProfile } from './config-document.ts';
import { type ConfigHome, requireProfile } from './config-home.ts';
import { withFileErrors } from './file-error.ts';

/** The profiles of a config file. One is in use; `default` is always there. */
export class Profiles {
  readonly #home: ConfigHome;

  constructor(home: ConfigHome) {
    this.#home = home;
  }

  /** Their names, sorted. */
  list(): readonly string[] {
    return [...this.#home.read().profiles.keys()].sort();
  }

  /** The one in use where none is named. */
  active(): string {
    return this.#home.read().activeProfile;
  }

  /** Makes an empty one. Throws AuthcliError `usage` if the name is taken or empty. */
  async create(name: string): Promise<void> {
    if (name.trim() === '') throw new AuthcliError('usage', "A profile's name can't be empty.");
    await this.#home.change(({ profiles }) => {
      if (profiles.has(name)) throw taken(name);
      this.#removeFolder(name); // what a removal left that was cut off halfway
      profiles.set(name, new Map());
      return true;
    });
  }

  /** Puts one in use. Throws AuthcliError `usage` if it isn't there. */
  async use(name: string): Promise<void> {
    await this.#home.change((document) => {
      requireProfile(document.profiles, name);
      document.activeProfile = name;
      return true;
    });
  }

  /**
   * Removes one with its settings, users and key pairs; if it was in use, `default` is then.
   * Throws AuthcliError `usage` if it isn't there or is `default`.
   */
  async remove(name: string): Promise<void> {
    if (name === defaultProfile) throw neverRemoved();
    const forget = (document: ConfigDocument) => {
      requireProfile(document.profiles, name);
      document.profiles.delete(name);
      if (document.activeProfile === name) document.activeProfile = defaultProfile;
      return true;
    };
    await this.#home.change(forget, () => this.#removeFolder(name));
  }

  #removeFolder(name: string): void {
    const folder = this.#home.profileFolder(name);
    withFileErrors('remove', folder, () => rmSync(folder, { recursive: true, force: true }));
  }
}

function taken(name: string): AuthcliError {
  return new AuthcliError('usage', `There is a profile "${excerptOf(name, 40)}" already.`, {
    hint: 'Use it, or choose another name.',
  });
}

function neverRemoved(): AuthcliError {
  return new AuthcliError('usage', `The profile "${defaultProfile}" can't be removed.`, {
    hint: 'Unset its settings and remove its users instead.',
  });
}
