import type { KeyBits } from '../client/key-pair.ts';
import { Secret } from '../crypto/secret.ts';
import { clientIdFlag, ptnCdFlag } from './common-flags.ts';
import { usage } from './hints.ts';
import { networkFlags } from './network-flags.ts';
import { type OptionsOf, optional, toggle } from './options.ts';
import { privateKeysFlag } from './private-keys-flag.ts';
import { urlFlag } from './url-flags.ts';
import { choice, quote, secretText } from './values.ts';

const sizes = ['2048', '3072', '4096'] as const;

/** What every simulated callback takes. */
export const callbackFlags = {
  url: urlFlag,
  clientId: clientIdFlag,
  ptnCd: ptnCdFlag,
  noSave: toggle('--no-save', 'keep nothing of the user, nor a new key pair'),
  dryRun: toggle('--dry-run', 'show what would be sent, and send nothing'),
  ...networkFlags,
} as const;

/** What a simulated key exchange takes beside. */
export const keyPairFlags = {
  keyBits: optional<KeyBits>('--key-bits <n>', 'size of the service key pair', {
    choices: sizes,
    parse: (text) => Number(choice(sizes)(text)) as KeyBits,
  }),
  privateKey: privateKeysFlag,
  freshKeyPair: toggle('--fresh-key-pair', 'make a new service key pair for the profile'),
} as const;

const personal = { parse: Secret.text, secret: true, references: false } as const;

/** What a simulated registration takes beside: the passcode and the user information. */
export const registrationFlags = {
  superPasscode: optional(
    '--super-passcode <passcode>',
    "the user's Super Passcode; default: a new one",
    {
      parse: secretText,
      secret: true,
    },
  ),
  email: optional('--email <address>', "the user's e-mail address", personal),
  name: optional('--name <name>', "the user's name", personal),
  phone: optional('--phone <number>', "the user's phone number", personal),
  userInfo: optional('--user-info <json>', 'the user information as it is sent, JSON or @FILE', {
    ...personal,
    parse: userInformation,
  }),
  noUserInfo: toggle('--no-user-info', 'send no ubifill'),
} as const;

/** The user information comes as attributes, as a whole, or not at all. */
export const userInfoExclusive = [
  ['userInfo', 'noUserInfo'],
  ['email', 'userInfo'],
  ['name', 'userInfo'],
  ['phone', 'userInfo'],
  ['email', 'noUserInfo'],
  ['name', 'noUserInfo'],
  ['phone', 'noUserInfo'],
] as const;

/** The service key pair is given, or made. */
export const keyPairExclusive = [
  ['privateKey', 'keyBits'],
  ['privateKey', 'freshKeyPair'],
] as const;

export type KeyPairOptions = OptionsOf<typeof keyPairFlags> & {
  readonly noSave: boolean;
  readonly dryRun: boolean;
};

export type RegistrationOptions = OptionsOf<typeof registrationFlags>;

/** What looks like JSON must be JSON; any other text is sent as it is (decisions: user information). */
function userInformation(text: string): Secret {
  if (!/^\s*[{[]/.test(text)) return secretText(text);
  try {
    JSON.parse(text);
    return Secret.text(text);
  } catch {
    throw usage(
      `${quote(text.slice(0, 1))}… begins like JSON and is none.`,
      'Check it with a JSON tool, or give other text.',
    );
  }
}
