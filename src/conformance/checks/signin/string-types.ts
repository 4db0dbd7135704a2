import { diagnosis } from '../../../diagnosis/diagnosis.ts';
import { jsonTypeOf } from '../../../protocol/json.ts';
import type { SigninCheckDefinition } from '../../signin-check.ts';
import { everyCall, fieldsIn } from '../../signin-expect.ts';

const names: readonly string[] = ['client_id', 'secret_key', 'ptn_token', 'acs_token'];

export const stringTypes: SigninCheckDefinition = {
  id: 'signin/string-types',
  title: 'must send every field of both requests as a string',
  section: '4.2',
  sentence: 'Request body: each field is a String.',
  run: everyCall((call) => {
    const wrong = Object.entries(fieldsIn(call) ?? {}).find(
      ([name, value]) => names.includes(name) && value !== null && typeof value !== 'string',
    );
    if (wrong === undefined) return undefined;
    const [name, value] = wrong;
    const message = `The field "${name}" of the request is of type ${jsonTypeOf(value)}.`;
    return {
      expected: `a string in ${name}`,
      observed: `a JSON ${jsonTypeOf(value)}`,
      diagnosis: diagnosis('field-type', message, `Send ${name} as a JSON string.`),
    };
  }),
};
