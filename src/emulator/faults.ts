import { behaviourFaults } from './faults/behaviour.ts';
import { cipherFaults } from './faults/ciphers.ts';
import { applicationHttpFaults, serviceHttpFaults } from './faults/http.ts';
import { keyFaults } from './faults/keys.ts';
import type { ApplicationFault, ServiceFault } from './faults/points.ts';
import { responseFaults } from './faults/responses.ts';
import { sequenceFaults } from './faults/sequences.ts';
import { wrongResponses } from './faults/signin.ts';
import { wrappingFaults } from './faults/wrapping.ts';

export type { ApplicationFault, ServiceFault } from './faults/points.ts';

export const applicationFaults: readonly ApplicationFault[] = [
  ...wrappingFaults,
  ...keyFaults,
  ...responseFaults,
  ...applicationHttpFaults,
  ...behaviourFaults,
  ...cipherFaults,
  ...sequenceFaults,
];

export const serviceFaults: readonly ServiceFault[] = [...wrongResponses, ...serviceHttpFaults];
