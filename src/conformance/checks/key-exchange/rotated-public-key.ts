import type { Check } from '../../check.ts';
import { expectAccepted, failWith } from '../../expect.ts';
import { isWrapCode } from '../../key-codes.ts';

export const rotatedPublicKey: Check = {
  id: 'key-exchange/rotated-public-key',
  title: 'A second, different public_key is used when it is sent',
  section: '2.2',
  sentence: 'The plain key is encrypted with the RSA public key received as public_key.',
  level: 'must',
  polarity: 'positive',
  stage: 'right-requests',
  needs: ['key-exchange/answers-success', 'usable-key'],
  run: async (context) => {
    const { record, world } = context;
    const keyPair = await world.keyPairs.second();
    const outcome = await context.exchange(context.user, { keyPair });
    expectAccepted(outcome, 'a key exchange with a second public_key');
    const diagnosis = outcome.diagnoses.find(
      ({ code }) => isWrapCode(code) && !record.reported.has(code),
    );
    if (diagnosis !== undefined) {
      const expected = 'a key wrapped with the public_key of this request';
      failWith(diagnosis, expected, diagnosis.code, outcome.exchange);
    }
    return undefined;
  },
};
