import type { TokenOutcome } from '../client/signin.ts';
import { isAccepted } from '../conformance/expect.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import type { Diagnosis } from '../errors.ts';
import { capitalised } from '../text.ts';
import type { Violation } from './execution.ts';
import type { SentSignIn } from './service-execute.ts';
import { envelopeFault, unexpected } from './violation.ts';

/** No order of these requests of one user explains their responses. */
export function unexpectedSignIn(steps: readonly SentSignIn[]): Violation {
  return unexpected(steps, 'requests', ({ operation, outcome }) => {
    if (!isAccepted(outcome)) return outcome.diagnosis;
    const message = `${capitalised(operation.about)} was answered with code "0000".`;
    const fix =
      'Check client_id, secret_key and the token in each request, whatever came before it. Look a token up and use it up in one atomic step, and let nothing make it valid again.';
    return diagnosis('accepted-bad-input', message, fix);
  });
}

/** What is known about the user of an accepted request. */
interface OfUser {
  readonly ptnCd: string;
  /** The `acs_token` of the response was issued to another user. */
  readonly isOfOther: boolean;
  /** What is wrong with `ptn_sp`. */
  readonly passcode: Diagnosis | undefined;
}

/** What is wrong with the response to a request that was accepted rightly. */
export function faultOfSignIn(
  step: SentSignIn,
  { ptnCd, isOfOther, passcode }: OfUser,
): Violation | undefined {
  const { operation } = step;
  if (isOfOther) return tokenOfOther(step);
  const named = (step.outcome as TokenOutcome).reading?.seen.ptnCd;
  if (operation.kind === 'token' && named !== undefined && named !== ptnCd) {
    return namesOther(step, named, ptnCd);
  }
  if (passcode !== undefined) {
    return {
      steps: [step],
      kind: 'passcode',
      title: `${operation.about} returned a wrong passcode`,
      expected: 'the passcode of the user of the acs_token, encrypted with the key of that user',
      why: 'ptn_sp is the passcode of the user who signs in (4.2.2).',
      observed: `${passcode.code}: ${passcode.message}`,
      diagnosis: passcode,
    };
  }
  const fields = operation.kind === 'token' ? 'acs_token, expire_dt and ptn_cd' : 'ptn_sp';
  return envelopeFault(step, `code, message, ${fields} as strings`);
}

function tokenOfOther(step: SentSignIn): Violation {
  const message = 'The acs_token of the response was issued to another user before.';
  const fix = 'Draw each acs_token at random, and look for state that requests share.';
  return {
    steps: [step],
    kind: 'other-user',
    title: `${step.operation.about} returned the acs_token of another user`,
    expected: 'an acs_token that only this user has',
    why: 'An acs_token identifies the user who signs in (4.2).',
    observed: 'one that another user got before',
    diagnosis: diagnosis('shared-state', message, fix),
  };
}

function namesOther(step: SentSignIn, named: string, ptnCd: string): Violation {
  const message = `The ptn_token is of the user ${JSON.stringify(ptnCd)}, and the response names ${JSON.stringify(named)}.`;
  const fix =
    'Take the user from the ptn_token of the same request: look for a field, a cache or a variable that requests share.';
  return {
    steps: [step],
    kind: 'other-user',
    title: `${step.operation.about} named another user`,
    expected: `ptn_cd ${JSON.stringify(ptnCd)}`,
    why: 'result.ptn_cd is the user of the ptn_token (4.2.1).',
    observed: `ptn_cd ${JSON.stringify(named)}`,
    diagnosis: diagnosis('other-user', message, fix),
  };
}
