import { formatCipher, parseCipher } from '../../crypto/cipher-notation.ts';
import { stacks } from '../../errors.ts';
import { authenticateUrl, callbackUrl } from '../../protocol/endpoints.ts';
import { isTimeZone } from '../../protocol/expiry.ts';
import { redacted } from '../../reports/redact.ts';
import type { SettingDefinition, SettingKind, SettingName } from '../../state/settings.ts';
import { settingNamed } from '../../state/settings.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { isReference } from './input.ts';
import { choice, duration, header, nonEmpty, quote } from './values.ts';

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
  stack: choice(stacks),
};

/** The text to store for a setting. Throws `usage` for a value that is not valid. */
export function readSetting({ name, kind }: SettingDefinition, text: string): string {
  return readers[kind](text, name);
}

/** The value with secrets hidden, unless the user asked for them; of headers, the names alone. */
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

/** Throws `usage` unless the text names a time zone. */
export function timeZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw usage(
    `${quote(text)} is not a time zone.`,
    'Give an IANA name such as Asia/Seoul, or an offset such as +09:00.',
  );
}
