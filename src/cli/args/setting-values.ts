import { formatCipher, parseCipher } from '../../crypto/cipher.ts';
import { redacted } from '../../reports/redact.ts';
import type { SettingName } from '../../state/settings.ts';
import type { Session } from '../session.ts';
import { authUrlFlag, cipherFlag, clientIdFlag, expireTimeZoneFlag, urlFlag } from './flags.ts';
import { isReference, textContent } from './input.ts';
import type { Flag } from './options.ts';
import { globalFlags, networkFlags } from './shared-flags.ts';
import { nonEmpty } from './values.ts';

/** Those that give a setting its form; secrets have none. */
const flags: readonly Flag<unknown>[] = [
  ...[urlFlag, authUrlFlag, clientIdFlag, cipherFlag, expireTimeZoneFlag],
  ...Object.values({ ...networkFlags, ...globalFlags }),
];

function flagOf(name: SettingName): Flag<unknown> | undefined {
  return flags.find(({ setting }) => setting === name);
}

/** What applies where a setting has no value. */
export function settingDefault(name: SettingName): string | undefined {
  return flagOf(name)?.fallback;
}

/** The text to store for a setting. Throws `usage` for a value that is not valid. */
export function readSetting(name: SettingName, text: string): string {
  flagOf(name)?.parse([textContent(text)]);
  return name === 'cipher' ? formatCipher(parseCipher(text)) : nonEmpty(text);
}

/** The value with secrets hidden, unless the user asked for them; of headers, the names alone. */
export function shownSetting(
  name: SettingName,
  value: string | readonly string[],
  session: Session,
): string | readonly string[] {
  if (session.showsSecrets) return value;
  const hidden = (line: string) =>
    line.replace(/:[ \t]*(?!(?:env|file|cmd):).*$/s, `: ${redacted}`);
  if (typeof value !== 'string') return value.map(hidden);
  if (name === 'headers') return hidden(value);
  if (name === 'secret-key' && !isReference(value)) return redacted;
  return name === 'proxy' || name.endsWith('url')
    ? value.replace(/\/\/[^/@]*@/, `//${redacted}@`)
    : value;
}
