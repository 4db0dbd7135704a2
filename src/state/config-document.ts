import type { AuthcliError } from '../errors.ts';
import { isJsonObject, type JsonObject, otherProperties } from '../protocol/json.ts';
import { excerptOf, ownProperty } from '../text.ts';
import { type FileFormat, newestVersion, readJsonFile } from './json-file.ts';
import { isSettingValue, settingNamed } from './settings.ts';

/** The profile that always exists. */
export const defaultProfile = 'default';

/** The values of one profile by name; unknown ones are preserved. */
export type ProfileValues = Map<string, unknown>;

/** The content of the config file, to be read and changed. */
export interface ConfigDocument {
  activeProfile: string;
  /** The default one among them. */
  readonly profiles: Map<string, ProfileValues>;
  /** Other properties of the file, which are preserved. */
  readonly other: JsonObject;
}

const format: FileFormat<ConfigDocument> = {
  name: 'config file',
  /** As a user writes it: the settings are at the top. */
  fromVersion0(json) {
    if (Object.hasOwn(json, 'profiles')) return json;
    const names = Object.keys(json).filter((name) => settingNamed(name) !== undefined);
    const settings = Object.fromEntries(names.map((name) => [name, json[name]]));
    return { ...otherProperties(json, names), profiles: { [defaultProfile]: settings } };
  },
  parse(json, damaged) {
    const profiles = readProfiles(json, damaged);
    const activeProfile = ownProperty(json, 'activeProfile') ?? defaultProfile;
    if (typeof activeProfile !== 'string') throw damaged('"activeProfile" must be text');
    const other = otherProperties(json, ['version', 'activeProfile', 'profiles']);
    return { activeProfile, profiles, other };
  },
};

/**
 * Reads the config file's bytes; without a file, or from an empty one, a new document.
 *
 * @throws AuthcliError `config` as {@link readJsonFile} does, and for a value of the wrong type
 */
export function readConfigDocument(bytes: Uint8Array | undefined, file: string): ConfigDocument {
  const profiles = new Map([[defaultProfile, new Map()]]);
  const empty = { activeProfile: defaultProfile, profiles, other: {} };
  return (bytes && readJsonFile(bytes, file, format)) ?? empty;
}

/** The document as the JSON value of the file. */
export function configJson({ activeProfile, profiles, other }: ConfigDocument): JsonObject {
  const values = [...profiles].map(([name, each]) => [name, Object.fromEntries(each)]);
  const version = newestVersion;
  return { version, activeProfile, profiles: Object.fromEntries(values), ...other };
}

type Damaged = (problem: string) => AuthcliError;

function readProfiles(json: JsonObject, damaged: Damaged): Map<string, ProfileValues> {
  const found = ownProperty(json, 'profiles') ?? {};
  if (!isJsonObject(found)) throw damaged('"profiles" must be an object');
  const profiles = new Map<string, ProfileValues>([[defaultProfile, new Map()]]);
  for (const [name, values] of Object.entries(found)) {
    profiles.set(name, readProfile(name, values, damaged));
  }
  return profiles;
}

function readProfile(profile: string, values: unknown, damaged: Damaged): ProfileValues {
  const where = `the profile "${excerptOf(profile, 40)}"`;
  if (!isJsonObject(values)) throw damaged(`${where} must be an object`);
  return new Map(
    Object.entries(values).map(([name, value]) => {
      const setting = settingNamed(name);
      if (setting === undefined) return [name, value];
      if (isSettingValue(setting, value)) return [setting.name, value];
      const wanted = setting.kind === 'headers' ? 'a list of texts' : 'text';
      throw damaged(`"${name}" of ${where} must be ${wanted}`);
    }),
  );
}
