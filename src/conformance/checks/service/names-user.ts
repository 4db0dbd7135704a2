import { diagnoseBehaviour } from '../../../diagnosis/behaviour.ts';
import { excerptOf } from '../../../text.ts';
import { failWith, skip } from '../../expect.ts';
import type { ServiceCheck } from '../../service-check.ts';

export const namesUser: ServiceCheck = {
  id: 'service/names-user',
  title: 'The token answer names the user that the ptn_token is of',
  section: '4.2.1',
  sentence: 'result.ptn_cd: Application user code.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: ['service/issues-token'],
  run: async (context) => {
    const { ptnCd } = context.service;
    if (ptnCd === undefined) skip('It is not known here which user the ptn_token is of.');
    const { reading, exchange } = context.tokenOutcome();
    const named = reading?.seen.ptnCd ?? skip('No ptn_cd came with the answer.');
    if (named === ptnCd) return undefined;
    const observed = `ptn_cd "${excerptOf(named, 64)}"`;
    const expected = `ptn_cd "${excerptOf(ptnCd ?? '', 64)}"`;
    const message = `The ptn_token is of ${expected}, and the answer names ${observed}.`;
    return failWith(diagnoseBehaviour('other-user', message), expected, observed, exchange);
  },
};
