import { answerFaults } from './faults/answers.ts';
import { behaviourFaults } from './faults/behaviour.ts';
import { applicationHttpFaults, serviceHttpFaults } from './faults/http.ts';
import { keyFaults } from './faults/keys.ts';
import type { ApplicationFault, ServiceFault } from './faults/points.ts';
import { signinFaults } from './faults/service.ts';
import { situationFaults } from './faults/situations.ts';
import { wrappingFaults } from './faults/wrapping.ts';

export type { ApplicationFault, ServiceFault } from './faults/points.ts';

/** Every way to go wrong that the emulated application knows. */
export const applicationFaults: readonly ApplicationFault[] = [
  ...wrappingFaults,
  ...keyFaults,
  ...answerFaults,
  ...applicationHttpFaults,
  ...behaviourFaults,
  ...situationFaults,
].map((fault) => ({ side: 'application', ...fault }));

/** Every way to go wrong that the emulated service knows. */
export const serviceFaults: readonly ServiceFault[] = [...signinFaults, ...serviceHttpFaults].map(
  (fault) => ({ side: 'service', ...fault }),
);
