import type { ServiceCheckDefinition } from '../../service.ts';
import { errorShape as ofProtocol } from '../protocol/error-shape.ts';

export const errorShape: ServiceCheckDefinition = {
  ...ofProtocol,
  id: 'service/error-shape',
  needs: ['service/issues-token'],
  run: async (context) => {
    const { base } = context;
    const isProvoked = base.record.exchanges.some(({ intent }) => intent === 'wrong');
    const right = context.tokenRequest('authcli-to-be-replaced');
    if (!isProvoked) await context.sendMalformed('ptn-token-missing', right);
    return ofProtocol.run(base);
  },
};
