import { keyExchangeOperations } from './key-exchange-operations.ts';
import type { Operation } from './operation.ts';
import { registrationOperations } from './registration-operations.ts';

/** Everything that is sent to an endpoint; the requests are those of `verify`. */
export const operations: readonly Operation[] = [
  ...keyExchangeOperations,
  ...registrationOperations,
];

const byId = new Map(operations.map((operation) => [operation.id, operation]));

/** The operation of a step; a saved sequence may name one that no longer exists. */
export function findOperation(id: string): Operation | undefined {
  return byId.get(id);
}
