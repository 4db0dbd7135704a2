import { outsideNames, plainHeaderNames } from '../../malformed-sign-in.ts';
import { acsTokenIn, type ServiceCheckDefinition } from '../../service.ts';
import { expectAuthenticationsRefused, expectSignInsRefused } from '../../service-refusals.ts';

const advice = {
  risk: 'An application that sends it there has it in the logs of servers and proxies, where others read it.',
  fix: 'Read secret_key from the JSON body alone.',
  harm: 'leaks',
} as const;

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
    const fits = /^[\x21-\x7e]+$/.test(context.service.secretKey.reveal());
    const names = outsideNames.filter((name) => fits || !plainHeaderNames.has(name));
    const isLater = (name: string) => name.startsWith('authenticate-');
    const atToken = names.filter((name) => !isLater(name));
    const token = await expectSignInsRefused(context, atToken, advice);
    await expectAuthenticationsRefused(context, names.filter(isLater), acsTokenIn(token), advice);
  },
};
