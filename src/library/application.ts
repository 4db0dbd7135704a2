import { callbackPath } from '../emulator/application.ts';
import { emulatedApplication } from '../emulator/emulator.ts';
import { createUserStore } from '../emulator/users.ts';
import { defaultClientId } from '../protocol/defaults.ts';
import { checkOptions, environment, iterable, readCipher } from './arguments.ts';
import { type EmulatorOptions, type RunningEmulator, startEmulator } from './emulator.ts';
import { type ApplicationUser, fromUser, toUser } from './users.ts';

export interface StartApplicationOptions extends EmulatorOptions {
  /** `authcli-client` by default. */
  readonly clientId?: string;
  /** The cipher of the per-user key, in its notation or by a preset's name. */
  readonly cipher?: string;
  /** The users it knows from the start. */
  readonly users?: Iterable<ApplicationUser>;
}

export interface RunningApplication extends RunningEmulator {
  /** Its callback URL. */
  readonly url: string;
  readonly clientId: string;
  /** A user with key and passcode in clear, if known. */
  user(ptnCd: string): ApplicationUser | undefined;
  users(): readonly ApplicationUser[];
}

/**
 * Starts a reference application on loopback: a callback endpoint that follows the interface (4.1),
 * or has the faults that you choose.
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
 * @throws AuthcliError `usage` for an unknown cipher or fault, or an address that can't be bound; the
 *   reason of `signal`
 */
export async function startApplication(
  options: StartApplicationOptions = {},
): Promise<RunningApplication> {
  checkOptions(options);
  const { clientId = defaultClientId } = options;
  const cipher = readCipher(options.cipher);
  const users = createUserStore([...iterable('users', options.users)].map(toUser));
  const side = emulatedApplication({ clientId, cipher, users }, environment);
  const emulator = await startEmulator(side, options);
  return {
    ...emulator,
    url: `${emulator.origin}${callbackPath}`,
    clientId,
    user: (ptnCd) => {
      const user = users.get(ptnCd);
      return user && fromUser(user);
    },
    users: () => users.list().map(fromUser),
  };
}
