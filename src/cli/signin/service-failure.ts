import type { CallOutcome } from '../../client/call.ts';
import { serviceCodes } from '../../emulator/refusals.ts';
import { responseCodes } from '../../errors.ts';
import { emulatedRefusal } from '../emulated-refusal.ts';
import type { Failure } from '../failure.ts';

/** What the caller of the service has found out itself, such as a passcode that does not match. */
const own: readonly string[] = ['passcode-mismatch', 'other-user'];

/**
 * A response that the service got wrong, or a refusal, with what its caller can do: look up the code, or check
 * {auth_url}. Advice for servers is for those who run one. Any other failure stays as it is.
 */
export function serviceFailure(
  outcome: CallOutcome<object>,
  failure: Failure | undefined,
): Failure | undefined {
  if (failure === undefined || own.includes(failure.code)) return failure;
  if (!responseCodes.some((code) => code === failure.code)) return failure;
  if (failure.code === 'code-not-success') {
    return refusal(failure, outcome);
  }
  const hint =
    'Check auth_url: requests go to {auth_url}/process/token and {auth_url}/process/authenticate. If it is right, report this response to the operator of the service.';
  return { ...failure, hint, calls: {} };
}

/** Codes are the service's own (section 7); those of the emulated one are known. */
function refusal(failure: Failure, outcome: CallOutcome<object>): Failure {
  const hint =
    'Look up this code in the service\'s documentation: the interface defines only "0000". What it checks is client_id, secret_key and the token.';
  const emulated = emulatedRefusal(failure, outcome, 'service', serviceCodes);
  return emulated ?? { ...failure, hint, calls: {} };
}
