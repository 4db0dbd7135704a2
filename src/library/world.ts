import { randomBytes } from 'node:crypto';
import type { Environment } from '../emulator/handling.ts';

/** The clock and randomness of the library: with those of main.ts the only real ones. */
export const world: Environment = {
  /** Milliseconds since the epoch, with fractions: durations are its differences. */
  now: () => performance.timeOrigin + performance.now(),
  randomBytes,
};
