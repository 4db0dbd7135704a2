import type { CheckDefinition } from '../../check.ts';

export const keySizes: CheckDefinition = {
  id: 'key-exchange/key-sizes',
  title: 'should accept public keys of 3072 and 4096 bits',
  section: '2.2',
  sentence: 'public_key is a Base64 encoding of an X.509 SubjectPublicKeyInfo RSA key.',
  level: 'should',
  stage: 'right-requests',
  needs: ['key-exchange/rotated-public-key', 'usable-key'],
  run: async (context) => {
    for (const bits of [3072, 4096] as const) {
      const keyPair = await context.environment.keyPairs(bits);
      const what = `a key exchange with a public_key of ${bits} bits`;
      await context.obtainKey(context.user, { keyPair, what });
    }
  },
};
