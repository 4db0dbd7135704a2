import { encodeBase64, encodeHex, encodeUtf8 } from '../../bytes.ts';
import { editRefusal, editResult, editSuccess } from './edit.ts';
import {
  defineServiceFaults,
  type Hooks,
  type ServicePoints,
  type Situation,
  sentIn,
} from './points.ts';

/** Secrets in the responses of the service (sections 2.1, 2.2 and 5). */
export const leakFaults = defineServiceFaults({
  check: 'service/secrets-not-shown',
  diagnosis: 'key-leaked',
})({
  'repeats-request': {
    title: 'Repeats the request, with its secret_key, in the message of a refusal',
    apply: editRefusal((response, { request }) => ({
      ...response,
      message: `Bad request: ${Buffer.from(request.body).toString()}`,
    })),
  },
  'secret-in-response-header': {
    title: 'Sends the secret_key back in a header, in Base64',
    apply: withHeader((seen) => encodeBase64(encodeUtf8(String(sentIn(seen).secret_key)))),
  },
  'shows-user-key': {
    title: 'Sends the per-user key beside ptn_sp',
    apply: editResult((result, { key }) => ({ ...result, key }), 'authenticate'),
  },
  'shows-user-key-hex': {
    title: 'Sends the per-user key in hexadecimal in a header of the token response',
    apply: withHeader(({ user }) => encodeHex(encodeUtf8(user?.key?.reveal() ?? ''))),
  },
  'shows-passcode': {
    title: 'Sends the plain passcode in message, beside the encrypted one',
    apply: editSuccess(
      (response, { user }) => ({ ...response, message: user?.superPasscode?.reveal() ?? '' }),
      'authenticate',
    ),
  },
});

/** Of token requests that are accepted. */
function withHeader(secretIn: (seen: Situation) => string): Hooks<ServicePoints> {
  return {
    response: (right, seen) =>
      seen.operation === 'token' && seen.refusal === undefined
        ? { ...right, headers: { ...right.headers, 'x-debug': secretIn(seen) } }
        : right,
  };
}
