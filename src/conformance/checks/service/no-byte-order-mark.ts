import type { ServiceCheck } from '../../service-check.ts';
import { noByteOrderMark as ofProtocol } from '../protocol/no-byte-order-mark.ts';

export const noByteOrderMark: ServiceCheck = {
  ...ofProtocol,
  id: 'service/no-byte-order-mark',
  needs: ['service/issues-token'],
  run: ({ base }) => ofProtocol.run(base),
};
