import { excerptOf } from '../../../text.ts';
import type { SigninCheckDefinition } from '../../signin-check.ts';
import { everyCall, fieldsIn, requestFields } from '../../signin-expect.ts';

export const noOtherFields: SigninCheckDefinition = {
  id: 'signin/no-other-fields',
  title: 'should send only the three fields of each request',
  section: '4.2',
  sentence: 'Request body: three fields each.',
  level: 'should',
  ...everyCall((call) => {
    const known = requestFields[call.operation ?? 'token'];
    // A null is the matter of signin/string-types.
    const others = Object.entries(fieldsIn(call) ?? {})
      .filter(([name, value]) => !known.includes(name) && value !== null)
      .map(([name]) => name);
    if (others.length === 0) return undefined;
    return {
      expected: 'three fields',
      observed: `also ${others.map((name) => excerptOf(name, 40)).join(', ')}`,
      fix: 'Send only the fields of the interface: a strict service may refuse others, and they disclose data that it did not request.',
    };
  }),
};
