import { encodeUtf8 } from '../../bytes.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { editRefusal, editResult, editSuccess, renamed, withField, without } from './edit.ts';
import { defineApplicationFaults } from './points.ts';

const answersSuccess = 'key-exchange/answers-success';
const shape = 'key-exchange/response-shape';

/** `code` and `message` (section 7). */
const wrongEnvelopes = defineApplicationFaults({ check: shape })({
  'code-number': [
    'Writes code as the number 0',
    editSuccess(withField('code', 0), 'key-exchange'),
    'code-not-string',
  ],
  'code-missing': [
    'Leaves out code',
    editSuccess(without('code'), 'key-exchange'),
    'field-missing',
    answersSuccess,
  ],
  'code-200': [
    'Reports success as code "200"',
    editSuccess(withField('code', '200'), 'key-exchange'),
    'code-not-success',
    answersSuccess,
  ],
  'code-renamed': [
    'Sends code as resultCode',
    editSuccess(renamed('code', 'resultCode'), 'key-exchange'),
    'field-misplaced',
    answersSuccess,
  ],
  'message-missing': ['Leaves out message', editSuccess(without('message'), 'key-exchange')],
  'message-null': [
    'Writes message as null',
    editSuccess(withField('message', null), 'key-exchange'),
    'field-type',
  ],
  'registration-code-number': [
    'Writes code as the number 0 after the registration',
    editSuccess(withField('code', 0), 'registration'),
    'code-not-string',
    'registration/response-shape',
  ],
  'registration-message-missing': [
    'Leaves out message after the registration',
    editSuccess(without('message'), 'registration'),
    'message-missing',
    'registration/response-shape',
  ],
  'registration-code-1': [
    'Reports success of the registration as code "1"',
    editSuccess(withField('code', '1'), 'registration'),
    'code-not-success',
    'registration/answers-success',
  ],
  'error-code-number': [
    'Writes the code of an error as a number',
    editRefusal(withField('code', 9999)),
    'code-not-string',
    'protocol/error-shape',
  ],
  'error-message-missing': [
    'Leaves out the message of an error',
    editRefusal(without('message')),
    'message-missing',
    'protocol/error-shape',
  ],
});

/** `result` of the key exchange (section 4.1.1). */
const wrongResults = defineApplicationFaults({ check: shape })({
  'result-missing': ['Leaves out result', editSuccess(without('result'))],
  'result-null': [
    'Writes result as null',
    editSuccess(withField('result', null), 'key-exchange'),
    'result-missing',
  ],
  'result-string': [
    'Writes result as JSON inside a string',
    editSuccess(
      (response) => ({ ...response, result: JSON.stringify(response.result) }),
      'key-exchange',
    ),
    'field-type',
  ],
  'result-array': [
    'Writes result as an array',
    editSuccess((response) => ({ ...response, result: [response.result] }), 'key-exchange'),
    'field-type',
  ],
  'result-renamed': [
    'Sends result as data',
    editSuccess(renamed('result', 'data')),
    'field-misplaced',
  ],
  'wrapped-key-missing': [
    'Leaves out enc_partner_key',
    editResult(without('enc_partner_key')),
    'field-missing',
  ],
  'wrapped-key-at-top': [
    'Puts enc_partner_key beside result, not inside',
    editSuccess((response) => {
      const { result, ...others } = response;
      return isJsonObject(result) ? { ...others, ...result } : response;
    }),
    'field-misplaced',
  ],
  'wrapped-key-renamed': [
    'Sends enc_partner_key as encPartnerKey',
    editResult(renamed('enc_partner_key', 'encPartnerKey')),
    'field-misplaced',
  ],
  'wrapped-key-bytes': [
    'Writes the ciphertext as an array of numbers',
    editResult((result) => ({
      ...result,
      enc_partner_key: [...Buffer.from(String(result.enc_partner_key), 'base64')],
    })),
    'field-type',
  ],
});

/** The whole body. */
const wrongBodies = defineApplicationFaults({ check: answersSuccess, diagnosis: 'not-json' })({
  'answer-array': ['Wraps the response in an array', { value: (right) => [right] }],
  'single-quotes': [
    'Prints a dictionary instead of JSON, with single quotes',
    { body: (right) => encodeUtf8(Buffer.from(right).toString().replaceAll('"', "'")) },
  ],
  'warning-before-json': [
    'Prints a warning before the JSON',
    { body: (right) => Buffer.concat([encodeUtf8('Warning: undefined index\n'), right]) },
  ],
});

/** Faults in the shape of the response (sections 4.1 and 7). */
export const responseFaults = [...wrongEnvelopes, ...wrongResults, ...wrongBodies];
