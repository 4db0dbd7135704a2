import { behaviourFaults } from './faults/behaviour.ts';
import { cipherFaults } from './faults/ciphers.ts';
import { connectionFaults } from './faults/connections.ts';
import { applicationHttpFaults, serviceHttpFaults } from './faults/http.ts';
import { keyFaults } from './faults/keys.ts';
import { leftoverFaults } from './faults/leftovers.ts';
import { lostKeyFaults } from './faults/lost-keys.ts';
import { lostUserFaults } from './faults/lost-users.ts';
import { nearCodeFaults } from './faults/near-codes.ts';
import type { ApplicationFault, ServiceFault } from './faults/points.ts';
import { raceFaults } from './faults/races.ts';
import { responseFaults } from './faults/responses.ts';
import { wrongResponses } from './faults/signin.ts';
import { situationFaults } from './faults/situations.ts';
import { wrappingFaults } from './faults/wrapping.ts';

export type { ApplicationFault, ServiceFault } from './faults/points.ts';

/** Every fault of the emulated application. */
export const applicationFaults: readonly ApplicationFault[] = [
  ...wrappingFaults,
  ...keyFaults,
  ...responseFaults,
  ...applicationHttpFaults,
  ...behaviourFaults,
  ...cipherFaults,
  ...situationFaults,
  ...lostUserFaults,
  ...lostKeyFaults,
  ...leftoverFaults,
  ...nearCodeFaults,
  ...connectionFaults,
  ...raceFaults,
];

/** Every fault of the emulated service. */
export const serviceFaults: readonly ServiceFault[] = [...wrongResponses, ...serviceHttpFaults];
