import type { Check } from '../../check.ts';
import { obtainKey, registerRightly } from '../../flows.ts';
import { withUnknownField } from '../../malformed.ts';

export const ignoresUnknownFields: Check = {
  id: 'protocol/ignores-unknown-fields',
  title: 'An additional field does no harm',
  section: '9',
  sentence: 'Versioning: not shown.',
  level: 'should',
  polarity: 'positive',
  stage: 'right-requests',
  needs: ['key-exchange/answers-success', 'registration/without-user-info', 'usable-key'],
  run: async (context) => {
    const { user } = context;
    const alter = withUnknownField;
    const what = 'with a field that the interface does not know';
    const key = await obtainKey(context, user, { alter, what: `a key exchange ${what}` });
    await registerRightly(context, user, key, { alter, what: `a registration ${what}` });
    return undefined;
  },
};
