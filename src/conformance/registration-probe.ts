import { encodeHex } from '../bytes.ts';
import { type CipherProbeOutcome, probeCipher } from '../client/cipher-probe.ts';
import { Secret } from '../crypto/secret.ts';
import { likelyCiphers } from '../diagnosis/cipher-priors.ts';
import { mayBeDecryption, narrowRegistration } from '../diagnosis/registration-cause.ts';
import { CheckFailed } from './check.ts';
import type { CheckContext } from './context.ts';
import { plainUserInfo, testUserPrefix } from './test-data.ts';

/** What a probe may take, roughly; a fast endpoint is asked for all likely ciphers. */
const budgetMs = 10_000;
const fewest = 12;
const most = 64;

/**
 * A registration's failure with the cause that a probe finds: which cipher the application decrypts, or that
 * it uses another key. The failure itself where the cipher can't be the cause, or users can't be invented.
 */
export async function withCause(error: unknown, context: CheckContext): Promise<unknown> {
  const { users, cipher } = context.environment;
  if (!(error instanceof CheckFailed) || users.limit !== undefined) return error;
  const { diagnosis, evidence } = error.fault;
  if (diagnosis === undefined || !mayBeDecryption(diagnosis, evidence?.response?.status))
    return error;
  const cause = narrowRegistration(diagnosis, await probe(context), { cipher });
  const concernsAll = cause.code === 'cipher-mismatch' || cause.code === 'wrong-key';
  if (concernsAll) context.record.registrationCause = cause;
  return new CheckFailed({ ...error.fault, diagnosis: cause, fix: cause.hint });
}

async function probe(context: CheckContext): Promise<CipherProbeOutcome> {
  const { url, randomBytes, sent, record, marked } = context;
  const { clientId, cipher, keyPairs, now, emit } = context.environment;
  // Each cipher takes a sign-up, and each sign-up about as long as those of this check.
  const signUpMs = sent.reduce((sum, { exchange }) => sum + exchange.durationMs, 0);
  const outcome = await probeCipher(marked, {
    url,
    clientId,
    randomBytes,
    now: now(),
    configured: cipher,
    keyPair: await keyPairs.usual(),
    ciphers: likelyCiphers(cipher),
    userInfo: plainUserInfo,
    limit: Math.min(most, Math.max(fewest, Math.floor(budgetMs / signUpMs))),
    nextUserCode: () => {
      const ptnCd = `${testUserPrefix}probe-${encodeHex(randomBytes(6))}`;
      record.users.add(ptnCd);
      return ptnCd;
    },
  });
  for (const { key } of outcome.trials) emit({ type: 'secret', value: Secret.key(key) });
  return outcome;
}
