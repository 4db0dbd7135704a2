import assert from 'node:assert/strict';
import { AuthcliError } from '../../src/errors.ts';

/** The error of authcli with which a call ends. */
export function refusalOf(call: () => unknown): AuthcliError {
  try {
    call();
  } catch (error) {
    if (error instanceof AuthcliError) return error;
    throw error;
  }
  return assert.fail('nothing was refused');
}
