import {
  isJsonObject,
  type JsonObject,
  otherProperties,
  ownProperty,
} from '../protocol/json-type.ts';
import { excerptOf } from '../text.ts';
import { damaged, type FileFormat, type Migration, readJsonFile } from './json-file.ts';
import { isSettingValue, settingNamed } from './settings.ts';

/** The profile that is always there. */
export const defaultProfile = 'default';

/** The values of one profile by name, unknown ones included: they stay as they came. */
export type ProfileValues = Map<string, unknown>;

/** What the config file holds, as values to be read and changed. */
export interface ConfigDocument {
  /** The profile in use; it is there. */
  activeProfile: string;
  /** The default profile is always among them. */
  readonly profiles: Map<string, ProfileValues>;
  /** What else stands in the file; kept. */
  readonly other: JsonObject;
  /** What is odd in the file but harmless. */
  readonly warnings: readonly string[];
}

/** Version 0, a file without `version`: the settings stand at the top, as someone writes by hand. */
const nameVersion: Migration = (json) => {
  if (Object.hasOwn(json, 'profiles')) return { ...json, version: 1 };
  const settings = Object.entries(json).filter(([name]) => settingNamed(name) !== undefined);
  const others = otherProperties(
    json,
    settings.map(([name]) => name),
  );
  return { ...others, version: 1, profiles: { [defaultProfile]: Object.fromEntries(settings) } };
};

export const configFormat: FileFormat = { name: 'config file', migrations: [nameVersion] };

/**
 * Reads the config file's bytes; undefined (no file) and an empty file are a new document.
 *
 * @throws AuthcliError `config` as {@link readJsonFile} does, and for a value of the wrong type
 */
export function readConfigDocument(bytes: Uint8Array | undefined, file: string): ConfigDocument {
  const json = bytes === undefined ? undefined : readJsonFile(bytes, file, configFormat);
  const profiles = readProfiles(json ?? {}, file);
  const stored = ownProperty(json ?? {}, 'activeProfile') ?? defaultProfile;
  if (typeof stored !== 'string') {
    throw damaged(file, configFormat, '"activeProfile" must be text');
  }
  const other = otherProperties(json ?? {}, ['version', 'activeProfile', 'profiles']);
  if (profiles.has(stored)) return { activeProfile: stored, profiles, other, warnings: [] };
  const warnings = [
    `The profile in use, "${excerptOf(stored, 40)}", isn't in ${file}; "${defaultProfile}" is used.`,
  ];
  return { activeProfile: defaultProfile, profiles, other, warnings };
}

/** The document as the JSON value that stands in the file. */
export function configJson({ activeProfile, profiles, other }: ConfigDocument): JsonObject {
  const entries = [...profiles].map(
    ([name, values]) => [name, Object.fromEntries(values)] as const,
  );
  return {
    version: configFormat.migrations.length,
    activeProfile,
    profiles: Object.fromEntries(entries),
    ...other,
  };
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
