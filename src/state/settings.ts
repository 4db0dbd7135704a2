import { AuthcliError } from '../errors.ts';
import { didYouMean, excerptOf } from '../text.ts';

/** What each setting is, in the order in which they are listed. */
export const settingDescriptions = {
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
};

export type SettingName = keyof typeof settingDescriptions;

/** A list for `headers`, text for every other. */
export type Settings = {
  readonly [Name in SettingName]?: Name extends 'headers' ? readonly string[] : string;
};

export const settingNames = Object.keys(settingDescriptions) as readonly SettingName[];

export function settingNamed(name: string): SettingName | undefined {
  const own = name === 'expireTimeZone' ? 'expire-time-zone' : name;
  return settingNames.find((each) => each === own);
}

/** The same. Throws AuthcliError `usage` for any other text, with the nearest name as hint. */
export function findSetting(name: string): SettingName {
  const found = settingNamed(name);
  if (found !== undefined) return found;
  throw new AuthcliError('usage', `Unknown setting "${excerptOf(name, 40)}".`, {
    hint: didYouMean(name, settingNames) || `The settings are ${settingNames.join(', ')}.`,
  });
}
