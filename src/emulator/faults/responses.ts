import { encodeUtf8 } from '../../bytes.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { editRefusal, editResult, editSuccess, renamed, withField, without } from './edit.ts';
import { defineApplicationFaults } from './points.ts';

const answersSuccess = 'key-exchange/answers-success';
const shape = 'key-exchange/response-shape';

/** `code` and `message` (section 7). */
const wrongEnvelopes = defineApplicationFaults({ check: shape })({
  'code-number': {
    title: 'Writes code as the number 0',
    diagnosis: 'code-not-string',
    apply: editSuccess(withField('code', 0), 'key-exchange'),
  },
  'code-missing': {
    title: 'Leaves out code',
    check: answersSuccess,
    diagnosis: 'field-missing',
    apply: editSuccess(without('code'), 'key-exchange'),
  },
  'code-200': {
    title: 'Reports success as code "200"',
    check: answersSuccess,
    diagnosis: 'code-not-success',
    apply: editSuccess(withField('code', '200'), 'key-exchange'),
  },
  'code-renamed': {
    title: 'Sends code as resultCode',
    check: answersSuccess,
    diagnosis: 'field-misplaced',
    apply: editSuccess(renamed('code', 'resultCode'), 'key-exchange'),
  },
  'message-missing': {
    title: 'Leaves out message',
    apply: editSuccess(without('message'), 'key-exchange'),
  },
  'message-null': {
    title: 'Writes message as null',
    diagnosis: 'field-type',
    apply: editSuccess(withField('message', null), 'key-exchange'),
  },
  'registration-code-number': {
    title: 'Writes code as the number 0 after the registration',
    check: 'registration/response-shape',
    diagnosis: 'code-not-string',
    apply: editSuccess(withField('code', 0), 'registration'),
  },
  'registration-message-missing': {
    title: 'Leaves out message after the registration',
    check: 'registration/response-shape',
    diagnosis: 'message-missing',
    apply: editSuccess(without('message'), 'registration'),
  },
  'registration-code-1': {
    title: 'Reports success of the registration as code "1"',
    check: 'registration/answers-success',
    diagnosis: 'code-not-success',
    apply: editSuccess(withField('code', '1'), 'registration'),
  },
  'error-code-number': {
    title: 'Writes the code of an error as a number',
    check: 'protocol/error-shape',
    diagnosis: 'code-not-string',
    apply: editRefusal(withField('code', 9999)),
  },
  'error-message-missing': {
    title: 'Leaves out the message of an error',
    check: 'protocol/error-shape',
    diagnosis: 'message-missing',
    apply: editRefusal(without('message')),
  },
});

/** `result` of the key exchange (section 4.1.1). */
const wrongResults = defineApplicationFaults({ check: shape })({
  'result-missing': {
    title: 'Leaves out result',
    apply: editSuccess(without('result')),
  },
  'result-null': {
    title: 'Writes result as null',
    diagnosis: 'result-missing',
    apply: editSuccess(withField('result', null), 'key-exchange'),
  },
  'result-string': {
    title: 'Writes result as JSON inside a string',
    diagnosis: 'field-type',
    apply: editSuccess(
      (response) => ({ ...response, result: JSON.stringify(response.result) }),
      'key-exchange',
    ),
  },
  'result-array': {
    title: 'Writes result as an array',
    diagnosis: 'field-type',
    apply: editSuccess((response) => ({ ...response, result: [response.result] }), 'key-exchange'),
  },
  'result-renamed': {
    title: 'Sends result as data',
    diagnosis: 'field-misplaced',
    apply: editSuccess(renamed('result', 'data')),
  },
  'wrapped-key-missing': {
    title: 'Leaves out enc_partner_key',
    diagnosis: 'field-missing',
    apply: editResult(without('enc_partner_key')),
  },
  'wrapped-key-at-top': {
    title: 'Puts enc_partner_key beside result, not inside',
    diagnosis: 'field-misplaced',
    apply: editSuccess((response) => {
      const { result, ...others } = response;
      return isJsonObject(result) ? { ...others, ...result } : response;
    }),
  },
  'wrapped-key-renamed': {
    title: 'Sends enc_partner_key as encPartnerKey',
    diagnosis: 'field-misplaced',
    apply: editResult(renamed('enc_partner_key', 'encPartnerKey')),
  },
  'wrapped-key-bytes': {
    title: 'Writes the ciphertext as an array of numbers',
    diagnosis: 'field-type',
    apply: editResult((result) => ({
      ...result,
      enc_partner_key: [...Buffer.from(String(result.enc_partner_key), 'base64')],
    })),
  },
});

/** The whole body. */
const wrongBodies = defineApplicationFaults({ check: answersSuccess, diagnosis: 'not-json' })({
  'answer-array': {
    title: 'Wraps the response in an array',
    apply: { value: (right) => [right] },
  },
  'single-quotes': {
    title: 'Prints a dictionary instead of JSON, with single quotes',
    apply: { body: (right) => encodeUtf8(Buffer.from(right).toString().replaceAll('"', "'")) },
  },
  'warning-before-json': {
    title: 'Prints a warning before the JSON',
    apply: { body: (right) => Buffer.concat([encodeUtf8('Warning: undefined index\n'), right]) },
  },
});

/** Faults in the shape of the response (sections 4.1 and 7). */
export const responseFaults = [...wrongEnvelopes, ...wrongResults, ...wrongBodies];
