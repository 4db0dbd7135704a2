import { Secret } from '../../crypto/secret.ts';
import { clientIdFlag, privateKeyFlags, ptnCdFlag, urlFlag } from '../args/flags.ts';
import { flag, type OptionsOf } from '../args/options.ts';
import { appFlags, networkFlags } from '../args/shared-flags.ts';
import { keySizes, quote, secretText } from '../args/values.ts';
import { usage } from '../failure.ts';

export const callbackFlags = {
  url: urlFlag,
  clientId: clientIdFlag,
  ptnCd: ptnCdFlag,
  noSave: flag('--no-save', 'do not save the user or a new key pair'),
  dryRun: flag('--dry-run', 'print what would be sent without sending it'),
  ...appFlags,
  ...networkFlags,
} as const;

export const keyPairFlags = {
  keyBits: flag('--key-bits <n>', 'size of the service key pair of this run', {
    choices: keySizes,
  }),
  ...privateKeyFlags,
} as const;

const personal = { parse: Secret.text, secret: true, references: false } as const;

export const registrationFlags = {
  superPasscode: flag(
    '--super-passcode <passcode>',
    "the user's Super Passcode (default: a new one)",
    { parse: secretText, secret: true },
  ),
  email: flag('--email <address>', "the user's e-mail address", personal),
  name: flag('--name <name>', "the user's name", personal),
  phone: flag('--phone <number>', "the user's phone number", personal),
  userInfo: flag('--user-info <json>', 'the user information, as JSON or @FILE', {
    ...personal,
    parse: userInformation,
  }),
  noUserInfo: flag('--no-user-info', 'do not send ubifill'),
} as const;

export const userInfoExclusive = [
  ['email', 'userInfo', 'noUserInfo'],
  ['name', 'userInfo', 'noUserInfo'],
  ['phone', 'userInfo', 'noUserInfo'],
] as const;

export const keyPairExclusive = [['privateKey', 'keyBits']] as const;

export type KeyPairOptions = Omit<OptionsOf<typeof keyPairFlags>, 'privateKeyPassword'> & {
  readonly noSave: boolean;
  readonly dryRun: boolean;
};

export type RegistrationOptions = OptionsOf<typeof registrationFlags>;

/** Text that looks like JSON must be JSON; other text is sent as it is (decisions: user information). */
function userInformation(text: string): Secret {
  if (!/^\s*[{[]/.test(text)) return secretText(text);
  try {
    JSON.parse(text);
    return Secret.text(text);
  } catch {
    throw usage(
      `${quote(text.slice(0, 1))}… begins like JSON but is invalid.`,
      'Check the JSON syntax.',
    );
  }
}
