import { diagnosis } from '../diagnosis/diagnosis.ts';
import type { SigninBehaviour } from '../emulator/faults/points.ts';
import type { Diagnosis } from '../errors.ts';
import { formatExpireDt, offsetsInUse, parseExpireDt } from '../protocol/expiry.ts';
import { quoted } from '../text.ts';
import type { Attempt, SigninContext } from './signin-check.ts';

/** What is tried when a right sign-in was refused, in this order. */
export const signinExperiments = ['again', 'expire-later', 'expire-earlier', 'slow-responses'];

/** Why a right sign-in was refused; undefined where nothing made a difference. */
export async function causeOfRefusedSignin(
  { user, conclusion }: Attempt,
  context: SigninContext,
): Promise<Diagnosis | undefined> {
  const accepts = async (behaviour: SigninBehaviour): Promise<boolean> => {
    const attempt = await context.signIn('right', { user, behaviour });
    return attempt.conclusion.verdict === 'signed-in';
  };
  const said = wordsOf(conclusion.shown);
  const found = (experiment: string, message: string, hint: string) =>
    diagnosis('code-not-success', `The application ${message}.${said}`, hint, { experiment });
  if (await accepts({})) {
    return found(
      'again',
      'accepted the same sign-in when it was repeated, and refused the first',
      'Look for what differs from one sign-in to the next: processes that do not share their data, a start that takes long, a race.',
    );
  }
  const shifts = [
    offsetsInUse.filter((minutes) => minutes > 0),
    offsetsInUse.filter((minutes) => minutes < 0).reverse(),
  ];
  for (const offsets of shifts) {
    const minutes = await leastAccepted(offsets, (offset) => accepts(expiring(offset)));
    if (minutes === undefined) continue;
    const hours = Math.abs(minutes) / 60;
    const [later, east] = minutes > 0 ? ['later', 'east'] : ['earlier', 'west'];
    return found(
      `expire-${later}`,
      `signs the user in when expire_dt is ${hours} hours ${later}, and refuses it as it is: it reads the time in a zone ${hours} hours ${east} of the service's, so that a new token is expired`,
      'Read expire_dt in the time zone of the service, or leave the judgement of acs_token to the service, which refuses an expired one. The interface leaves the zone open (2.1): if the service writes another one, give it here with --expire-time-zone.',
    );
  }
  if (!(await accepts({ response: slowly }))) return undefined;
  return found(
    'slow-responses',
    'signs the user in when the service takes a second for each response, and refuses fast ones',
    'Store what the next step needs before sending a request, not while it is under way.',
  );
}

/** The first offset that is accepted, of some of which all behind it are; undefined where the last isn't. */
async function leastAccepted(
  offsets: readonly number[],
  accepts: (offset: number) => Promise<boolean>,
): Promise<number | undefined> {
  const last = offsets.at(-1);
  if (last === undefined || !(await accepts(last))) return undefined;
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await accepts(offsets[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return offsets[high];
}

function expiring(minutes: number): SigninBehaviour {
  return {
    expireDt: (right) => {
      const wall = parseExpireDt(right);
      if (wall === undefined) return right;
      return formatExpireDt(new Date(wall.getTime() + minutes * 60_000), 'UTC');
    },
  };
}

const slowly: SigninBehaviour['response'] = (right) => ({
  ...right,
  delivery: { ...right.delivery, delayMs: 1000 },
});

/** What the application printed, its last line: where exceptions have their message. */
function wordsOf(shown: string): string {
  const last = shown.split('\n').findLast((line) => line.trim() !== '');
  return last === undefined ? '' : ` It says ${quoted(last.trim(), 160)}.`;
}
