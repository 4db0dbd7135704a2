import { setImmediate } from 'node:timers/promises';
import type { RunResult } from '../../src/conformance/result.ts';
import type { Cipher } from '../../src/crypto/cipher.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { byExplore } from '../../src/emulator/faults/points.ts';
import { tlsFaults } from '../../src/emulator/faults/tls.ts';
import { applicationFaults, serviceFaults } from '../../src/emulator/faults.ts';
import type { EmulatorRequest, EmulatorResponse } from '../../src/emulator/http.ts';
import { signinProgram } from '../support/signin-program.ts';
import { wrongPrograms } from '../support/signin-wrong-programs.ts';
import { verifyPlain, verifyUntrusted } from './off-loopback.ts';
import { verifyOverTls } from './over-tls.ts';
import { otherWrongServices, verifyService } from './service-support.ts';
import { verifySignin } from './signin-support.ts';
import { applicationAt, countingClock, verify } from './support.ts';

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

/** The checks that expect the service to refuse something. */
const refusing = [
  'service/rejects-wrong-secret',
  'service/secret-in-body-only',
  'service/rejects-unknown-ptn-token',
  'service/rejects-foreign-ptn-token',
  'service/rejects-unknown-acs-token',
  'service/rejects-used-acs-token',
  'service/exact-credentials',
  'service/exact-tokens',
  'service/exact-form',
  'service/rejects-expired-acs-token',
];

/** The same for faults of the service. */
const knockOnService: Readonly<Record<string, readonly string[]>> = {
  'ptn-cd-empty': ['service/names-user'],
  'ptn-cd-zero': ['service/names-user'],
  // Who takes any secret takes a near one as well; so with tokens.
  'accepts-wrong-secret': ['service/exact-credentials', 'service/exact-form'],
  'accepts-wrong-secret-at-authenticate': ['service/exact-credentials', 'service/exact-form'],
  'accepts-any-ptn-token': [
    'service/rejects-foreign-ptn-token',
    'service/exact-tokens',
    'service/exact-form',
  ],
  'accepts-any-acs-token': ['service/exact-tokens', 'service/exact-form'],
  // The response to everything has code "0000".
  'token-status-503': [
    'service/rejects-unknown-ptn-token',
    'service/rejects-foreign-ptn-token',
    'service/http-status',
  ],
  'authenticate-status-503': [
    ...refusing.filter((check) => !/-ptn-token$/.test(check)),
    'service/http-status',
  ],
  // What is not encrypted is shown.
  ...Object.fromEntries(
    ['plain', 'base64', 'in-message'].map((how) => [
      `ptn-sp-${how}`,
      ['service/secrets-not-shown'],
    ]),
  ),
  ...Object.fromEntries(
    ['reset', 'closed', 'truncated', 'silent'].map((how) => [
      `refusals-${how}`,
      refusing.filter((check) => check !== 'service/rejects-wrong-secret'),
    ]),
  ),
  ...Object.fromEntries(
    [302, 303, 307, 308].map((status) => [
      `authenticate-redirect-${status}`,
      ['service/http-status'],
    ]),
  ),
};

/** These hash the milliseconds, which must be those of the run: a busy machine takes more of its own. */
const keysOfTime = new Set(['key-hash-of-time', 'key-from-code-and-time']);

/** An application with a fault; `now` is the clock of the run. */
function applicationOf(name: string, cipher: Cipher, now: () => number) {
  const make = (clock: () => number) => applicationAt(clock, cipher, name);
  if (name === 'mixes-up-concurrent-users') return overlapping(make);
  return make(keysOfTime.has(name) ? now : Date.now);
}

/**
 * Requests that are sent together overlap here on a busy machine too: time stands still while any is handled, and a late
 * response waits until the event loop has met the others.
 */
function overlapping(make: (now: () => number) => ReturnType<typeof applicationAt>) {
  let [time, underWay] = [Date.now(), 0];
  const handle = make(() => time);
  return async (request: EmulatorRequest): Promise<EmulatorResponse> => {
    underWay += 1;
    const { delivery, ...response } = await handle(request);
    for (let turn = 0; delivery?.delayMs && turn < 500; turn += 1) await setImmediate();
    underWay -= 1;
    if (underWay === 0) time += 1000;
    return response;
  };
}

/** What shortens a run against a fault; `time` is the check of response times. */
const shortened = (name: string, time: string) => {
  if (name === 'slow') return { check: [time], now: Date.now };
  return name.endsWith('silent') ? { timeoutMs: 1000 } : {};
};

/** The ciphers under which a fault acts, where the default is not one of them. */
const ciphers: Readonly<Record<string, string>> = {
  'first-block-as-iv': 'aes-256-cbc?iv=zero',
  'narrow-counter': 'aes-256-ctr',
  'ignores-tag': 'aes-256-gcm',
  'ptn-sp-tag-damaged': 'aes-256-gcm',
};

/** Without those that `explore` must find: its tests are at test/explore. */
export const applicationMutants: readonly Mutant[] = applicationFaults
  .filter(({ check }) => check !== byExplore)
  .map(({ name, check, diagnosis }) => ({
    name,
    check,
    diagnosis,
    knockOn: knockOn[name] ?? [],
    verify: (selection) => {
      const cipher = parseCipher(ciphers[name] ?? 'default');
      const now = countingClock();
      return verify(applicationOf(name, cipher, now), {
        ...selection,
        cipher,
        now,
        ...shortened(name, 'protocol/response-time'),
      });
    },
  }));

/** Addresses that aren't safe: the application itself is right. */
export const addressMutants: readonly Mutant[] = [
  { name: 'plain-http', check: 'protocol/tls', knockOn: [], verify: verifyPlain },
  ...tlsFaults('application').map(({ name, check, diagnosis }) => ({
    name,
    check,
    diagnosis,
    knockOn: [],
    verify: () => verifyOverTls(name),
  })),
  {
    name: 'untrusted-chain',
    check: 'protocol/tls',
    diagnosis: 'tls-untrusted',
    knockOn: [],
    verify: verifyUntrusted,
  },
];

export const signinMutants: readonly Mutant[] = wrongPrograms.map(
  ({ name, check, diagnosis, knockOn: others = [] }) => ({
    name,
    check,
    diagnosis,
    knockOn: others,
    verify: (selection) => verifySignin(signinProgram(name), selection),
  }),
);

export const serviceMutants: readonly Mutant[] = [
  ...serviceFaults
    .filter(({ check }) => check !== byExplore)
    .map(({ name, check, diagnosis }) => ({
      name,
      check,
      diagnosis,
      knockOn: knockOnService[name] ?? [],
      verify: (selection: Parameters<Mutant['verify']>[0]) =>
        verifyService([name], {
          ...selection,
          ...shortened(name, 'service/response-time'),
          cipher: parseCipher(ciphers[name] ?? 'default'),
        }),
    })),
  ...otherWrongServices.map(({ changes, ...mutant }) => ({
    ...mutant,
    knockOn: [],
    verify: (selection: Parameters<Mutant['verify']>[0]) =>
      verifyService([], { ...selection, ...changes }),
  })),
];

export const mutants: readonly Mutant[] = [
  ...applicationMutants,
  ...addressMutants,
  ...signinMutants,
  ...serviceMutants,
];

/** The ids of the checks that failed. */
export function failedChecks({ checks }: RunResult): readonly string[] {
  return checks.filter(({ fault }) => fault !== undefined).map(({ check }) => check.id);
}

/** What a run found: the check that the mutant names, if it failed. */
export function findingOf({ check }: Mutant, { checks }: RunResult) {
  return checks.find((result) => result.check.id === check && result.fault !== undefined);
}
