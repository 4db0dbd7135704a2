import { createApplication, handleCallback } from '../emulator/application.ts';
import { createUserStore } from '../emulator/users.ts';
import { defaultClientId } from '../protocol/stand-ins.ts';
import { readCipher } from './arguments.ts';
import { type EmulatorOptions, type RunningEmulator, startEmulator } from './emulator.ts';
import { type ApplicationUser, fromKeptUser, toKeptUser } from './users.ts';
import { world } from './world.ts';

/** What the reference application is set to. */
export interface StartApplicationOptions extends EmulatorOptions {
  /** `authcli-client` unless told. */
  readonly clientId?: string;
  /** The cipher of the per-user key, in its notation or by a preset's name. */
  readonly cipher?: string;
  /** The users that it knows from the start. */
  readonly users?: Iterable<ApplicationUser>;
}

/** A reference application that listens. */
export interface RunningApplication extends RunningEmulator {
  /** Its callback URL. */
  readonly url: string;
  readonly clientId: string;
  /** A user as the application keeps them, key and passcode in clear; undefined for one it doesn't know. */
  user(ptnCd: string): ApplicationUser | undefined;
  users(): readonly ApplicationUser[];
}

/**
 * Starts a reference application on loopback: a callback endpoint that does what the interface
 * says (4.1), or goes wrong in ways that you choose.
 *
 * @example
 * ```ts
 * import { simulateSignup, startApplication } from 'authcli';
 *
 * await using application = await startApplication({ faults: ['oaep-sha256'] });
 * const failed = await simulateSignup({ url: application.url });
 * console.log(failed.ok ? '' : failed.diagnosis.code); // oaep-sha256
 *
 * application.faults.off();
 * const user = await simulateSignup({ url: application.url });
 * console.log(application.user(user.ptnCd)?.state); // registered
 * ```
 *
 * @throws AuthcliError `usage` for a cipher or fault that there isn't, and an address that can't be
 *   bound; the reason of `signal`
 */
export async function startApplication(
  options: StartApplicationOptions = {},
): Promise<RunningApplication> {
  const { clientId = defaultClientId } = options;
  const cipher = readCipher(options.cipher);
  const users = createUserStore([...(options.users ?? [])].map(toKeptUser));
  const application = createApplication({ clientId, cipher, environment: world, users });
  const emulator = await startEmulator(
    {
      side: 'application',
      handler: (request) => handleCallback(request, application),
      faults: application.faults,
      settings: { client_id: clientId },
    },
    options,
  );
  return {
    ...emulator,
    url: `${emulator.origin}/callback`,
    clientId,
    user: (ptnCd) => {
      const kept = users.get(ptnCd);
      return kept && fromKeptUser(kept);
    },
    users: () => users.list().map(fromKeptUser),
  };
}
