import { isLoopbackHost } from '../../protocol/endpoints.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import type { RelayFlagOptions } from './relay-flags.ts';

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
