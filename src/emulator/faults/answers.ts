import { encodeUtf8 } from '../../bytes.ts';
import { isJsonObject } from '../../protocol/json-type.ts';
import { editRefusal, editResult, editSuccess, renamed, without } from './edit.ts';
import type { ApplicationPoints, FaultOf } from './points.ts';

const answersSuccess = 'key-exchange/answers-success';
const shape = 'key-exchange/response-shape';

/** `code` and `message` (section 7). */
const wrongEnvelopes: readonly FaultOf<ApplicationPoints>[] = [
  {
    name: 'code-number',
    title: 'Writes code as the number 0',
    check: shape,
    diagnosis: 'code-not-string',
    apply: { value: editSuccess((answer) => ({ ...answer, code: 0 }), 'key-exchange') },
  },
  {
    name: 'code-missing',
    title: 'Leaves out code',
    check: answersSuccess,
    diagnosis: 'field-missing',
    apply: { value: editSuccess((answer) => without(answer, 'code'), 'key-exchange') },
  },
  {
    name: 'code-200',
    title: 'Says success as code "200"',
    check: answersSuccess,
    diagnosis: 'code-not-success',
    apply: { value: editSuccess((answer) => ({ ...answer, code: '200' }), 'key-exchange') },
  },
  {
    name: 'code-renamed',
    title: 'Calls code resultCode',
    check: answersSuccess,
    diagnosis: 'field-misplaced',
    apply: {
      value: editSuccess((answer) => renamed(answer, 'code', 'resultCode'), 'key-exchange'),
    },
  },
  {
    name: 'message-missing',
    title: 'Leaves out message',
    check: shape,
    diagnosis: 'message-missing',
    apply: { value: editSuccess((answer) => without(answer, 'message'), 'key-exchange') },
  },
  {
    name: 'message-null',
    title: 'Writes message as null',
    check: shape,
    diagnosis: 'field-type',
    apply: { value: editSuccess((answer) => ({ ...answer, message: null }), 'key-exchange') },
  },
  {
    name: 'registration-code-number',
    title: 'Writes code as the number 0 after the registration',
    check: 'registration/response-shape',
    diagnosis: 'code-not-string',
    apply: { value: editSuccess((answer) => ({ ...answer, code: 0 }), 'registration') },
  },
  {
    name: 'registration-message-missing',
    title: 'Leaves out message after the registration',
    check: 'registration/response-shape',
    diagnosis: 'message-missing',
    apply: { value: editSuccess((answer) => without(answer, 'message'), 'registration') },
  },
  {
    name: 'registration-code-1',
    title: 'Says success of the registration as code "1"',
    check: 'registration/answers-success',
    diagnosis: 'code-not-success',
    apply: { value: editSuccess((answer) => ({ ...answer, code: '1' }), 'registration') },
  },
  {
    name: 'error-code-number',
    title: 'Writes the code of an error as a number',
    check: 'protocol/error-shape',
    diagnosis: 'code-not-string',
    apply: { value: editRefusal((answer) => ({ ...answer, code: 9999 })) },
  },
  {
    name: 'error-message-missing',
    title: 'Leaves out the message of an error',
    check: 'protocol/error-shape',
    diagnosis: 'message-missing',
    apply: { value: editRefusal((answer) => without(answer, 'message')) },
  },
];

/** `result` of the key exchange (section 4.1.1). */
const wrongResults: readonly FaultOf<ApplicationPoints>[] = [
  {
    name: 'result-missing',
    title: 'Leaves out result',
    check: shape,
    diagnosis: 'result-missing',
    apply: { value: editSuccess((answer) => without(answer, 'result')) },
  },
  {
    name: 'result-null',
    title: 'Writes result as null',
    check: shape,
    diagnosis: 'result-missing',
    apply: { value: editSuccess((answer) => ({ ...answer, result: null }), 'key-exchange') },
  },
  {
    name: 'result-string',
    title: 'Writes result as JSON inside a string',
    check: shape,
    diagnosis: 'field-type',
    apply: {
      value: editSuccess(
        (answer) => ({ ...answer, result: JSON.stringify(answer.result) }),
        'key-exchange',
      ),
    },
  },
  {
    name: 'result-array',
    title: 'Writes result as an array',
    check: shape,
    diagnosis: 'field-type',
    apply: {
      value: editSuccess((answer) => ({ ...answer, result: [answer.result] }), 'key-exchange'),
    },
  },
  {
    name: 'result-renamed',
    title: 'Calls result data',
    check: shape,
    diagnosis: 'field-misplaced',
    apply: { value: editSuccess((answer) => renamed(answer, 'result', 'data')) },
  },
  {
    name: 'wrapped-key-missing',
    title: 'Leaves out enc_partner_key',
    check: shape,
    diagnosis: 'field-missing',
    apply: { value: editResult((result) => without(result, 'enc_partner_key')) },
  },
  {
    name: 'wrapped-key-at-top',
    title: 'Puts enc_partner_key beside result, not inside',
    check: shape,
    diagnosis: 'field-misplaced',
    apply: {
      value: editSuccess((answer) =>
        isJsonObject(answer.result) ? { ...without(answer, 'result'), ...answer.result } : answer,
      ),
    },
  },
  {
    name: 'wrapped-key-renamed',
    title: 'Calls enc_partner_key encPartnerKey',
    check: shape,
    diagnosis: 'field-misplaced',
    apply: { value: editResult((result) => renamed(result, 'enc_partner_key', 'encPartnerKey')) },
  },
  {
    name: 'wrapped-key-bytes',
    title: 'Writes the ciphertext as an array of numbers',
    check: shape,
    diagnosis: 'field-type',
    apply: {
      value: editResult((result) => ({
        ...result,
        enc_partner_key: [...Buffer.from(String(result.enc_partner_key), 'base64')],
      })),
    },
  },
];

/** The whole body. */
const wrongBodies: readonly FaultOf<ApplicationPoints>[] = [
  {
    name: 'answer-array',
    title: 'Puts the answer into an array',
    check: answersSuccess,
    diagnosis: 'not-json',
    apply: { value: (right) => [right] },
  },
  {
    name: 'single-quotes',
    title: 'Prints a dictionary instead of JSON, with single quotes',
    check: answersSuccess,
    diagnosis: 'not-json',
    apply: { body: (right) => encodeUtf8(Buffer.from(right).toString().replaceAll('"', "'")) },
  },
  {
    name: 'warning-before-json',
    title: 'Prints a warning before the JSON',
    check: answersSuccess,
    diagnosis: 'not-json',
    apply: { body: (right) => Buffer.concat([encodeUtf8('Warning: undefined index\n'), right]) },
  },
];

/** Faults in the shape of the answer (sections 4.1 and 7). */
export const answerFaults = [...wrongEnvelopes, ...wrongResults, ...wrongBodies];
