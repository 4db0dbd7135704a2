import type { CheckDefinition } from '../../check.ts';
import { withUnknownField } from '../../malformed.ts';

export const ignoresUnknownFields: CheckDefinition = {
  id: 'protocol/ignores-unknown-fields',
  title: 'should ignore additional fields',
  section: '9',
  sentence: 'Versioning: not shown.',
  level: 'should',
  stage: 'right-requests',
  needs: ['key-exchange/answers-success', 'registration/without-user-info', 'usable-key'],
  run: async (context) => {
    const { user } = context;
    const alter = withUnknownField;
    const what = 'with a field that the interface does not know';
    const key = await context.obtainKey(user, { alter, what: `a key exchange ${what}` });
    await context.registerRightly(user, key, { alter, what: `a registration ${what}` });
  },
};
