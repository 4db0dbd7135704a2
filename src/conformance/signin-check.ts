import type { Check } from './check.ts';
import { SigninContext } from './signin-context.ts';
import type { SharedAttempts, SigninWorld } from './signin-world.ts';
import type { Passed } from './verdict.ts';

/** One thing that an application must or should do at a sign-in (section 4.2), and how it is found out. */
export interface SigninCheck
  extends Omit<Check, 'users' | 'fewerWillDo' | 'isIndependent' | 'run'> {
  /** How many users it needs; 1 unless told. */
  readonly users?: number;
  /** As the `run` of a check of a callback endpoint, with the application's sign-ins to look at. */
  readonly run: (context: SigninContext) => Promise<Passed | undefined>;
}

/** The checks as the engine runs them, for one run: those of the form share one right sign-in. */
export function bindSigninChecks(
  checks: readonly SigninCheck[],
  world: SigninWorld,
): readonly Check[] {
  const shared: SharedAttempts = { all: [] };
  const signsUp = world.users === 'signed-up';
  return checks.map((check) => ({
    ...check,
    users: signsUp ? (check.users ?? 1) : 0,
    fewerWillDo: true,
    isIndependent: !signsUp && world.sideBySide,
    run: (context) => check.run(new SigninContext(context, world, shared)),
  }));
}
