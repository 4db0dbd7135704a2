import { generatePerUserKey } from '../../../crypto/per-user-key.ts';
import type { Check } from '../../check.ts';
import { control, expectRefused } from '../../expect.ts';
import { signUp } from '../../flows.ts';
import { malform } from '../../malformed.ts';
import { inventUsers } from '../../test-users.ts';

export const rejectsUnknownUser: Check = {
  id: 'registration/rejects-unknown-user',
  title: 'A registration for a ptn_cd that never exchanged a key is refused',
  section: '6',
  sentence: 'The key exchange precedes the registration-complete callback for the same user.',
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['registration/without-user-info', 'usable-key'],
  run: async (context) => {
    const { user, randomBytes, check, world } = context;
    await control(() => signUp(context, user));
    const [stranger = ''] = inventUsers(`${world.seed}\0stranger`).forCheck(check.id, 1) ?? [];
    const key = generatePerUserKey(randomBytes);
    const malformed = malform('unknown-user', context.rightRegistration(stranger, key));
    expectRefused(await context.sendMalformed(malformed), malformed.about);
    return undefined;
  },
};
