import { diagnosis } from '../../../diagnosis/catalogue-entry.ts';
import { jsonTypeOf } from '../../../protocol/json-type.ts';
import { fail } from '../../expect.ts';
import type { SigninCheck } from '../../signin-check.ts';
import { anyCalls, fieldsIn } from '../../signin-expect.ts';

const names: readonly string[] = ['client_id', 'secret_key', 'ptn_token', 'acs_token'];

export const stringTypes: SigninCheck = {
  id: 'signin/string-types',
  title: 'Every field of both requests is a string',
  section: '4.2',
  sentence: 'Request body: each field is a String.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: [],
  run: async (context) => {
    for (const call of anyCalls(await context.rightSignIn())) {
      const wrong = Object.entries(fieldsIn(call) ?? {}).find(
        ([name, value]) => names.includes(name) && value !== null && typeof value !== 'string',
      );
      if (wrong === undefined) continue;
      const [name, value] = wrong;
      const message = `The field "${name}" of the request is of type ${jsonTypeOf(value)}.`;
      fail({
        expected: `a string in ${name}`,
        observed: `a JSON ${jsonTypeOf(value)}`,
        diagnosis: diagnosis('field-type', message, `Send ${name} as a JSON string.`),
        evidence: call.exchange,
      });
    }
    return undefined;
  },
};
