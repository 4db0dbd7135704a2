import { generatePerUserKey } from '../../../crypto/per-user-key.ts';
import type { CheckDefinition } from '../../check.ts';
import { control } from '../../expect.ts';
import { inventCodes } from '../../test-data.ts';

export const rejectsUnknownUser: CheckDefinition = {
  id: 'registration/rejects-unknown-user',
  title: 'must reject a registration for a ptn_cd that never exchanged a key',
  section: '6',
  sentence: 'The key exchange precedes the registration-complete callback for the same user.',
  stage: 'wrong-requests',
  needs: ['registration/without-user-info', 'usable-key'],
  run: async (context) => {
    const { user, randomBytes, check, environment } = context;
    await control(() => context.signUp(user));
    const [stranger = ''] = inventCodes(`${environment.seed}\0stranger`, check.id, 1);
    const key = generatePerUserKey(randomBytes);
    await context.expectRefused('unknown-user', context.rightRegistration(stranger, key));
  },
};
