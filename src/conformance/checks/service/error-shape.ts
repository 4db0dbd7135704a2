import type { ServiceCheck } from '../../service-check.ts';
import { sendSpoilt } from '../../sign-in-refusals.ts';
import { errorShape as ofProtocol } from '../protocol/error-shape.ts';

export const errorShape: ServiceCheck = {
  ...ofProtocol,
  id: 'service/error-shape',
  needs: ['service/issues-token'],
  run: async (context) => {
    const { base } = context;
    const isProvoked = base.record.exchanges.some(({ intent }) => intent === 'wrong');
    const right = context.tokenRequest('authcli-to-be-replaced');
    if (!isProvoked) await sendSpoilt(context, 'ptn-token-missing', right);
    return ofProtocol.run(base);
  },
};
