import { encodeHex } from '../bytes.ts';
import { generateKeyPairLike } from '../client/key-pair.ts';
import { explainRefusal, isRefused } from '../client/refusal.ts';
import type { SignupStep } from '../client/signup.ts';
import { Secret } from '../crypto/secret.ts';
import { diagnoseUsers, type SignupAttempt } from '../diagnosis/refused-users.ts';
import type { Fault } from './check.ts';
import type { CheckContext } from './context.ts';
import { isAccepted } from './expect.ts';
import { plainUserInfo, testUserPrefix } from './test-data.ts';

/** What the search for a cipher may take, roughly; a fast endpoint is asked for all likely ciphers. */
const budgetMs = 10_000;
const fewest = 12;
const most = 64;

/**
 * The first callback of a kind, with the cause that experiments find where it was refused. They need users of their
 * own, so the production subset sends nothing more; the search for the cipher needs many.
 */
export async function withCause<Step extends SignupStep>(
  step: Step,
  context: CheckContext,
  key?: string,
): Promise<Step> {
  const { users, clientId, cipher, keyPairs, now, emit } = context.environment;
  const { url, randomBytes, sent, record, marked } = context;
  if (!isRefused(step) || users.limit === 1) return step;
  const inventsUsers = users.limit === undefined;
  const keyPair = await keyPairs.usual();
  const userInfo = Secret.text(plainUserInfo);
  const superPasscode = Secret.text(context.newPasscode());
  const user = { ptnCd: context.user, keyPair, superPasscode, userInfo };
  const input = { url, clientId, cipher, randomBytes, now: now(), ...user };
  // Each cipher takes a sign-up, and each sign-up about as long as those of this check.
  const signUpMs = sent.reduce((sum, { exchange }) => sum + exchange.durationMs, 0);
  const limit = Math.min(most, Math.max(fewest, Math.floor(budgetMs / signUpMs)));
  const nextUserCode = () => {
    const [given] = inventsUsers ? [] : (users.forCheck('experiments', 1) ?? []);
    const ptnCd = given ?? `${testUserPrefix}probe-${encodeHex(randomBytes(3))}`;
    record.users.add(ptnCd);
    return ptnCd;
  };
  const refused = { step, input, key: Secret.optional(key) };
  const { diagnosis } = await explainRefusal(marked, refused, {
    inventsUsers,
    nextUserCode,
    now,
    makeKeyPair: generateKeyPairLike,
    onKey: (value) => emit({ type: 'secret', value }),
    search: inventsUsers ? { limit } : undefined,
  });
  const concernsAll = diagnosis?.code === 'cipher-mismatch' || diagnosis?.code === 'wrong-key';
  if (concernsAll && step.usedType === '2') record.registrationCause = diagnosis;
  return { ...step, diagnosis };
}

/** Users who sign up to find out for how many it fails. */
const surveyedUsers = 39;

/**
 * The fault of a check whose valid request was refused, and accepted when the check was repeated with other users:
 * then it isn't what the check varies, and other users sign up to see for how many it fails. The same fault where it
 * fails for nobody else.
 */
export async function ofSomeUsers(fault: Fault, context: CheckContext): Promise<Fault> {
  const { environment, record, sent } = context;
  const refused = sent.findLast(({ outcome }) => isRefused(outcome));
  const { ptnCd = '' } = refused ?? {};
  const key = record.keys.findLast((drawn) => drawn.ptnCd === ptnCd)?.key;
  if (refused?.outcome.diagnosis === undefined || key === undefined) return fault;
  const again = await context.register(ptnCd, key);
  const attempts: SignupAttempt[] = [{ ptnCd, key: Secret.key(key), accepted: false }];
  const { users } = environment;
  for (const code of users.forCheck('survey', users.limit ?? surveyedUsers) ?? []) {
    const exchanged = await context.exchange(code);
    if (exchanged.key === undefined) continue;
    const outcome = await context.register(code, exchanged.key.reveal());
    attempts.push({ ptnCd: code, key: exchanged.key, accepted: isAccepted(outcome) });
  }
  const isOnlyOne = attempts.filter(({ accepted }) => !accepted).length === 1;
  if (isOnlyOne && isAccepted(again)) return fault;
  const { diagnosis: failed } = refused.outcome;
  const diagnosis = diagnoseUsers(failed, 'registration', attempts, isAccepted(again));
  const expected = 'a valid registration of any user to be accepted';
  return { ...fault, expected, diagnosis, fix: diagnosis.hint };
}
