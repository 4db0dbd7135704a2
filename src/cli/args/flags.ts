import { defaultCipher, formatCipher, parseCipher } from '../../crypto/cipher.ts';
import { type PrivateKeyReading, readPrivateKey } from '../../crypto/key-reading.ts';
import { Secret } from '../../crypto/secret.ts';
import { AuthcliError } from '../../errors.ts';
import { authenticateUrl, callbackUrl } from '../../protocol/endpoints.ts';
import { isTimeZone } from '../../protocol/expiry.ts';
import { payloadFields } from '../../protocol/payload-fields.ts';
import { defaultClientId } from '../../protocol/user.ts';
import { findSetting } from '../../state/settings.ts';
import { shellWord } from '../../text.ts';
import { usage } from '../failure.ts';
import type { Content } from './input.ts';
import { type Flag, flag, type OtherOptions } from './options.ts';
import { nonEmpty, perUserKey, quote, secretText } from './values.ts';

/* Flags that several commands share, each defined once so that it means the same everywhere. */

export const clientIdFlag = flag('--client-id <id>', 'the Application Client ID', {
  fallback: defaultClientId,
  parse: nonEmpty,
  setting: 'client-id',
});

/** The default is that of the emulated service; for any other it has to be given. */
export const secretKeyFlag = flag('--secret-key <secret>', 'the application server secret key', {
  fallback: 'authcli-emulated-secret',
  parse: secretText,
  setting: 'secret-key',
  secret: true,
});

export const ptnCdFlag = flag('--ptn-cd <code>', 'the user (Application user code)', {
  parse: nonEmpty,
  candidates: 'user-code',
  variable: true,
});

export const keyFlag = flag('--key <key>', "the user's per-user key", {
  parse: perUserKey,
  secret: true,
  variable: true,
});

const url = { parse: callbackUrl, setting: 'url', emulator: 'app' } as const;
const aboutUrl = "the application's callback URL";

export const urlFlag = flag('--url <url>', aboutUrl, { ...url, required: true });

export const optionalUrlFlag = flag('--url <url>', aboutUrl, url);

export const authUrlFlag = flag('--auth-url <url>', "the service's address, {auth_url}", {
  required: true,
  parse: checkedAuthUrl,
  setting: 'auth-url',
  emulator: 'service',
});

/** Reads {auth_url}; throws `usage` for what can't be one. */
export function checkedAuthUrl(text: string): string {
  authenticateUrl(text);
  return text;
}

export const cipherFlag = flag(
  '--cipher <notation>',
  'the cipher of the per-user key; see help ciphers',
  {
    fallback: formatCipher(defaultCipher),
    parse: parseCipher,
    setting: 'cipher',
    candidates: 'cipher',
  },
);

/** In the order in which they are read: a private key is decrypted with its password. */
export const privateKeyFlags = {
  privateKeyPassword: flag(
    '--private-key-password <password>',
    'the password of an encrypted private key',
    { parse: secretText, secret: true },
  ),
  privateKey: {
    ...flag<Content>(
      '--private-key <file...>',
      'the private key that matches the public_key sent, as PEM or others; more are tried as earlier keys',
      { input: 'file', secret: true, read: (content) => content },
    ),
    parse: (contents, others): Promise<readonly PrivateKeyReading[]> =>
      openPrivateKeys(contents, others),
  } satisfies Flag<Promise<readonly PrivateKeyReading[]>>,
};

/** Asks for the password once a file needs one. */
async function openPrivateKeys(
  contents: readonly Content[],
  { before, ask }: OtherOptions = { before: {}, ask: async () => undefined },
): Promise<readonly PrivateKeyReading[]> {
  const opened: PrivateKeyReading[] = [];
  for (const { bytes, file } of contents) {
    const open = async (password: unknown) =>
      readPrivateKey(bytes, {
        password: password instanceof Secret ? password.reveal() : undefined,
        file: file === undefined ? undefined : shellWord(file),
      });
    const key = await open(before.privateKeyPassword).catch(async (error: unknown) => {
      if (!(error instanceof AuthcliError) || error.data.reason !== 'encrypted') throw error;
      return open(await ask('privateKeyPassword'));
    });
    opened.push(key);
  }
  return opened;
}

/** Throws `usage` unless the text names a time zone. */
function timeZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw usage(
    `${quote(text)} is not a time zone.`,
    'Give an IANA name such as Asia/Seoul, or an offset such as +09:00.',
  );
}

export const expireTimeZoneFlag = flag('--expire-time-zone <zone>', 'the time zone of expire_dt', {
  parse: timeZone,
  setting: 'expire-time-zone',
});

export const fieldFlag = flag('--as <field>', 'the field it comes from', {
  choices: payloadFields,
});

export const settingArgument = flag('<setting>', 'the name of the setting', {
  input: 'word',
  candidates: 'setting',
  parse: findSetting,
});

export const userArgument = flag('<ptn_cd>', 'the Application user code', {
  parse: nonEmpty,
  candidates: 'user-code',
  variable: true,
});
