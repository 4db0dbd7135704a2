import { diagnose } from '../../../diagnosis/catalogue.ts';
import { excerptOf } from '../../../text.ts';
import { failWith, skip } from '../../expect.ts';
import type { ServiceCheckDefinition } from '../../service.ts';

export const namesUser: ServiceCheckDefinition = {
  id: 'service/names-user',
  title: 'must name the user of the ptn_token in the token response',
  section: '4.2.1',
  sentence: 'result.ptn_cd: Application user code.',
  needs: ['service/issues-token'],
  run: async (context) => {
    const { ptnCd } = context.service;
    if (ptnCd === undefined) skip('authcli does not know which user the ptn_token belongs to.');
    const { reading, exchange } = context.tokenOutcome();
    const named = reading?.seen.ptnCd ?? skip('The response contained no ptn_cd.');
    if (named === ptnCd) return;
    const observed = `ptn_cd "${excerptOf(named, 64)}"`;
    const expected = `ptn_cd "${excerptOf(ptnCd ?? '', 64)}"`;
    const message = `The ptn_token belongs to ${expected}, but the response names ${observed}.`;
    return failWith(diagnose('other-user', message), expected, observed, exchange);
  },
};
