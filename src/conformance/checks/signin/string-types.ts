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
  ...everyCall((call) => {
    const wrong = Object.entries(fieldsIn(call) ?? {}).find(([name, value]) =>
      names.includes(name) ? isWrongType(value) : value === null,
    );
    if (wrong === undefined) return undefined;
    const [name, value] = wrong;
    const message = `The field "${name}" of the request is of type ${jsonTypeOf(value)}.`;
    return {
      expected: `a string in ${name}`,
      observed: `a JSON ${jsonTypeOf(value)}`,
      diagnosis: diagnosis('field-type', message, fixOf(name)),
    };
  }),
};

/** A null counts as missing, which the checks of the fields report. */
function isWrongType(value: unknown): boolean {
  return value !== null && typeof value !== 'string';
}

function fixOf(name: string): string {
  if (names.includes(name)) return `Send ${name} as a JSON string.`;
  return `Leave ${name} out: a field that is not set is not sent.`;
}
