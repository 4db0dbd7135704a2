import { type Diagnosis, isPayloadCode } from '../errors.ts';
import { withoutLikelyCause } from './callback-failure.ts';
import {
  type ConfiguredCipher,
  diagnoseProbedCipher,
  type ProbeTrial,
  type ProbeVerdict,
} from './cipher-probe.ts';
import { describeSituation, isSituation } from './error-situations.ts';

/** Whether the cipher may be why a registration failed, so that a probe can show it. */
export function mayBeDecryption(failed: Diagnosis, status: number | undefined): boolean {
  if (status === undefined) return false;
  const { situation } = failed.evidence ?? {};
  const { about } = isSituation(situation) ? describeSituation(situation) : {};
  if (about === 'access' || about === 'fields' || about === 'environment') return false;
  return failed.code === 'code-not-success' || isPayloadCode(failed.code) || status >= 500;
}

/** A registration that was refused, and decrypts with the key that the application returned. */
export function refusedThoughReadable(failed: Diagnosis): Diagnosis {
  if (failed.code !== 'code-not-success') return failed;
  return {
    ...failed,
    message: `${failed.message} Here partner_sp decrypts with the key that the application returned for this user, so the application decrypts with another cipher or key, or refuses the user.`,
    hint: 'Find out what the application decrypts with `authcli cipher probe`, which sends test users to its callback URL.',
  };
}

type Probe = ProbeVerdict & { readonly trials: readonly ProbeTrial[] };

/**
 * The cause of a failed registration after a probe with test users: another cipher, the user
 * information, this one user, or nothing that a cipher explains.
 */
export function narrowRegistration(
  failed: Diagnosis,
  probe: Probe,
  configured: ConfiguredCipher,
): Diagnosis {
  const found = diagnoseProbedCipher(probe, configured);
  const { stack } = failed.evidence ?? {};
  if (found === undefined) return refusesUserInfo(probe) ? ofUserInfo(failed) : ofThisUser(failed);
  if (probe.accepted.length === 0 && !isAboutKey(found, failed)) return ofNoCipher(failed);
  return stack === undefined ? found : { ...found, evidence: { ...found.evidence, stack } };
}

/** A probe without an accepted cipher shows a wrong key where it found that key, or decryption failed. */
function isAboutKey(found: Diagnosis, failed: Diagnosis): boolean {
  const isFound = found.evidence?.key_form !== undefined;
  return found.code === 'wrong-key' && (isFound || isPayloadCode(failed.code));
}

/** Whether nothing was accepted until the user information was left out. */
function refusesUserInfo({ trials }: Probe): boolean {
  const withIt = trials.filter(({ kind, payloads }) => kind === 'right' && payloads.length > 1);
  return withIt.length > 0 && !withIt.some(({ accepted }) => accepted);
}

function ofUserInfo(failed: Diagnosis): Diagnosis {
  return foundByTrying(
    failed,
    'With the same cipher, test users without ubifill are accepted, and those with it are refused.',
    "Check how the application reads ubifill: the interface fixes neither its format nor its fields, and it may be absent. Accept the registration even if ubifill can't be used.",
  );
}

function ofThisUser(failed: Diagnosis): Diagnosis {
  return foundByTrying(
    failed,
    'Test users are accepted with the same cipher, so the cipher is right.',
    'Compare this user with one that is accepted: the stored key of this ptn_cd, the ptn_cd itself, the length of the passcode, the user information.',
  );
}

function foundByTrying(failed: Diagnosis, found: string, hint: string): Diagnosis {
  const message = `${withoutLikelyCause(failed).message} ${found}`;
  return { ...failed, message, hint, calls: {} };
}

function ofNoCipher(failed: Diagnosis): Diagnosis {
  return {
    ...failed,
    message: `${failed.message} Test users are refused with every likely cipher too.`,
    hint: `${failed.hint} If the cipher is right, the application decrypts with a key other than the one it sent, or refuses test users.`,
  };
}
