import { setImmediate } from 'node:timers/promises';
import type { RunResult } from '../../src/conformance/result.ts';
import { type Cipher, parseCipher } from '../../src/crypto/cipher.ts';
import { byExplore } from '../../src/emulator/faults/points.ts';
import { applicationFaults } from '../../src/emulator/faults.ts';
import type { EmulatorRequest, EmulatorResponse } from '../../src/emulator/http.ts';
import { wrongPrograms } from '../support/signin-mistakes.ts';
import { signinProgram } from '../support/signin-program.ts';

import { verifySignin } from './signin-support.ts';
import { applicationOf as configured, countingClock, verify } from './support.ts';
import { verifyPlain } from './tls.ts';

/** A mistake, and what a run against it must find. */
export interface Mutant {
  readonly name: string;
  /** The check that must fail. */
  readonly check: string;
  /** Absent where the check says everything. */
  readonly diagnosis?: string;
  /** The other checks that can't pass either. */
  readonly knockOn: readonly string[];
  /** Runs every check, or the given ones with what they need. */
  readonly verify: (selection?: { readonly check: readonly string[] }) => Promise<RunResult>;
}

/** What a fault of the application breaks beside the check that it names. */
const knockOn: Readonly<Record<string, readonly string[]>> = {
  // The wrapped key is the plain key, which must not be in any response.
  'plain-key': ['key-exchange/plain-key-absent'],
  'base64-of-plain-key': ['key-exchange/plain-key-absent'],
  // One key throughout is also the same for all users, and again for the same user.
  'key-constant': ['key-exchange/key-per-user', 'key-exchange/new-key-each-time'],
  'one-key-for-all': ['key-exchange/new-key-each-time'],
  'key-from-user-code': ['key-exchange/new-key-each-time'],
  'key-padded-user-code': ['key-exchange/new-key-each-time'],
  // A registration is refused with and without ubifill.
  'registration-code-1': ['registration/without-user-info'],
  'forgets-users': ['registration/without-user-info'],
  // client_id is one of the fields whose absence is accepted.
  'accepts-missing-field': ['key-exchange/rejects-foreign-client'],
};

/** These take the milliseconds, which must be those of the run: two requests in one have the same key. */
const keysOfTime = new Set(['key-from-time', 'key-hash-of-time', 'key-from-code-and-time']);

/** An application with a fault; `now` is the clock of the run. */
function applicationOf(name: string, cipher: Cipher, now: () => number) {
  const make = (clock?: () => number) => configured({ now: clock, cipher, faults: [name] });
  if (name === 'mixes-up-concurrent-users') return overlapping(make);
  return make(keysOfTime.has(name) ? now : Date.now);
}

/**
 * Requests that are sent together overlap here on a busy machine too: time stands still while any is handled, and a late
 * response waits until the event loop has met the others.
 */
function overlapping(make: (now: () => number) => ReturnType<typeof configured>) {
  let [time, underWay] = [Date.now(), 0];
  const handle = make(() => time);
  return async (request: EmulatorRequest): Promise<EmulatorResponse> => {
    underWay += 1;
    const { delivery, ...response } = await handle(request);
    const longest = Date.now() + 2000;
    for (let turn = 0; delivery?.delayMs && turn < 500 && Date.now() < longest; turn += 1)
      await setImmediate();
    underWay -= 1;
    if (underWay === 0) time += 1000;
    return response;
  };
}

/** What shortens a run against a fault. */
const shortened = (name: string) => {
  if (name === 'slow') return { check: ['protocol/response-time'], now: Date.now };
  return name.endsWith('silent') ? { timeoutMs: 1000 } : {};
};

/** The ciphers under which a fault acts, where the default is not one of them. */
const ciphers: Readonly<Record<string, string>> = {
  'first-block-as-iv': 'aes-256-cbc?iv=zero',
  'narrow-counter': 'aes-256-ctr',
  'ignores-tag': 'aes-256-gcm',
};

/** Without those that `explore` must find: its tests are at test/explore. */
const applicationMutants: readonly Mutant[] = applicationFaults
  .filter(({ check }) => check !== byExplore)
  .map(({ name, check, diagnosis }) => ({
    name,
    check,
    diagnosis,
    knockOn: knockOn[name] ?? [],
    verify: (selection) => {
      const cipher = parseCipher(ciphers[name] ?? 'default');
      const now = countingClock();
      const changes = { ...selection, cipher, now, ...shortened(name) };
      return verify(applicationOf(name, cipher, now), changes);
    },
  }));

/** An address that isn't safe: the application itself is right. Faults of TLS are at test/cli/tls.ci.test.ts. */
const addressMutants: readonly Mutant[] = [
  { name: 'plain-http', check: 'protocol/tls', knockOn: [], verify: verifyPlain },
];

const signinMutants: readonly Mutant[] = wrongPrograms.map(
  ({ name, check, diagnosis, knockOn: others = [] }) => ({
    name,
    check,
    diagnosis,
    knockOn: others,
    verify: (selection) => {
      const options = name === 'waits-forever' ? { ...selection, patienceMs: 6000 } : selection;
      return verifySignin(signinProgram(name), options);
    },
  }),
);

export const mutants: readonly Mutant[] = [
  ...applicationMutants,
  ...addressMutants,
  ...signinMutants,
];

/** The ids of the checks that failed. */
export function failedChecks({ checks }: RunResult): readonly string[] {
  return checks.filter(({ fault }) => fault !== undefined).map(({ check }) => check.id);
}

/** What a run found: the check that the mutant names, if it failed. */
export function findingOf({ check }: Mutant, { checks }: RunResult) {
  return checks.find((result) => result.check.id === check && result.fault !== undefined);
}
