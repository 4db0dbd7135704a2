import type { CallOutcome } from '../../client/call.ts';
import { serviceCodes } from '../../emulator/refusals.ts';
import { responseCodes } from '../../errors.ts';
import { isLoopback } from '../../protocol/endpoints.ts';
import { excerptOf } from '../../text.ts';
import type { Failure } from '../failure.ts';

/** What the caller of the service has found out itself, such as a passcode that does not match. */
const own: readonly string[] = ['passcode-mismatch', 'other-user'];

/**
 * A response that the service got wrong, or a refusal, with what its caller can do: look up the code, or check
 * {auth_url}. Advice for servers is for those who run one. Any other failure stays as it is.
 */
export function serviceFailure(
  { exchange, reading }: CallOutcome<object>,
  failure: Failure | undefined,
): Failure | undefined {
  if (failure === undefined || own.includes(failure.code)) return failure;
  if (!responseCodes.some((code) => code === failure.code)) return failure;
  if (failure.code === 'code-not-success') {
    return refusal(failure, reading, exchange.request.url);
  }
  const hint =
    'Check auth_url: requests go to {auth_url}/process/token and {auth_url}/process/authenticate. If it is right, report this response to the operator of the service.';
  return { ...failure, hint, calls: {} };
}

type Reading = CallOutcome<object>['reading'];

const entries = new Map(Object.values(serviceCodes).map((entry) => [String(entry.code), entry]));

/** Codes are the service's own (section 7); those of the emulated one are known. */
function refusal(failure: Failure, reading: Reading, url: URL): Failure {
  const { code = '', message: text = '' } = reading ?? {};
  const entry = entries.get(code);
  const isEmulated = entry !== undefined && isLoopback(url);
  if (!isEmulated) {
    const hint =
      'Look up this code in the service\'s documentation: the interface defines only "0000". What it checks is client_id, secret_key and the token.';
    return { ...failure, hint, calls: {} };
  }
  const { meaning, fix } = entry;
  const quoted = text === '' ? '' : ` It says: "${excerptOf(text, 120)}"`;
  const message = `The emulated service refuses with ${code}: ${meaning}${quoted}`;
  return { ...failure, message, hint: fix, calls: {}, next: { words: ['explain', code] } };
}
