import { type Confidence, type Diagnosis, isPayloadCode } from '../errors.ts';
import { withoutWords } from './callback-failure.ts';
import {
  type ConfiguredCipher,
  diagnoseProbedCipher,
  type ProbeTrial,
  type ProbeVerdict,
} from './cipher-probe.ts';
import { describeSituation, isSituation } from './error-situations.ts';

/** What an application says where it has no key for a user. */
const ofMissing: readonly unknown[] = ['user-unknown', 'key-unknown', 'value-missing'];

/** Whether the error is about a user, a key or a value that isn't there. */
export function namesMissing({ evidence }: Diagnosis): boolean {
  return ofMissing.includes(evidence?.situation);
}

/** Whether the application itself has said why, in its response or its log: nothing has to be tried where that is certain. */
export function isSaid({ confidence, evidence }: Diagnosis, least: Confidence = 'certain') {
  return evidence?.error_text !== undefined && (confidence === 'certain' || confidence === least);
}

/** Whether the diagnosis goes by words of the response about the request, which some applications give for whatever fails. */
export function isInWords({ evidence }: Diagnosis): boolean {
  const { error_text: text, log, situation } = evidence ?? {};
  if (text === undefined || log !== undefined || !isSituation(situation)) return false;
  const { about } = describeSituation(situation);
  return about !== 'access' && about !== 'environment';
}

/** A refusal whose response is the same for a body that is not JSON. */
export function withoutReason(failed: Diagnosis): Diagnosis {
  const { message, code, evidence } = withoutWords(failed);
  return {
    code,
    message: `${message} A body that is not JSON gets the same response, so it says nothing of the reason.`,
    hint: 'Log the exception where the application catches it: its response is the same for whatever fails.',
    calls: {},
    evidence,
  };
}

/** Whether the cipher may be why a registration failed, so that a search for it can show that. */
export function mayBeDecryption(failed: Diagnosis, status: number | undefined): boolean {
  if (status === undefined) return false;
  const { situation } = failed.evidence ?? {};
  const { about } = isSituation(situation) ? describeSituation(situation) : {};
  if (about === 'access' || about === 'fields' || about === 'environment') return false;
  if (about === 'user' && failed.confidence !== undefined) return false;
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

/**
 * The cause of a refused registration after a search for the cipher, of which nothing else made a
 * difference; undefined where none was accepted, and no other key either.
 */
export function narrowRegistration(
  failed: Diagnosis,
  probe: ProbeVerdict & { readonly trials: readonly ProbeTrial[] },
  configured: ConfiguredCipher,
): Diagnosis | undefined {
  const found = diagnoseProbedCipher(probe, configured);
  if (found === undefined) return ofTestUsers(failed);
  if (probe.accepted.length === 0 && !isAboutKey(found, failed)) return undefined;
  const { stack } = failed.evidence ?? {};
  return stack === undefined ? found : { ...found, evidence: { ...found.evidence, stack } };
}

/** A probe without an accepted cipher shows a wrong key where it found that key, or decryption failed. */
function isAboutKey(found: Diagnosis, failed: Diagnosis): boolean {
  const isFound = found.evidence?.key_form !== undefined;
  return found.code === 'wrong-key' && (isFound || isPayloadCode(failed.code));
}

function ofTestUsers(failed: Diagnosis): Diagnosis {
  return {
    ...failed,
    message: `${failed.message} Registrations of test users with other passcodes are accepted under the same cipher, so the cipher is right.`,
    hint: 'Compare the passcode and the user information of this registration with those of authcli: lengths and characters.',
    calls: {},
  };
}
