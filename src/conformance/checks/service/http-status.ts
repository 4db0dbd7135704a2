import type { ServiceCheck } from '../../service-check.ts';
import { httpStatus as ofProtocol } from '../protocol/http-status.ts';

export const httpStatus: ServiceCheck = {
  ...ofProtocol,
  id: 'service/http-status',
  needs: ['service/issues-token'],
  run: ({ base }) => ofProtocol.run(base),
};
