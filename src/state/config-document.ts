import { isJsonObject, type JsonObject, otherProperties, ownProperty } from '../protocol/json.ts';
import { excerptOf } from '../text.ts';
import { damaged, type FileFormat, type Migration, readJsonFile } from './json-file.ts';
import { isSettingValue, settingNamed } from './settings.ts';

/** The profile that always exists. */
export const defaultProfile = 'default';

/** The values of one profile by name; unknown ones are preserved. */
export type ProfileValues = Map<string, unknown>;

/** The content of the config file, to be read and changed. */
export interface ConfigDocument {
  /** It exists, as does the default profile. */
  activeProfile: string;
  readonly profiles: Map<string, ProfileValues>;
  /** Other properties of the file, which are preserved. */
  readonly other: JsonObject;
  readonly warnings: readonly string[];
}

/** Version 0, a file without `version` as a user writes it: the settings are at the top. */
const nameVersion: Migration = (json) => {
  if (Object.hasOwn(json, 'profiles')) return { ...json, version: 1 };
  const names = Object.keys(json).filter((name) => settingNamed(name) !== undefined);
  const settings = Object.fromEntries(names.map((name) => [name, json[name]]));
  return { ...otherProperties(json, names), version: 1, profiles: { [defaultProfile]: settings } };
};

export const configFormat: FileFormat = { name: 'config file', migrations: [nameVersion] };

/**
 * Reads the config file's bytes; without a file, or from an empty one, a new document.
 *
 * @throws AuthcliError `config` as {@link readJsonFile} does, and for a value of the wrong type
 */
export function readConfigDocument(bytes: Uint8Array | undefined, file: string): ConfigDocument {
  const json = (bytes && readJsonFile(bytes, file, configFormat)) ?? {};
  const profiles = readProfiles(json, file);
  const stored = ownProperty(json, 'activeProfile') ?? defaultProfile;
  if (typeof stored !== 'string') {
    throw damaged(file, configFormat, '"activeProfile" must be text');
  }
  const other = otherProperties(json, ['version', 'activeProfile', 'profiles']);
  if (profiles.has(stored)) return { activeProfile: stored, profiles, other, warnings: [] };
  const warnings = [
    `The profile in use, "${excerptOf(stored, 40)}", isn't in ${file}; "${defaultProfile}" is used.`,
  ];
  return { activeProfile: defaultProfile, profiles, other, warnings };
}

/** The document as the JSON value of the file. */
export function configJson({ activeProfile, profiles, other }: ConfigDocument): JsonObject {
  const values = [...profiles].map(([name, each]) => [name, Object.fromEntries(each)]);
  const version = configFormat.migrations.length;
  return { version, activeProfile, profiles: Object.fromEntries(values), ...other };
}

function readProfiles(json: JsonObject, file: string): Map<string, ProfileValues> {
  const found = ownProperty(json, 'profiles') ?? {};
  if (!isJsonObject(found)) throw damaged(file, configFormat, '"profiles" must be an object');
  const profiles = new Map<string, ProfileValues>([[defaultProfile, new Map()]]);
  for (const [name, values] of Object.entries(found)) {
    profiles.set(name, readProfile(name, values, file));
  }
  return profiles;
}

function readProfile(profile: string, values: unknown, file: string): ProfileValues {
  const where = `the profile "${excerptOf(profile, 40)}"`;
  if (!isJsonObject(values)) throw damaged(file, configFormat, `${where} must be an object`);
  return new Map(
    Object.entries(values).map(([name, value]) => {
      const setting = settingNamed(name);
      if (setting === undefined) return [name, value];
      if (isSettingValue(setting, value)) return [setting.name, value];
      const wanted = setting.kind === 'headers' ? 'a list of texts' : 'text';
      throw damaged(file, configFormat, `"${name}" of ${where} must be ${wanted}`);
    }),
  );
}
