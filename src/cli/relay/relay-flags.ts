import { callbackUrl, isLoopbackHost } from '../../protocol/endpoints.ts';
import { checkedAuthUrl, cipherFlag } from '../args/flags.ts';
import { defaulted, list, type OptionsOf, optional, toggle } from '../args/options.ts';
import { networkFlags } from '../args/shared-flags.ts';
import { integer } from '../args/values.ts';
import { emulateFlags } from '../emulate/emulation.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { tlsFlags } from '../tls/tls-flags.ts';

const { ca, cert, certKey, insecure, proxy, resolve, har } = networkFlags;

export const relayFlags = {
  to: optional('--to <url>', "your application's callback URL: callbacks are forwarded there", {
    parse: callbackUrl,
    setting: 'url',
  }),
  authUrl: optional(
    '--auth-url <url>',
    "the real service's address: token and authenticate are forwarded there",
    { parse: (text) => new URL(checkedAuthUrl(text)), setting: 'auth-url' },
  ),
  host: defaulted('--host <address>', 'the address to listen on', '127.0.0.1', { input: 'word' }),
  port: defaulted('--port <n>', 'the port for callbacks; 0 picks a free one', '0', {
    parse: integer(0, 65_535),
  }),
  authPort: defaulted(
    '--auth-port <n>',
    "the port for the application's calls to the service; 0 picks a free one",
    '0',
    { parse: integer(0, 65_535) },
  ),
  decrypt: toggle(
    '--decrypt',
    'read the encrypted parts, with the keys of the stored users, and key pairs of its own in place of public_key',
  ),
  only: list('--only <glob>', 'with --decrypt: only users whose ptn_cd matches', {
    input: 'word',
  }),
  cipher: cipherFlag,
  ...tlsFlags,
  ui: emulateFlags.ui,
  uiPort: defaulted('--ui-port <n>', 'the port of the page; 0 picks a free one', '0', {
    parse: integer(0, 65_535),
  }),
  uiToken: emulateFlags.uiToken,
  saveSettings: toggle('--save-settings', 'store the settings that were learned for certain'),
  record: optional('--record <file>', 'append every exchange to a recording', {
    input: 'path',
    group: 'output',
  }),
  timeout: {
    ...networkFlags.timeout,
    about: 'time limit for a connection to the other side; requests have none',
  },
  ca,
  cert,
  certKey,
  insecure,
  proxy,
  resolve,
  har,
} as const;

export type RelayFlagOptions = OptionsOf<typeof relayFlags>;

/** Throws `usage` for what can't go together. */
export function checkOptions(options: RelayFlagOptions): void {
  const { to, authUrl, decrypt, only, host } = options;
  if (to === undefined && authUrl === undefined) {
    throw usage(
      'The relay needs to know where to forward.',
      "Give --to with your application's callback URL, --auth-url with the service's address, or both.",
    );
  }
  if (only.length > 0 && !decrypt) {
    throw usage('--only has no effect without --decrypt.', 'Add --decrypt, or leave --only out.');
  }
  if (decrypt && only.length === 0 && !isLoopbackHost(host)) {
    throw usage(
      `--decrypt reads the data of every user, and ${host} can be reached from other machines.`,
      'Name your test users with --only, or listen on 127.0.0.1.',
    );
  }
}

export function warnOf({ decrypt, only, host, record }: RelayFlagOptions, session: Session): void {
  if (!isLoopbackHost(host)) {
    session.warn(`the relay listens on ${host}, where other machines can reach it`);
  }
  if (!decrypt) return;
  const whom = only.length === 0 ? 'every user' : `users that match ${only.join(', ')}`;
  const kept = record === undefined ? 'in the profile' : 'in the profile and the recording';
  session.warn(
    `--decrypt reads the keys, passcodes and user information of ${whom}, and keeps them ${kept}: use it for your own test users`,
  );
}
