import { formatCipher, parseCipher } from '../crypto/cipher-notation.ts';
import { authenticateUrl, callbackUrl } from '../protocol/endpoints.ts';
import { isTimeZone } from '../protocol/expiry.ts';
import { redacted } from '../reports/redact.ts';
import type { SettingDefinition, SettingKind, SettingName } from '../state/settings.ts';
import { settingNamed } from '../state/settings.ts';
import { usage } from './hints.ts';
import type { Session } from './session.ts';
import { duration, header, nonEmpty, quote } from './values.ts';

/** What a setting's value must be, by its kind; gives the text that is stored. */
const readers: Readonly<Record<SettingKind, (text: string, name: SettingName) => string>> = {
  url: (text, name) =>
    checked(text, () => (name === 'url' ? callbackUrl(text) : authenticateUrl(text))),
  text: nonEmpty,
  secret: nonEmpty,
  cipher: (text) => formatCipher(parseCipher(text)),
  'time-zone': timeZone,
  duration: (text) => checked(text, () => duration(text)),
  headers: (text) => checked(text, () => header(text)),
  file: nonEmpty,
  proxy: nonEmpty,
};

/** The text to store for a setting. Throws `usage`, naming the setting, for a value that can't be one. */
export function readSetting({ name, kind }: SettingDefinition, text: string): string {
  return readers[kind](text, name);
}

/** Whether a value only says where the secret is. */
export function isReference(value: string): boolean {
  return /^(?:env|file|cmd):/.test(value);
}

/**
 * A setting's value as it may be shown: a secret hidden unless it is a reference or the user asked
 * for it, and of headers the names alone.
 */
export function shownSetting(
  name: SettingName,
  value: string | readonly string[],
  session: Session,
): string | readonly string[] {
  if (session.showsSecrets) return value;
  if (typeof value !== 'string') return value.map(shownHeader);
  if (name === 'headers') return shownHeader(value);
  if (settingNamed(name)?.kind === 'secret' && !isReference(value)) return redacted;
  return name === 'proxy' || name.endsWith('url')
    ? value.replace(/\/\/[^/@]*@/, `//${redacted}@`)
    : value;
}

function shownHeader(line: string): string {
  return line.replace(/:[ \t]*(?!(?:env|file|cmd):).*$/s, `: ${redacted}`);
}

function checked(text: string, check: () => unknown): string {
  check();
  return text;
}

/** The zone as it was given. Throws `usage` for a text that names none. */
export function timeZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw usage(
    `${quote(text)} is no time zone.`,
    'Give an IANA name such as Asia/Seoul, or an offset such as +09:00.',
  );
}
