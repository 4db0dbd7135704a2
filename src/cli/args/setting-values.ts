import { formatCipher, parseCipher } from '../../crypto/cipher-notation.ts';
import { stacks } from '../../errors.ts';
import { authenticateUrl, callbackUrl } from '../../protocol/endpoints.ts';
import { isTimeZone } from '../../protocol/expiry.ts';
import { redacted } from '../../reports/redact.ts';
import {
  type SettingDefinition,
  type SettingKind,
  type SettingName,
  settingNamed,
} from '../../state/settings.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { isReference } from './input.ts';
import { choice, duration, header, nonEmpty, quote } from './values.ts';

/** Each throws `usage` for a value that is not valid. */
const checks: Readonly<Partial<Record<SettingKind, (text: string, name: SettingName) => unknown>>> =
  {
    url: (text, name) => (name === 'url' ? callbackUrl(text) : authenticateUrl(text)),
    'time-zone': timeZone,
    duration,
    headers: header,
    stack: choice(stacks),
  };

/** The text to store for a setting. Throws `usage` for a value that is not valid. */
export function readSetting({ name, kind }: SettingDefinition, text: string): string {
  if (kind === 'cipher') return formatCipher(parseCipher(text));
  checks[kind]?.(text, name);
  return nonEmpty(text);
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
  if (settingNamed(name)?.kind === 'secret' && !isReference(value)) return redacted;
  return name === 'proxy' || name.endsWith('url')
    ? value.replace(/\/\/[^/@]*@/, `//${redacted}@`)
    : value;
}

/** Throws `usage` unless the text names a time zone. */
export function timeZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw usage(
    `${quote(text)} is not a time zone.`,
    'Give an IANA name such as Asia/Seoul, or an offset such as +09:00.',
  );
}
