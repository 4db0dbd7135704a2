import { firstDifference } from '../client/difference.ts';
import { Secret } from '../crypto/secret.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import { errorCauses } from '../diagnosis/error-causes.ts';
import type { SigninBehaviour } from '../emulator/faults/points.ts';
import type { Calls, Diagnosis } from '../errors.ts';
import { formatExpireDt, offsetsInUse, parseExpireDt } from '../protocol/expiry.ts';
import { inAscii, quoted } from '../text.ts';
import type { Attempt, SigninContext, SigninUser } from './signin-check.ts';
import { scenarioNamed } from './signin-scenarios.ts';

/** What the service does otherwise than at the sign-in that was refused, or of whom. */
interface Variation {
  readonly behaviour?: SigninBehaviour | undefined;
  readonly user?: SigninUser;
}

/** One property of a refused sign-in, and what it proves if the user is signed in with another. */
interface SigninExperiment {
  readonly name: string;
  /** After "The application signs the user in". */
  readonly accepts: string;
  /** After "and refuses". */
  readonly refuses: string;
  readonly fix: string;
  readonly calls?: Calls;
  /** Undefined where the property is as it should be, or isn't there. */
  readonly vary: (context: SigninContext, user: SigninUser) => Variation | undefined;
  /** The same with a smaller change, of which the application accepts the smallest. */
  readonly smaller?: readonly SigninExperiment[];
}

// NestJS validates what comes in alone.
const { node: _, ...lenientCalls } = errorCauses['strict-model'].calls;

/** The likeliest first. */
export const signinExperiments: readonly SigninExperiment[] = [
  ofZones(1),
  ofZones(-1),
  {
    name: 'ascii',
    accepts: 'with a passcode in ASCII',
    refuses: 'one with other characters; section 4.2.2 asks for equality with the stored passcode',
    fix: 'Read the decrypted bytes as UTF-8, and compare the texts.',
    vary: ({ environment: { trigger, users } }, user) => {
      const passcode = user.superPasscode.reveal();
      // An application with data of its own has no other passcode.
      const isGiven = trigger.kind === 'command' && users !== 'signed-up';
      if (!isGiven || inAscii(passcode) === passcode) return undefined;
      return { user: { ...user, superPasscode: Secret.text(inAscii(passcode)) } };
    },
  },
  withoutField('message', 'message-missing', 'section 7 has it in every response'),
  withoutField('expire_dt', 'expire-dt-missing', 'section 4.2.1 has it in the token response'),
  {
    name: 'closed-connections',
    accepts: 'when the service closes the connection after each response',
    refuses:
      'the same on one that stays open: it probably waits for the end of the connection, in vain',
    fix: "Read a response by its Content-Length or its chunks, as HTTP clients do, or send the header 'Connection: close'.",
    vary: () => ({
      behaviour: {
        response: (right) => ({ ...right, headers: { ...right.headers, connection: 'close' } }),
      },
    }),
  },
  {
    name: 'slow-responses',
    accepts: 'when the service takes a second for each response',
    refuses: 'fast ones',
    fix: 'Store what the next step needs before sending a request, not while it is under way.',
    vary: () => ({
      behaviour: {
        response: (right) => ({ ...right, delivery: { ...right.delivery, delayMs: 1000 } }),
      },
    }),
  },
];

/** Why a right sign-in was refused; undefined where nothing made a difference. */
export async function causeOfRefusedSignin(
  { user, conclusion }: Attempt,
  context: SigninContext,
): Promise<Diagnosis | undefined> {
  const attempt = async (variation: Variation = {}) => {
    const varied = await context.signIn('right', { user, isExperiment: true, ...variation });
    return { accepted: varied.conclusion.verdict === 'signed-in' };
  };
  const said = wordsOf(conclusion.shown);
  const control = await attempt();
  const difference = control.accepted
    ? undefined
    : await firstDifference(
        signinExperiments,
        async ({ vary }) => {
          const variation = vary(context, user);
          return variation && { attempt: () => attempt(variation), mayRepeat: () => false };
        },
        attempt,
      );
  if (control.accepted || difference?.kind === 'unsteady')
    return diagnosis(
      'code-not-success',
      `The application accepted the same sign-in when it was repeated, and refused the first.${said}`,
      'Look for what differs from one sign-in to the next: processes that do not share their data, a start that takes long, a race.',
      { experiment: 'again' },
    );
  if (difference === undefined) return undefined;
  const { experiment } = difference;
  const least = await leastAccepted(experiment.smaller ?? [], async ({ vary }) => {
    const { accepted } = await attempt(vary(context, user));
    return accepted;
  });
  const { name, accepts, refuses, fix, calls = {} } = least ?? experiment;
  return {
    code: 'code-not-success',
    message: `The application signs the user in ${accepts}, and refuses ${refuses}.${said}`,
    hint: fix,
    calls,
    confidence: 'certain',
    evidence: { experiment: name },
  };
}

/** The first that is accepted, of some of which all behind it are. */
async function leastAccepted<E>(
  experiments: readonly E[],
  accepts: (experiment: E) => Promise<boolean>,
): Promise<E | undefined> {
  let [low, high] = [0, experiments.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const tried = experiments[middle];
    if (tried !== undefined && (await accepts(tried))) high = middle;
    else low = middle + 1;
  }
  return experiments[high];
}

/** Later or earlier by the most that two time zones differ; then by less. */
function ofZones(sign: 1 | -1): SigninExperiment {
  const shifts = offsetsInUse.map((minutes) => minutes * sign).filter((minutes) => minutes > 0);
  const smaller = shifts.toSorted((a, b) => a - b).map((minutes) => ofZone(minutes * sign));
  const most = smaller.at(-1) ?? ofZone(sign);
  return { ...most, smaller };
}

function ofZone(minutes: number): SigninExperiment {
  const hours = Math.abs(minutes) / 60;
  const [later, east, wrong] =
    minutes > 0 ? ['later', 'east', 'is expired'] : ['earlier', 'west', 'lives too long'];
  const shift = (right: string): string => {
    const wall = parseExpireDt(right);
    return wall ? formatExpireDt(new Date(wall.getTime() + minutes * 60_000), 'UTC') : right;
  };
  return {
    name: `expire-${later}`,
    accepts: `when expire_dt is ${hours} hours ${later}`,
    refuses: `it as it is: it reads the time in a zone ${hours} hours ${east} of the service's, so that a new token ${wrong}`,
    fix: 'Read expire_dt in the time zone of the service, or leave the judgement of acs_token to the service, which refuses an expired one. The interface leaves the zone open (2.1): if the service writes another one, give it here with --expire-time-zone.',
    vary: () => ({ behaviour: { expireDt: shift } }),
  };
}

/** A field that a sign-in can do without. */
function withoutField(field: string, scenario: string, section: string): SigninExperiment {
  return {
    name: `without-${field.replace('_', '-')}`,
    accepts: `when the service leaves out ${field}`,
    refuses: `the response as it is; ${section}`,
    fix: `Declare ${field} as a string in the type that the response is read into, and let it ignore fields that it doesn't know.`,
    calls: lenientCalls,
    vary: () => ({ behaviour: scenarioNamed(scenario).behaviour }),
  };
}

/** What the application printed, its last line: where exceptions have their message. */
function wordsOf(shown: string): string {
  const last = shown.split('\n').findLast((line) => line.trim() !== '');
  return last === undefined ? '' : ` It says ${quoted(last.trim(), 160)}.`;
}
