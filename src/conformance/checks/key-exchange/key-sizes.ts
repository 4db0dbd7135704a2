import type { Check } from '../../check.ts';
import { obtainKey } from '../../flows.ts';

export const keySizes: Check = {
  id: 'key-exchange/key-sizes',
  title: 'Public keys of 3072 and 4096 bits work too',
  section: '2.2',
  sentence: 'public_key is a Base64 encoding of an X.509 SubjectPublicKeyInfo RSA key.',
  level: 'should',
  polarity: 'positive',
  stage: 'right-requests',
  needs: ['key-exchange/rotated-public-key', 'usable-key'],
  run: async (context) => {
    for (const bits of [3072, 4096] as const) {
      const keyPair = await context.world.keyPairs.large(bits);
      const what = `a key exchange with a public_key of ${bits} bits`;
      await obtainKey(context, context.user, { keyPair, what });
    }
    return undefined;
  },
};
