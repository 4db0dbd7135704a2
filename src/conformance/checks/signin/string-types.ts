import { diagnosis } from '../../../diagnosis/diagnosis.ts';
import { jsonTypeOf } from '../../../protocol/json.ts';
import type { SigninCheckDefinition } from '../../signin-check.ts';
import { everyCall, fieldsIn, requestFields } from '../../signin-expect.ts';

export const stringTypes: SigninCheckDefinition = {
  id: 'signin/string-types',
  title: 'must send every field of both requests as a string',
  section: '4.2',
  sentence: 'Request body: each field is a String.',
  ...everyCall((call) => {
    const required = requestFields[call.operation ?? 'token'];
    // A null in place of a field counts as missing, which the checks of the fields report.
    const wrong = Object.entries(fieldsIn(call) ?? {}).find(([name, value]) =>
      required.includes(name) ? value !== null && typeof value !== 'string' : value === null,
    );
    if (wrong === undefined) return undefined;
    const [name, value] = wrong;
    const message = `The field "${name}" of the request is of type ${jsonTypeOf(value)}.`;
    const fix =
      value === null
        ? `Leave ${name} out: a field that is not set is not sent.`
        : `Send ${name} as a JSON string.`;
    return {
      expected: `a string in ${name}`,
      observed: `a JSON ${jsonTypeOf(value)}`,
      diagnosis: diagnosis('field-type', message, fix),
    };
  }),
};
