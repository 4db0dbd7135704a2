import { behaviourFaults } from './faults/behaviour.ts';
import { cipherFaults } from './faults/ciphers.ts';
import { connectionFaults } from './faults/connections.ts';
import { applicationHttpFaults, serviceHttpFaults } from './faults/http.ts';
import { keyFaults } from './faults/keys.ts';
import { leftoverFaults } from './faults/leftovers.ts';
import { lostKeyFaults } from './faults/lost-keys.ts';
import { lostUserFaults } from './faults/lost-users.ts';
import { namedUserFaults } from './faults/named-users.ts';
import { nearCodeFaults } from './faults/near-codes.ts';
import { outageFaults } from './faults/outages.ts';
import { nearPasscodeFaults, undecryptableFaults } from './faults/passcodes.ts';
import type { ApplicationFault, ServiceFault } from './faults/points.ts';
import { raceFaults } from './faults/races.ts';
import { responseCodeFaults } from './faults/response-codes.ts';
import { responseFaults } from './faults/responses.ts';
import { signinFaults } from './faults/service.ts';
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
export const serviceFaults: readonly ServiceFault[] = [
  ...signinFaults,
  ...namedUserFaults,
  ...nearPasscodeFaults,
  ...undecryptableFaults,
  ...responseCodeFaults,
  ...outageFaults,
  ...serviceHttpFaults,
];
