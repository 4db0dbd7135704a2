import { defaultCipher } from '../../crypto/cipher.ts';
import { formatCipher, parseCipher } from '../../crypto/cipher-notation.ts';
import { readPrivateKey } from '../../crypto/key-reading.ts';
import { defaultClientId } from '../../protocol/defaults.ts';
import { authenticateUrl, callbackUrl } from '../../protocol/endpoints.ts';
import { payloadFields } from '../../protocol/payload-fields.ts';
import { findSetting } from '../../state/settings.ts';
import { defaulted, list, optional, required } from './options.ts';
import { timeZone } from './setting-values.ts';
import { choice, nonEmpty, perUserKey, secretText } from './values.ts';

/* Flags that several commands share, each defined once so that it means the same everywhere. */

export const clientIdFlag = defaulted(
  '--client-id <id>',
  'the Application Client ID',
  defaultClientId,
  { parse: nonEmpty, setting: 'client-id' },
);

export const requiredClientIdFlag = required('--client-id <id>', 'the Application Client ID', {
  parse: nonEmpty,
  setting: 'client-id',
});

export const secretKeyFlag = required(
  '--secret-key <secret>',
  'the application server secret key',
  { parse: secretText, setting: 'secret-key', secret: true },
);

/** The default of the emulated service, which listens on loopback alone. */
export const emulatedSecretKey = 'authcli-emulated-secret';

export const emulatedSecretKeyFlag = defaulted(
  '--secret-key <secret>',
  'the application server secret key',
  emulatedSecretKey,
  { parse: secretText, setting: 'secret-key', secret: true },
);

export const ptnCdFlag = optional('--ptn-cd <code>', 'the user (Application user code)', {
  parse: nonEmpty,
  candidates: 'user-code',
});

export const keyFlag = optional('--key <key>', "the user's per-user key", {
  parse: perUserKey,
  secret: true,
});

export const urlFlag = required('--url <url>', "the application's callback URL", {
  parse: callbackUrl,
  setting: 'url',
});

export const authUrlFlag = required('--auth-url <url>', "the service's address, {auth_url}", {
  parse: checkedAuthUrl,
  setting: 'auth-url',
});

/** Reads {auth_url}; throws `usage` for what can't be one. */
function checkedAuthUrl(text: string): string {
  authenticateUrl(text);
  return text;
}

export const cipherFlag = defaulted(
  '--cipher <notation>',
  'the cipher of the per-user key; see help ciphers',
  formatCipher(defaultCipher),
  { parse: parseCipher, setting: 'cipher', candidates: 'cipher' },
);

export const privateKeysFlag = list(
  '--private-key <file>',
  'the private key that matches the public_key sent; more are tried as earlier keys',
  { input: 'file', secret: true, read: ({ bytes }) => readPrivateKey(bytes) },
);

export const expireTimeZoneFlag = optional(
  '--expire-time-zone <zone>',
  'the time zone of expire_dt',
  { parse: timeZone, setting: 'expire-time-zone' },
);

export const fieldFlag = optional('--as <field>', 'the field it comes from', {
  choices: payloadFields,
  parse: choice(payloadFields),
});

export const settingArgument = required('<setting>', 'the name of the setting', {
  input: 'word',
  candidates: 'setting',
  parse: findSetting,
});

export const userArgument = required('<ptn_cd>', 'the Application user code', {
  parse: nonEmpty,
  candidates: 'user-code',
});
