import { otherFormNames } from '../../malformed-sign-in.ts';
import { acsTokenIn, type ServiceCheckDefinition } from '../../service.ts';
import { expectAuthenticationsRefused, expectSignInsRefused } from '../../service-refusals.ts';

const advice = {
  risk: 'What one part of the service reads as the right value, another may read as something else, such as a log, a limit or a check of its own.',
  fix: 'Refuse values that are not JSON strings, and trim none.',
};

export const exactForm: ServiceCheckDefinition = {
  id: 'service/exact-form',
  title: 'should reject credentials and tokens in an array or with white space around them',
  section: '4.2',
  sentence: 'client_id String, secret_key String, ptn_token String, acs_token String.',
  level: 'should',
  stage: 'wrong-requests',
  needs: ['service/token-works'],
  run: async (context) => {
    const atToken = (['token-secret', 'token-client', 'ptn-token'] as const).flatMap(
      otherFormNames,
    );
    const token = await expectSignInsRefused(context, atToken, advice);
    const atAuthenticate = (
      ['authenticate-secret', 'authenticate-client', 'acs-token'] as const
    ).flatMap(otherFormNames);
    await expectAuthenticationsRefused(context, atAuthenticate, acsTokenIn(token), advice);
  },
};
