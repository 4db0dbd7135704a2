import { defaultCipher, formatCipher, parseCipher } from '../crypto/cipher-notation.ts';
import { readPrivateKey } from '../crypto/private-key.ts';
import { authenticateUrl, callbackUrl } from '../protocol/endpoints.ts';
import { defaultClientId } from '../protocol/stand-ins.ts';
import type { Content } from './content.ts';
import { defaulted, list, optional, required } from './options.ts';
import { timeZone } from './setting-values.ts';
import { nonEmpty, perUserKey, secretText } from './values.ts';

/** Flags that several commands share, each defined once so that it means the same everywhere. */

export const urlFlag = required('--url <url>', "the application's callback URL", {
  parse: callbackUrl,
  setting: 'url',
});

export const authUrlFlag = required('--auth-url <url>', "the service's address, {auth_url}", {
  parse: checkedAuthUrl,
  setting: 'auth-url',
});

export const clientIdFlag = defaulted(
  '--client-id <id>',
  'the Application Client ID',
  defaultClientId,
  {
    parse: nonEmpty,
    setting: 'client-id',
  },
);

export const requiredClientIdFlag = required('--client-id <id>', 'the Application Client ID', {
  parse: nonEmpty,
  setting: 'client-id',
});

export const secretKeyFlag = required(
  '--secret-key <secret>',
  'the application server secret key',
  {
    parse: secretText,
    setting: 'secret-key',
    secret: true,
  },
);

/** What the emulated service takes for its secret where none is set; it listens on loopback alone. */
export const emulatedSecretKey = 'authcli-emulated-secret';

export const emulatedSecretKeyFlag = defaulted(
  '--secret-key <secret>',
  'the application server secret key',
  emulatedSecretKey,
  { parse: secretText, setting: 'secret-key', secret: true },
);

export const ptnCdFlag = optional('--ptn-cd <code>', 'the user: Application user code', {
  parse: nonEmpty,
  candidates: 'user-code',
});

export const keyFlag = optional('--key <key>', "the user's per-user key", {
  parse: perUserKey,
  secret: true,
});

export const cipherFlag = defaulted(
  '--cipher <notation>',
  'the cipher of the per-user key; see help ciphers',
  formatCipher(defaultCipher),
  { parse: parseCipher, setting: 'cipher', candidates: 'cipher' },
);

export const expireTimeZoneFlag = optional(
  '--expire-time-zone <zone>',
  'the time zone of expire_dt',
  {
    parse: timeZone,
    setting: 'expireTimeZone',
  },
);

export const privateKeysFlag = list(
  '--private-key <file>',
  'the private key of the public_key that was sent; further ones are tried as earlier keys',
  { input: 'file', secret: true, read: ({ bytes }: Content) => readPrivateKey(bytes) },
);

/** Reads {auth_url}; throws `usage` for what can't be one. */
export function checkedAuthUrl(text: string): string {
  authenticateUrl(text);
  return text;
}
