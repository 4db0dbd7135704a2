import { encodeUtf8 } from '../../bytes.ts';
import type { DiagnosisCode } from '../../errors.ts';
import { isJsonObject } from '../../protocol/json.ts';
import {
  type Edit,
  editRefusal,
  editResult,
  editSuccess,
  renamed,
  withField,
  without,
} from './edit.ts';
import { defineFaults } from './points.ts';

/** Faults in the shape of one response of success, and the diagnosis where it isn't the code of the name. */
const exchange = (edit: Edit, diagnosis?: DiagnosisCode) => ({
  ...editSuccess(edit, 'key-exchange'),
  diagnosis,
});
const registration = (edit: Edit, diagnosis: DiagnosisCode) => ({
  ...editSuccess(edit, 'registration'),
  diagnosis,
});

/** `code`, `message` and `result` (sections 4.1.1 and 7). */
const wrongFields = defineFaults(undefined, {
  'key-exchange/response-shape': {
    'code-number': exchange(withField('code', 0), 'code-not-string'),
    'message-missing': editSuccess(without('message'), 'key-exchange'),
    'message-null': exchange(withField('message', null), 'field-type'),
    'result-missing': editSuccess(without('result')),
    'result-null': exchange(withField('result', null), 'result-missing'),
    'result-string': exchange(
      (response) => ({ ...response, result: JSON.stringify(response.result) }),
      'field-type',
    ),
    'result-array': exchange(
      (response) => ({ ...response, result: [response.result] }),
      'field-type',
    ),
    'result-renamed': { ...editSuccess(renamed('result', 'data')), diagnosis: 'field-misplaced' },
    'wrapped-key-missing': {
      ...editResult(without('enc_partner_key')),
      diagnosis: 'field-missing',
    },
    'wrapped-key-at-top': {
      ...editSuccess((response) => {
        const { result, ...others } = response;
        return isJsonObject(result) ? { ...others, ...result } : response;
      }),
      diagnosis: 'field-misplaced',
    },
    'wrapped-key-renamed': {
      ...editResult(renamed('enc_partner_key', 'encPartnerKey')),
      diagnosis: 'field-misplaced',
    },
    'wrapped-key-bytes': {
      ...editResult((result) => ({
        ...result,
        enc_partner_key: [...Buffer.from(String(result.enc_partner_key), 'base64')],
      })),
      diagnosis: 'field-type',
    },
  },
  'key-exchange/answers-success': {
    'code-missing': exchange(without('code'), 'field-missing'),
    'code-200': exchange(withField('code', '200'), 'code-not-success'),
    'code-renamed': exchange(renamed('code', 'resultCode'), 'field-misplaced'),
  },
  'registration/response-shape': {
    'registration-code-number': registration(withField('code', 0), 'code-not-string'),
    'registration-message-missing': registration(without('message'), 'message-missing'),
  },
  'registration/answers-success': {
    'registration-code-1': registration(withField('code', '1'), 'code-not-success'),
  },
  'protocol/error-shape': {
    'error-code-number': { ...editRefusal(withField('code', 9999)), diagnosis: 'code-not-string' },
    'error-message-missing': { ...editRefusal(without('message')), diagnosis: 'message-missing' },
  },
});

const wrongBodies = defineFaults('not-json', {
  'key-exchange/answers-success': {
    'answer-array': { value: (right) => [right] },
    'single-quotes': {
      body: (right) => encodeUtf8(Buffer.from(right).toString().replaceAll('"', "'")),
    },
    'warning-before-json': {
      body: (right) => Buffer.concat([encodeUtf8('Warning: undefined index\n'), right]),
    },
  },
});

export const responseFaults = [...wrongFields, ...wrongBodies];
