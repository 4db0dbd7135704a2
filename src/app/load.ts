import type { Transport } from '../client/transport.ts';
import { Secret } from '../crypto/secret.ts';
import type { LoadTask } from '../load/job.ts';
import { KeyMemory } from '../load/key-examiner.ts';
import { createScenario } from '../load/scenario.ts';
import type { Environment, Secrets } from './environment.ts';
import { hideUserInformation } from './hide-user-information.ts';

/** Runs one sign-up or sign-in of a load, to be recorded: the exchanges of the load are too many. */
export async function runSample(
  transport: Transport,
  task: LoadTask,
  environment: Environment,
  secrets: Secrets,
): Promise<void> {
  const thread = { index: 0, threads: 1, keys: KeyMemory.allocate() };
  const { secrets: used = [], user } = await createScenario(task, thread, environment).run(
    transport,
  );
  for (const secret of used) secrets.add(secret);
  if (user?.userInfo !== undefined) hideUserInformation(Secret.text(user.userInfo), secrets);
}
