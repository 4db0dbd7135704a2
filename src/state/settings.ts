import { AuthcliError } from '../errors.ts';
import { didYouMean, excerptOf } from '../text.ts';

export interface SettingDefinition {
  readonly name: SettingName;
  readonly description: string;
}

const descriptions = {
  url: "the application's callback URL",
  'auth-url': "the service's address, {auth_url}",
  'client-id': 'the Application Client ID',
  'secret-key': 'the application server secret key',
  cipher: 'the cipher of the per-user key',
  'expire-time-zone': 'the time zone of expire_dt',
  timeout: 'how long one request may take',
  headers: 'headers added to every request',
  ca: 'certificates trusted beside the usual roots',
  cert: 'the client certificate',
  'cert-key': "the client certificate's private key",
  proxy: 'the proxy for every request',
  stack: 'the language of the application, for fixes',
} as const;

export type SettingName = keyof typeof descriptions;

/** The value of a setting: a list for `headers`, text for every other. */
export type SettingValue<Name extends SettingName = SettingName> = Name extends 'headers'
  ? readonly string[]
  : string;

export type Settings = { readonly [Name in SettingName]?: SettingValue<Name> };

export const settingDefinitions: readonly SettingDefinition[] = Object.entries(descriptions).map(
  ([name, description]) => ({ name: name as SettingName, description }),
);

const byName: ReadonlyMap<string, SettingDefinition> = new Map(
  settingDefinitions.flatMap((definition) => {
    const names = definition.name === 'expire-time-zone' ? ['expireTimeZone'] : [];
    return [definition.name, ...names].map((name) => [name, definition] as const);
  }),
);

export function settingNamed(name: string): SettingDefinition | undefined {
  return byName.get(name);
}

/** The same. Throws AuthcliError `usage` for any other text, with the nearest name as hint. */
export function findSetting(name: string): SettingDefinition {
  const definition = byName.get(name);
  if (definition !== undefined) return definition;
  const names = settingDefinitions.map((setting) => setting.name);
  throw new AuthcliError('usage', `Unknown setting "${excerptOf(name, 40)}".`, {
    hint: didYouMean(name, byName.keys()) || `The settings are ${names.join(', ')}.`,
  });
}

/** Whether a value has the type of this setting: a list of texts for `headers`, text otherwise. */
export function isSettingValue({ name }: SettingDefinition, value: unknown): boolean {
  if (name !== 'headers') return typeof value === 'string';
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
