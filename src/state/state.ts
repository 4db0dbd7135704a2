import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Identity } from '../crypto/certificates.ts';
import { Secret } from '../crypto/secret.ts';
import { AuthcliError } from '../errors.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { KnownUser } from '../protocol/user.ts';
import { excerptOf, ownProperty } from '../text.ts';
import { withFileErrors } from './files.ts';
import { type FileFormat, jsonFileText, readJsonFile } from './json-file.ts';
import { type SettingName, type Settings, settingNames } from './settings.ts';
import {
  type ConfigDocument,
  defaultProfile,
  hashOfText,
  type OwnFile,
  type ProfileValues,
  requireProfile,
  StateFiles,
  type StateOptions,
} from './state-files.ts';
import { readUserRow, userRow } from './user-rows.ts';

/**
 * The local state of one profile. Reading makes no file; every change is made under the config
 * file's lock: lock, read again, change, write, release. What can't be read, parsed, locked or
 * written is an AuthcliError `config`, a missing profile an AuthcliError `usage`.
 */
export type State = ReturnType<typeof openState>;

/** Opens the local state; nothing is read before it is needed. */
export function openState(options: StateOptions) {
  const files = new StateFiles(options);
  return {
    configFile: files.configFile,
    /** The profile used; it is looked up in the config file at the first call. */
    get profile() {
      return files.profile;
    },
    /** What the user should know about the files read so far, such as that others can read them. */
    get warnings() {
      return files.warnings;
    },
    /** Why users and key pairs of this process are in memory only; undefined while they are not. */
    get notStored() {
      return files.notStored;
    },
    settings: settingsIn(files),
    profiles: profilesIn(files),
    users: usersIn(files),
    serviceKeyPairs: serviceKeyPairsIn(files),
    localTls: localTlsIn(files),
  };
}

/** The settings of the chosen profile; the caller has checked them. */
function settingsIn(files: StateFiles) {
  /** Throws where another process removed the profile meanwhile. */
  const valuesIn = ({ profiles }: ConfigDocument) => requireProfile(profiles, files.profile);
  const listed = (values: ProfileValues): Settings =>
    Object.fromEntries(
      settingNames.filter((name) => values.has(name)).map((name) => [name, values.get(name)]),
    );
  return {
    /** In the order of `settingNames`. */
    list: (): Settings => listed(valuesIn(files.readConfig())),
    /** Writes all that is derived from the current ones under the lock, or nothing. */
    assign: (change: (before: Settings) => Settings) =>
      files.changeConfig((document) => {
        const values = valuesIn(document);
        for (const [name, value] of Object.entries(change(listed(values)))) values.set(name, value);
      }),
    /** Returns whether it was set. */
    unset: (name: SettingName): Promise<boolean> =>
      files.changeConfig((document) => valuesIn(document).delete(name)),
  };
}

/** The profiles of a config file. One is active; `default` always exists. */
function profilesIn(files: StateFiles) {
  const removeFolder = (name: string) => {
    const folder = files.profileFolder(name);
    withFileErrors('remove', folder, () => rmSync(folder, { recursive: true, force: true }));
  };
  return {
    list: (): readonly string[] => [...files.readConfig().profiles.keys()].sort(),
    active: () => files.readConfig().activeProfile,

    /** Throws AuthcliError `usage` if the name is taken or empty, or begins like an option. */
    async create(name: string): Promise<void> {
      if (name.trim() === '') throw new AuthcliError('usage', "A profile's name can't be empty.");
      if (name.startsWith('-'))
        throw new AuthcliError('usage', "A profile's name can't begin with a dash.", {
          hint: 'Begin it with a letter or a digit: commands would read it as an option.',
        });
      await files.changeConfig(({ profiles }) => {
        if (profiles.has(name)) {
          const hint = 'Use it, or choose another name.';
          const message = `The profile "${excerptOf(name, 40)}" already exists.`;
          throw new AuthcliError('usage', message, { hint });
        }
        removeFolder(name); // what an interrupted removal left
        profiles.set(name, new Map());
      });
    },

    /** Makes a profile the active one. Throws AuthcliError `usage` if it doesn't exist. */
    use: (name: string) =>
      files.changeConfig((document) => {
        requireProfile(document.profiles, name);
        document.activeProfile = name;
      }),

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
      await files.changeConfig(forget, () => removeFolder(name));
    },
  };
}

/** Without a version it is a row of an export. */
const userFormat: FileFormat<KnownUser> = { name: 'user file', parse: readUserRow };

/** Not the code itself: file systems differ in the names that they allow and distinguish. */
const userFileName = (ptnCd: string) => `${hashOfText(ptnCd)}.json`;

/**
 * The users of the chosen profile, one file each. A user file that is damaged or of a newer version
 * is an AuthcliError `config` that names it.
 */
function usersIn(files: StateFiles) {
  const folderOf = () => join(files.folder, 'users');
  const names = () => files.namesIn(folderOf()).filter((name) => name.endsWith('.json'));
  const read = (name: string, format: FileFormat<KnownUser>): KnownUser | undefined => {
    const file = join(folderOf(), name);
    const bytes = files.read(file);
    return bytes && readJsonFile(bytes, file, format);
  };
  const get = (ptnCd: string): KnownUser | undefined => {
    const name = userFileName(ptnCd);
    return read(name, {
      ...userFormat,
      parse: (json, damaged) => {
        const user = userFormat.parse(json, damaged);
        if (name === userFileName(user.ptnCd)) return user;
        throw damaged('it contains a different user than its name indicates');
      },
    });
  };
  /** Puts all users under one lock, or after an error none. */
  const putAll = async (users: readonly KnownUser[], how: 'locked' | 'kept') => {
    const folder = folderOf(); // a profile that doesn't exist is refused before anything is made
    const written = users.map((user) => ({
      file: join(folder, userFileName(user.ptnCd)),
      text: jsonFileText(userRow(user)),
    }));
    return files[how](async (confirm) => {
      const replaced = written.filter(({ file }) => existsSync(file)).length;
      await files.replace(folder, written, confirm);
      return { added: users.length - replaced, replaced };
    });
  };
  return {
    get,
    importUsers: (users: readonly KnownUser[]) => putAll(users, 'locked'),
    /** In memory only where nothing can be written; an import then fails. */
    put: async (...users: readonly KnownUser[]): Promise<void> =>
      void (await putAll(users, 'kept')),
    /** Sorted by the UTF-16 code units of the user code. */
    list: (): readonly KnownUser[] =>
      names()
        .flatMap((name) => read(name, userFormat) ?? [])
        .sort((left, right) => (left.ptnCd < right.ptnCd ? -1 : 1)),
    count: () => names().length,
    remove(ptnCd: string): Promise<void> {
      const file = join(folderOf(), userFileName(ptnCd));
      return files.locked((confirm) => {
        confirm();
        withFileErrors('remove', file, () => rmSync(file, { force: true }));
      });
    },
  };
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
    if (Array.isArray(earlier) && earlier.every((item) => typeof item === 'string'))
      return { current, earlier };
    throw damaged('"earlier" must be a list of texts');
  },
};

/** An application that uses an older key is rare. */
const mostEarlier = 8;

/** The key pairs with which the chosen profile plays the service, each as PKCS #8 PEM. */
function serviceKeyPairsIn(files: StateFiles) {
  return {
    /** The current one, then those of before, the latest first; they explain a key wrapped for an earlier one. */
    list(): readonly string[] {
      const stored = files.readOwn(keyPairsFile);
      return stored ? [stored.current, ...stored.earlier] : [];
    },

    /** Stores one unless another process was faster, and returns the current one. */
    async putFirst(pem: string): Promise<string> {
      const stored = await files.changeOwn(keyPairsFile, (before) =>
        before === undefined ? { current: pem, earlier: [] } : undefined,
      );
      return stored?.current ?? pem;
    },

    /** Stores one that was used once behind the current one, if there is a current one. */
    async putEarlier(pem: string): Promise<void> {
      await files.changeOwn(keyPairsFile, (before) => {
        if (before === undefined || [before.current, ...before.earlier].includes(pem))
          return undefined;
        return { ...before, earlier: [pem, ...before.earlier].slice(0, mostEarlier) };
      });
    },
  };
}

/** The local CA of a profile. */
const localTlsFile: OwnFile<Identity> = {
  fileName: 'local-tls.json',
  name: 'TLS file',
  parse(json, damaged) {
    const found = ownProperty(json, 'authority');
    const { certificate, private_key: privateKey } = isJsonObject(found) ? found : {};
    if (typeof certificate === 'string' && typeof privateKey === 'string')
      return { certificate, privateKey: Secret.text(privateKey) };
    throw damaged('"authority" must have "certificate" and "private_key" as text');
  },
};

function localTlsIn(files: StateFiles) {
  const authorityFile = () => join(files.folder, 'ca.pem');
  const read = () => files.readOwn(localTlsFile);
  return {
    /** The certificate of the CA alone, for the programs that are to trust it; it exists once there is a CA. */
    authorityFile,
    read,

    /** The stored CA, unless it is unfit: then that of `make`, under the lock: two processes never make two. */
    async keepOrMake(
      isFit: (stored: Identity) => boolean,
      make: () => Promise<Identity>,
    ): Promise<Identity> {
      const { folder } = files; // a missing profile is refused before anything is made
      const stored = read();
      const published = Buffer.from(files.read(authorityFile()) ?? []).toString();
      if (stored && isFit(stored) && published === stored.certificate) return stored;
      return files.locked(async (confirm) => {
        const before = read();
        const authority = before && isFit(before) ? before : await make();
        const { certificate, privateKey } = authority;
        const fields = { authority: { certificate, private_key: privateKey.reveal() } };
        const written = [
          { file: join(folder, localTlsFile.fileName), text: jsonFileText(fields) },
          { file: authorityFile(), text: certificate },
        ];
        await files.replace(folder, written, confirm);
        return authority;
      });
    },
  };
}
