import { encodeHex } from '../bytes.ts';
import { explainRefusal, isRefused } from '../client/refusal.ts';
import { operationOf, type SignupStep } from '../client/signup.ts';
import { Secret } from '../crypto/secret.ts';
import { diagnoseUsers, type SignupAttempt } from '../diagnosis/refused-users.ts';
import { isSaid } from '../diagnosis/registration-cause.ts';
import type { Diagnosis } from '../errors.ts';
import type { Fault, Stage } from './check.ts';
import type { CheckContext } from './context.ts';
import { describeResponse, isAccepted } from './expect.ts';
import { testUserPrefix } from './test-data.ts';

/** What a search for a cipher or a survey of users may take, roughly. */
const budgetMs = 10_000;
const fewest = 12;
const most = 64;

/**
 * A callback with the cause that experiments find where it was refused. They need users of their own, so the production
 * subset sends nothing more; the search for the cipher needs many, and is done once.
 */
export async function withCause<Step extends SignupStep>(
  step: Step,
  context: CheckContext,
  sent: { readonly key?: string; readonly userInfo?: string | undefined } = {},
): Promise<Step> {
  const { users, clientId, cipher, keyPairs, now, emit, explain } = context.environment;
  const { url, randomBytes, record, marked } = context;
  if (!isRefused(step) || users.limit === 1 || step.diagnosis === undefined) return step;
  const isRightCipher = context.hasPassed('registration/answers-success');
  const { examined } = record;
  if (examined && !isRightCipher) {
    const isSame = describeResponse(examined.failed) === describeResponse(step);
    const cause = isSame ? examined.diagnosis : record.registrationCause;
    return { ...step, diagnosis: cause ?? step.diagnosis };
  }
  const inventsUsers = users.limit === undefined;
  const keyPair = await keyPairs('usual');
  const userInfo = Secret.optional(sent.userInfo);
  const superPasscode = Secret.text(context.newPasscode());
  const user = { ptnCd: context.user, keyPair, superPasscode, userInfo };
  const input = { url, clientId, cipher, randomBytes, now: now(), ...user };
  const limit = Math.min(most, affordableSignUps(context));
  const nextUserCode = () => {
    const [given] = inventsUsers ? [] : (users.forCheck('experiments', 1) ?? []);
    const ptnCd = given ?? `${testUserPrefix}probe-${encodeHex(randomBytes(3))}`;
    record.users.add(ptnCd);
    return ptnCd;
  };
  const call = { operation: operationOf(step), exchange: step.exchange };
  const said = { ...step, diagnosis: explain(step.diagnosis, call, cipher) };
  const refused = { step: said, input, key: Secret.optional(sent.key) };
  const { diagnosis } = await explainRefusal(marked, refused, {
    inventsUsers,
    nextUserCode,
    onKey: (value) => emit({ type: 'secret', value }),
    search: inventsUsers && !isRightCipher ? { limit } : undefined,
  });
  const concernsAll = diagnosis?.code === 'cipher-mismatch' || diagnosis?.code === 'wrong-key';
  if (step.usedType === '2') record.examined ??= { failed: step, diagnosis };
  if (concernsAll && step.usedType === '2') record.registrationCause = diagnosis;
  return { ...step, diagnosis };
}

/** Each takes about as long as the requests of this check. */
function affordableSignUps({ sent }: CheckContext): number {
  const mean = sent.reduce((sum, { exchange }) => sum + exchange.durationMs, 0) / sent.length;
  return Math.max(fewest, Math.floor(budgetMs / (2 * mean)));
}

/** The stages whose checks vary valid requests. */
const controlled: readonly Stage[] = ['foundation', 'right-requests'];

/** Users who sign up to find out for how many it fails. */
const surveyedUsers = 40;
/** If these are all refused, it fails for everyone. */
const enoughRefused = 5;

/**
 * The fault of a check. Where it is that a valid callback was refused, and plain registrations fail for some users
 * too, it isn't what the check varies, and the fault is that.
 */
export async function ofSomeUsers(fault: Fault, context: CheckContext): Promise<Fault> {
  const { check, sent, record } = context;
  const { diagnosis: found } = fault;
  const { experiment = 'another-user', tried } = found?.evidence ?? {};
  const isKnown = found?.confidence === 'certain' || (found && isSaid(found, 'likely'));
  const isOpen = experiment === 'another-user' && tried === undefined && !isKnown;
  const isRefusal = sent.some(
    ({ intent, isReceived, outcome }) => intent === 'right' && !isReceived && isRefused(outcome),
  );
  if (!isOpen || !isRefusal || !controlled.includes(check.stage)) return fault;
  record.survey ??= survey(context);
  const diagnosis = await record.survey;
  const expected = 'a valid registration of any user to be accepted';
  return diagnosis === undefined ? fault : { ...fault, expected, diagnosis, fix: diagnosis.hint };
}

async function survey(context: CheckContext): Promise<Diagnosis | undefined> {
  const { users } = context.environment;
  const count = Math.min(users.limit ?? surveyedUsers, surveyedUsers, affordableSignUps(context));
  if (count < enoughRefused) return undefined;
  const attempts: SignupAttempt[] = [];
  let [failed, isAcceptedAgain]: [Diagnosis?, boolean?] = [];
  for (const [index, ptnCd] of (users.forCheck('survey', count) ?? []).entries()) {
    const isForAll = attempts.every(({ accepted }) => !accepted);
    if (index === enoughRefused && isForAll) return undefined;
    const { key } = await context.exchange(ptnCd);
    if (key === undefined) continue;
    const outcome = await context.register(ptnCd, key.reveal());
    attempts.push({ ptnCd, key, accepted: isAccepted(outcome) });
    if (isAccepted(outcome) || failed !== undefined) continue;
    failed = outcome.diagnosis;
    isAcceptedAgain = isAccepted(await context.register(ptnCd, key.reveal()));
  }
  return failed && diagnoseUsers(failed, 'registration', attempts, isAcceptedAgain ?? false);
}
