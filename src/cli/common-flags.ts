import { defaultClientId } from '../protocol/stand-ins.ts';
import { defaulted, optional, required } from './options.ts';
import { nonEmpty, perUserKey, secretText } from './values.ts';

/*
 * Flags that several commands share, each defined once so that it means the same everywhere. Those
 * whose values take more code to read have files of their own, which only their commands load.
 */

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
