import { AuthcliError } from '../errors.ts';
import { didYouMean, excerptOf } from '../text.ts';

export interface SettingDefinition {
  readonly name: SettingName;
  readonly kind: SettingKind;
  readonly description: string;
  readonly alias?: string;
}

const definitions = [
  { name: 'url', kind: 'url', description: "the application's callback URL" },
  { name: 'auth-url', kind: 'url', description: "the service's address, {auth_url}" },
  { name: 'client-id', kind: 'text', description: 'the Application Client ID' },
  { name: 'secret-key', kind: 'secret', description: 'the application server secret key' },
  { name: 'cipher', kind: 'cipher', description: 'the cipher of the per-user key' },
  {
    name: 'expire-time-zone',
    kind: 'time-zone',
    description: 'the time zone of expire_dt',
    alias: 'expireTimeZone',
  },
  { name: 'timeout', kind: 'duration', description: 'how long one request may take' },
  { name: 'headers', kind: 'headers', description: 'headers added to every request' },
  { name: 'ca', kind: 'file', description: 'certificates trusted beside the usual roots' },
  { name: 'cert', kind: 'file', description: 'the client certificate' },
  { name: 'cert-key', kind: 'file', description: "the client certificate's private key" },
  { name: 'proxy', kind: 'proxy', description: 'the proxy for every request' },
  { name: 'stack', kind: 'stack', description: 'the language of the application, for fixes' },
] as const;

/** What kind of value a setting takes, for the command line's checks. */
export type SettingKind = (typeof definitions)[number]['kind'];

export type SettingName = (typeof definitions)[number]['name'];

/** The value of a setting: a list for `headers`, text for every other. */
export type SettingValue<Name extends SettingName = SettingName> = Name extends 'headers'
  ? readonly string[]
  : string;

export type Settings = { readonly [Name in SettingName]?: SettingValue<Name> };

export const settingDefinitions: readonly SettingDefinition[] = definitions;

const byName: ReadonlyMap<string, SettingDefinition> = new Map(
  settingDefinitions.flatMap((definition) => [
    [definition.name, definition] as const,
    ...(definition.alias === undefined ? [] : [[definition.alias, definition] as const]),
  ]),
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
export function isSettingValue({ kind }: SettingDefinition, value: unknown): boolean {
  if (kind !== 'headers') return typeof value === 'string';
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
