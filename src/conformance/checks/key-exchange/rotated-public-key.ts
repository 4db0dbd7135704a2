import type { CheckDefinition } from '../../check.ts';
import { failWith } from '../../expect.ts';
import { isWrapCode } from '../../keys.ts';

export const rotatedPublicKey: CheckDefinition = {
  id: 'key-exchange/rotated-public-key',
  title: 'must encrypt with the public_key of the request, even after a different one',
  section: '2.2',
  sentence: 'The plain key is encrypted with the RSA public key received as public_key.',
  stage: 'right-requests',
  needs: ['key-exchange/answers-success', 'usable-key'],
  run: async (context) => {
    const { record, environment, user } = context;
    // The user has an earlier public key: the application may keep the first one of each user.
    await context.obtainKey(user);
    const keyPair = await environment.keyPairs('second');
    const what = 'a key exchange with a second public_key';
    const outcome = await context.acceptedExchange(user, { keyPair, what });
    const diagnosis = outcome.diagnoses.find(
      ({ code }) => isWrapCode(code) && !record.reported.has(code),
    );
    if (diagnosis !== undefined) {
      const expected = 'a key encrypted with the public_key of this request';
      failWith(diagnosis, expected, diagnosis.code, outcome.exchange);
    }
  },
};
