import type { Check } from './check.ts';
import { ServiceContext } from './service-context.ts';
import type { ServiceWorld } from './service-world.ts';
import type { Passed } from './verdict.ts';

/** One thing that the service must or should do at a sign-in (section 4.2), and how it is found out. */
export interface ServiceCheck extends Omit<Check, 'users' | 'fewerWillDo' | 'run'> {
  /** As the `run` of a check of a callback endpoint, with what is sent to {auth_url}. */
  readonly run: (context: ServiceContext) => Promise<Passed | undefined>;
}

/**
 * The checks as the engine runs them, for one run: they sign no user up, and share one sign-in, so
 * that a single `ptn_token` is enough for most of them.
 */
export function bindServiceChecks(
  checks: readonly ServiceCheck[],
  world: ServiceWorld,
): readonly Check[] {
  const signIn = {};
  return checks.map((check) => ({
    ...check,
    users: 0,
    run: (context) => check.run(new ServiceContext(context, world, signIn)),
  }));
}
