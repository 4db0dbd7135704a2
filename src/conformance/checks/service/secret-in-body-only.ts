import { expectSignInsRefused, type ServiceCheckDefinition } from '../../service.ts';

export const secretInBodyOnly: ServiceCheckDefinition = {
  id: 'service/secret-in-body-only',
  title: 'should reject a secret_key in a header or in the query',
  section: '5',
  sentence:
    'Both are sent in the JSON body; no header or token scheme is involved for these two fields.',
  level: 'should',
  stage: 'wrong-requests',
  needs: ['service/token-works'],
  run: async (context) => {
    // A header carries printable ASCII alone (RFC 9110 section 5.5).
    const fits = /^[\x21-\x7e]+$/.test(context.service.secretKey.reveal());
    const plain = fits ? (['secret-in-header'] as const) : [];
    await expectSignInsRefused(context, [...plain, 'secret-in-basic', 'secret-in-query']);
  },
};
