import type { ServiceCheckDefinition } from '../../service.ts';
import { provokeRefusal } from '../../service-refusals.ts';
import { errorShape as ofProtocol, requireShapes } from '../protocol/error-shape.ts';

export const errorShape: ServiceCheckDefinition = {
  ...ofProtocol,
  id: 'service/error-shape',
  needs: ['service/issues-token'],
  run: async (context) => {
    await provokeRefusal(context);
    requireShapes(context.base.record);
  },
};
