import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../crypto/secret.ts';
import { AuthcliError } from '../errors.ts';
import { isJsonObject } from '../protocol/json.ts';
import { excerptOf, ownProperty } from '../text.ts';
import { withFileErrors } from './files.ts';
import { jsonFileText } from './json-file.ts';
import {
  findSetting,
  isSettingValue,
  type SettingName,
  type Settings,
  type SettingValue,
  settingDefinitions,
} from './settings.ts';
import {
  type ConfigDocument,
  defaultProfile,
  type OwnFile,
  type ProfileValues,
  requireProfile,
  StateFiles,
  type StateOptions,
} from './state-files.ts';
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
  readonly localTls: LocalTlsFile;
  readonly #files: StateFiles;

  constructor(files: StateFiles) {
    this.#files = files;
    this.settings = new SettingsStore(files);
    this.profiles = new Profiles(files);
    this.users = new Users(files);
    this.serviceKeyPairs = new ServiceKeyPairs(files);
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
}

/** Opens the local state; nothing is read before it is needed. */
export function openState(options: StateOptions): State {
  return new State(new StateFiles(options));
}

/** The profiles of a config file. One is active; `default` always exists. */
class Profiles {
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
class SettingsStore {
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

interface KeyPairs {
  readonly current: string;
  /** The latest first. */
  readonly earlier: readonly string[];
}

const keyPairsFile: OwnFile<KeyPairs> = {
  fileName: 'service-key-pairs.json',
  name: 'key pair file',
  parse(json, damaged) {
    const current = ownProperty(json, 'current');
    const earlier = ownProperty(json, 'earlier') ?? [];
    if (typeof current !== 'string') throw damaged('"current" must be text');
    if (!isTexts(earlier)) throw damaged('"earlier" must be a list of texts');
    return { current, earlier };
  },
};

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** An application that uses an older key is rare. */
const mostEarlier = 8;

/** The key pairs with which the chosen profile plays the service, each as PKCS #8 PEM. */
class ServiceKeyPairs {
  readonly #files: StateFiles;

  constructor(files: StateFiles) {
    this.#files = files;
  }

  get(): string | undefined {
    return this.#files.readOwn(keyPairsFile)?.current;
  }

  /** Those of before, the latest first; they explain a key wrapped for an earlier one. */
  earlier(): readonly string[] {
    return this.#files.readOwn(keyPairsFile)?.earlier ?? [];
  }

  /** Stores one unless another process was faster, and returns the current one. */
  async putFirst(pem: string): Promise<string> {
    const stored = await this.#files.changeOwn(keyPairsFile, (before) =>
      before === undefined ? { current: pem, earlier: [] } : undefined,
    );
    return stored?.current ?? pem;
  }

  /** Stores one that was used once behind the current one, if there is a current one. */
  async putEarlier(pem: string): Promise<void> {
    await this.#files.changeOwn(keyPairsFile, (before) => {
      if (before === undefined || [before.current, ...before.earlier].includes(pem))
        return undefined;
      return { ...before, earlier: [pem, ...before.earlier].slice(0, mostEarlier) };
    });
  }
}

/** A certificate and its private key in PEM. */
interface StoredIdentity {
  readonly certificate: string;
  readonly privateKey: Secret;
}

/** The local CA of a profile, and the certificate with which its emulators listen. */
interface StoredTls {
  readonly authority: StoredIdentity;
  readonly server?: StoredIdentity | undefined;
}

/** Both with their keys. */
const localTlsFile: OwnFile<StoredTls> = {
  fileName: 'local-tls.json',
  name: 'TLS file',
  parse(json, damaged) {
    const identity = (name: string): StoredIdentity | undefined => {
      const found = ownProperty(json, name);
      if (found === undefined) return undefined;
      const { certificate, private_key: privateKey } = isJsonObject(found) ? found : {};
      if (typeof certificate === 'string' && typeof privateKey === 'string') {
        return { certificate, privateKey: Secret.text(privateKey) };
      }
      throw damaged(`"${name}" must have "certificate" and "private_key" as text`);
    };
    const authority = identity('authority');
    if (authority === undefined) throw damaged('"authority" is missing');
    return { authority, server: identity('server') };
  },
};

/** The local CA of the chosen profile. */
class LocalTlsFile {
  readonly #files: StateFiles;

  constructor(files: StateFiles) {
    this.#files = files;
  }

  /** The certificate of the CA alone, for the programs that are to trust it; it exists once there is a CA. */
  get authorityFile(): string {
    return join(this.#files.folder, 'ca.pem');
  }

  read(): StoredTls | undefined {
    return this.#files.readOwn(localTlsFile);
  }

  /** Whether what programs trust is the CA that is stored. */
  isPublished({ authority }: StoredTls): boolean {
    const bytes = this.#files.read(this.authorityFile);
    return bytes !== undefined && Buffer.from(bytes).toString() === authority.certificate;
  }

  /** Stores what `next` makes of what is stored, under the lock: two processes never make two CAs. */
  async change(next: (before: StoredTls | undefined) => Promise<StoredTls>): Promise<StoredTls> {
    const { folder } = this.#files; // a missing profile is refused before anything is made
    return this.#files.locked(async (lease) => {
      const after = await next(this.read());
      const { authority, server } = after;
      const fields = { authority: fieldsOf(authority), server: server && fieldsOf(server) };
      const written = [
        { file: join(folder, localTlsFile.fileName), text: jsonFileText(fields) },
        { file: this.authorityFile, text: authority.certificate },
      ];
      await this.#files.replace(folder, written, lease);
      return after;
    });
  }
}

function fieldsOf({ certificate, privateKey }: StoredIdentity) {
  return { certificate, private_key: privateKey.reveal() };
}
