import { nearNames } from '../../malformed-sign-in.ts';
import { acsTokenIn, type ServiceCheckDefinition } from '../../service.ts';
import { expectAuthenticationsRefused, expectSignInsRefused } from '../../service-refusals.ts';

const advice = {
  risk: 'Anyone can send a value that is nearly a token, or of a type that a loose comparison takes for everything, and sign in as its user.',
  fix: 'Demand that the token is a JSON string, and look it up whole, with its case, among the tokens of its kind alone.',
  harm: 'lets-in',
} as const;

export const exactTokens: ServiceCheckDefinition = {
  id: 'service/exact-tokens',
  title:
    'must reject a token that is cut, longer, in another case, not a string, or the other token',
  section: '5',
  sentence:
    'POST /process/token requires a valid ptn_token. POST /process/authenticate requires the acs_token obtained from /process/token.',
  stage: 'wrong-requests',
  needs: ['service/token-works'],
  run: async (context) => {
    const ptnToken = await context.ptnToken();
    const swapped = context.authenticateRequest(ptnToken);
    await context.expectRefused('ptn-token-as-acs-token', swapped, advice);
    const token = await expectSignInsRefused(context, nearNames('ptn-token'), advice, ptnToken);
    const acsToken = acsTokenIn(token);
    await context.expectRefused('acs-token-as-ptn-token', context.tokenRequest(acsToken), advice);
    await expectAuthenticationsRefused(context, nearNames('acs-token'), acsToken, advice);
  },
};
