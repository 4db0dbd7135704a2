import { clientIdFlag, ptnCdFlag, secretKeyFlag } from './common-flags.ts';
import { defaulted, list, type OptionsOf, optional } from './options.ts';
import { passcodeFlags } from './signin-flags.ts';
import { expireTimeZoneFlag } from './time-zone-flag.ts';
import { authUrlFlag, checkedAuthUrl } from './url-flags.ts';
import { duration, nonEmpty, secretText } from './values.ts';
import { checkRunFlags } from './verify-flags.ts';

/** What `verify-service` takes. */
export const verifyServiceFlags = {
  authUrl: optional(authUrlFlag.syntax, authUrlFlag.about, {
    parse: checkedAuthUrl,
    setting: 'auth-url',
  }),
  clientId: clientIdFlag,
  secretKey: optional(secretKeyFlag.syntax, secretKeyFlag.about, {
    parse: secretText,
    setting: 'secret-key',
    secret: true,
  }),
  ptnToken: list('--ptn-token <token>', 'a valid ptn_token; several, if each is good once', {
    parse: secretText,
    secret: true,
  }),
  ptnTokenCommand: optional('--ptn-token-command <command>', 'a program that prints a fresh one', {
    input: 'word',
    parse: nonEmpty,
  }),
  ptnCd: ptnCdFlag,
  ...passcodeFlags,
  expireTimeZone: expireTimeZoneFlag,
  expiryWait: defaulted(
    '--expiry-wait <duration>',
    'wait so long for an acs_token to expire',
    '10s',
    {
      parse: duration,
    },
  ),
  ...checkRunFlags,
  check: { ...checkRunFlags.check, candidates: 'service-check' },
  skip: { ...checkRunFlags.skip, candidates: 'service-check' },
} as const;

export type VerifyServiceOptions = OptionsOf<typeof verifyServiceFlags>;
