import { formatCipher, parseCipher } from '../crypto/cipher-notation.ts';
import { findSetting, type SettingName } from '../state/settings.ts';
import { cipherFlag } from './cipher-flag.ts';
import { clientIdFlag, secretKeyFlag } from './common-flags.ts';
import { networkFlags } from './network-flags.ts';
import { list, type OptionsOf, optional, toggle } from './options.ts';
import { readSetting, timeZone } from './setting-values.ts';
import { authUrlFlag, urlFlag } from './url-flags.ts';
import { nonEmpty } from './values.ts';

/** The answer that takes a setting out of the profile. */
export const removeIt = '-';

/** The answer that has the cipher found by a probe. */
export const findIt = 'find';

/** What `init` takes: a flag for each of its questions. */
export const initFlags = {
  url: optional(urlFlag.syntax, urlFlag.about, { parse: urlText('url') }),
  clientId: optional(clientIdFlag.syntax, clientIdFlag.about, { parse: nonEmpty }),
  authUrl: optional(authUrlFlag.syntax, authUrlFlag.about, { parse: urlText('auth-url') }),
  secretKey: optional(
    secretKeyFlag.syntax,
    `${secretKeyFlag.about}: env:NAME, file:PATH or cmd:COMMAND, which is kept as it is, or the secret itself`,
    { parse: nonEmpty },
  ),
  cipher: optional('--cipher <notation>', `${cipherFlag.about}; "${findIt}" has it probed`, {
    candidates: 'cipher',
    parse: (text) => (text === findIt ? findIt : formatCipher(parseCipher(text))),
  }),
  expireTimeZone: optional('--expire-time-zone <zone>', 'the time zone of expire_dt', {
    parse: timeZone,
  }),
  unset: list('--unset <setting>', 'take this setting out of the profile', {
    input: 'word',
    candidates: 'setting',
    parse: (text) => findSetting(text).name as SettingName,
  }),
  yes: toggle('--yes', 'ask nothing: what is not given stays as it is'),
  noCheck: toggle('--no-check', "don't look whether the endpoints answer"),
  ...networkFlags,
} as const;

export type InitOptions = OptionsOf<typeof initFlags>;

function urlText(name: 'url' | 'auth-url'): (text: string) => string {
  return (text) => readSetting({ name, kind: 'url', description: '' }, text);
}
