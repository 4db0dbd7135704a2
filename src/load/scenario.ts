import type { Transport } from '../client/transport.ts';
import { parseCipher } from '../crypto/cipher-notation.ts';
import { readPrivateKey } from '../crypto/key-reading.ts';
import type { Environment } from '../emulator/handling.ts';
import type { Diagnosis } from '../errors.ts';
import type { LoadJob, LoadTask } from './job.ts';
import { KeyMemory } from './key-examiner.ts';
import { SigninScenario } from './signin-scenario.ts';
import { SignupScenario } from './signup-scenario.ts';

/** A user that signed up in a load, with all that a sign-in needs. */
export interface LoadedUser {
  readonly ptnCd: string;
  readonly key: string;
  readonly superPasscode: string;
  readonly userInfo?: string;
}

/** What became of one sign-up or sign-in. */
export interface Attempted {
  readonly ok: boolean;
  /** How long each call took, in milliseconds: the first, and the second if it was sent. */
  readonly stepsMs: readonly number[];
  /** Whether any response came, right or wrong. */
  readonly responded: boolean;
  /** Why it failed. */
  readonly diagnosis?: Diagnosis;
  /** Values that a response may repeat and that must not be shown. */
  readonly secrets?: readonly string[];
  /** Weaknesses of a key that was examined thoroughly; absent if it wasn't. */
  readonly weaknesses?: readonly Diagnosis[];
  readonly user?: LoadedUser;
}

/** Something that is repeated, each time for a user of its own. */
export interface Scenario {
  /** Does it once; never rejects for the other side's faults. */
  run(transport: Transport): Promise<Attempted>;
}

/** The scenario of a task, as one of several threads runs it. */
export function createScenario(
  task: LoadTask,
  thread: Pick<LoadJob, 'index' | 'threads' | 'keys'>,
  environment: Environment,
): Scenario {
  const cipher = parseCipher(task.cipher);
  if (task.scenario === 'signin') {
    return new SigninScenario({ ...task, cipher }, environment, thread);
  }
  const url = new URL(task.url);
  const keyPairs = task.keyPairs.map((pem) => readPrivateKey(pem).key);
  const keys = new KeyMemory(thread.keys);
  return new SignupScenario({ ...task, url, cipher, keyPairs }, { ...environment, keys });
}
