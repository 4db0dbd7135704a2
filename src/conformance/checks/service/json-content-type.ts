import type { ServiceCheck } from '../../service-check.ts';
import { jsonContentType as ofProtocol } from '../protocol/json-content-type.ts';

export const jsonContentType: ServiceCheck = {
  ...ofProtocol,
  id: 'service/json-content-type',
  needs: ['service/issues-token'],
  run: ({ base }) => ofProtocol.run(base),
};
