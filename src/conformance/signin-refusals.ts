import { diagnosis } from '../diagnosis/diagnosis.ts';
import type { Calls } from '../errors.ts';
import { counted } from '../text.ts';
import type { Passed } from './check.ts';
import { fail, skip, untested } from './expect.ts';
import type {
  Attempt,
  Conclusion,
  SigninCheck,
  SigninCheckDefinition,
  SigninContext,
  SigninUser,
} from './signin-check.ts';
import { callsTo, lastExchange } from './signin-expect.ts';
import { type Scenario, scenarios } from './signin-scenarios.ts';

export interface Refusing {
  /** `accepted-bad-answer` by default. */
  readonly code?: 'accepted-bad-answer' | 'passcode-mismatch' | 'other-user';
  /** Why it matters: a sentence. */
  readonly risk: string;
  readonly fix: string;
  /** How it is written, by stack. */
  readonly calls: Calls;
}

/** A check that a sign-in is refused in each of the scenarios that name it. */
export function rejecting({
  code,
  risk,
  fix,
  calls,
  ...facts
}: Refusing &
  Pick<SigninCheck, 'id' | 'title' | 'section' | 'sentence' | 'users'> &
  Partial<Pick<SigninCheck, 'needs' | 'holdsUp'>>): SigninCheckDefinition {
  return {
    stage: 'wrong-requests',
    needs: ['signin/accepts-right-sign-in', 'signin/both-calls'],
    ...facts,
    run: async (context) => rejectsIn(context, facts.id, { code, risk, fix, calls }),
  };
}

/** Has users sign in under each scenario of the check that can be tested; all must be refused. */
export async function rejectsIn(context: SigninContext, id: string, refusing: Refusing) {
  const { users } = context.environment;
  const given = users === 'given' ? await context.user() : undefined;
  const names = scenarios
    .filter((scenario) => `signin/${scenario.triedBy}` === id && canTest(scenario, context))
    .map(({ name }) => name)
    .filter((name) => differs(name, given));
  if (names.length === 0) skip('None of its sign-ins can be tried with this user and set-up.');
  const user = await userOf(names, context);
  const attempts = await Promise.all(names.map((name) => context.signIn(name, { user })));
  const passed = expectRefused(attempts, refusing);
  await expectNotLocked(context);
  return passed;
}

/**
 * Outages hit a user who has signed in before: a last good response must not take the place of the
 * one that is missing. Who was signed up elsewhere may have another key since.
 */
async function userOf(names: readonly string[], context: SigninContext) {
  const outage = /^(?:plain-text|(?:token|authenticate)-(?!code-|expired|without))/;
  const areOutages = names.every((name) => outage.test(name));
  if (!areOutages || context.environment.users !== 'invented') return undefined;
  return (await context.rightSignIn()).user;
}

/** Demands that no user is signed in; one who is fails the check. Skips what ended before its fault. */
export function expectRefused(attempts: readonly Attempt[], refusing: Refusing): Passed {
  const having = (verdict: Conclusion['verdict']) =>
    attempts.filter(({ conclusion }) => conclusion.verdict === verdict);
  const [worst, ...others] = having('signed-in');
  if (worst !== undefined) failAccepted(worst, others, refusing);
  const missed = attempts.filter((attempt) => !hasMetFault(attempt));
  if (missed.length * 2 > attempts.length) {
    const [first] = missed;
    untested(
      `${missed.length} of ${attempts.length} sign-ins ended (${first?.conclusion.how}) before the application had sent the request that matters.`,
    );
  }
  return {
    notes: [
      ...missed.map(({ scenario }) => `Not tested, as the sign-in had ended: ${scenario.when}.`),
      ...having('unclear').map(
        ({ conclusion, scenario }) =>
          `The sign-in was neither accepted nor refused (${conclusion.how}) when ${scenario.when}.`,
      ),
    ],
  };
}

function failAccepted(
  worst: Attempt,
  others: readonly Attempt[],
  { code, risk, fix, calls }: Refusing,
): never {
  const { conclusion, scenario, user } = worst;
  const { how } = conclusion;
  const [next, ...more] = others.map(({ scenario }) => scenario.when);
  const rest = more.length === 0 ? '' : `, and in ${counted(more.length, 'more such sign-in')}`;
  const also = next === undefined ? '' : ` Also when ${next}${rest}.`;
  const message = `The application signed ${user.ptnCd} in (${how}) although ${scenario.when}. ${risk}${also}`;
  const cause = { ...diagnosis(code ?? 'accepted-bad-answer', message, fix), calls };
  return fail({
    harm: 'lets-in',
    expected: `the sign-in to be refused when ${scenario.when}`,
    observed: `${how}: signed in, in ${others.length + 1} such sign-ins`,
    diagnosis: cause,
    evidence: callsTo(worst, scenario.call)[0]?.exchange ?? lastExchange(worst),
  });
}

/** A service that takes no connection sees none; the request before it has to have come. */
function hasMetFault(attempt: Attempt): boolean {
  const { name, call } = attempt.scenario;
  if (name === 'token-no-connection' || name === 'plain-text') return true;
  const isRefused = name === 'authenticate-no-connection';
  return callsTo(attempt, isRefused ? 'token' : call).length > 0;
}

/** What can't be met with this trigger, cipher or user says nothing about the application. */
function canTest(scenario: Scenario, { environment, base }: SigninContext): boolean {
  const { name, needsOwnPasscode } = scenario;
  const { cipher } = base.environment;
  // A sign-up may rightly refuse a passcode that is made for a scenario.
  if (needsOwnPasscode) return environment.users !== 'invented';
  if (name === 'passcode-any-pattern' || name === 'passcode-long-end')
    return environment.users === 'invented';
  if (name === 'plain-text') return environment.trigger.kind === 'command';
  if (name === 'ptn-sp-tag-damaged') return cipher.algorithm.endsWith('-gcm');
  if (name === 'passcode-nul') return cipher.padding !== 'zero' && cipher.padding !== 'none';
  return true;
}

/** Users of a run have codes and passcodes of which every near one differs; given ones may not. */
function differs(name: string, given: SigninUser | undefined): boolean {
  if (given === undefined) return true;
  const passcode = given.superPasscode.reveal();
  const differing: Readonly<Record<string, boolean>> = {
    'passcode-number-like': false,
    'passcode-other-case': hasCase(passcode),
    'passcode-kelvin': /k/i.test(passcode),
    'passcode-full-width': /[!-~]/.test(passcode),
    'passcode-high-bytes': /[!-~]/.test(passcode),
    'passcode-reversed': [...passcode].reverse().join('') !== passcode,
    'ptn-cd-other-case': hasCase(given.ptnCd),
    'ptn-cd-full-width': /^[!-~]/.test(given.ptnCd),
    'ptn-cd-underscore': !given.ptnCd.endsWith('_'),
  };
  return differing[name] ?? true;
}

function hasCase(text: string): boolean {
  return text.toUpperCase() !== text.toLowerCase();
}

/**
 * One user who signs in several times may be locked by now, and is then refused whatever the
 * application compares.
 */
async function expectNotLocked(context: SigninContext): Promise<void> {
  if (context.environment.users === 'invented') return;
  const { conclusion, user } = await context.signIn('right');
  if (conclusion.verdict === 'signed-in') return;
  untested(
    `${user.ptnCd} is refused with the right passcode as well (${conclusion.how}): locked after failures, so that the refusals before prove nothing. Give several users, or raise the limit for this run.`,
  );
}
