import { spawnSync } from 'node:child_process';
import type { Installation } from './installation.ts';
import type { Benchmark, Comparison } from './measure.ts';
import { compareValues, cpuTimeOf, once } from './measure.ts';

/** What `load` says of itself. */
interface LoadOutput {
  readonly succeeded: number;
  readonly cpu_ms: number;
  readonly memory_mb: number;
}

/** One load; every sign-up of it has to succeed, or the command fails. */
function load(installed: Installation, words: readonly string[], config?: string): LoadOutput {
  return JSON.parse(installed.output(['load', '--json', ...words], config)) as LoadOutput;
}

/**
 * CPU time of one sign-up or sign-in in milliseconds, all threads together: that of a run, less that of
 * a quarter of it, which has the same start and the same code to compile.
 */
function costOf(count: number, run: (count: number) => LoadOutput): number {
  const few = Math.round(count / 4);
  const before = run(few);
  const whole = run(count);
  return (whole.cpu_ms - before.cpu_ms) / (whole.succeeded - before.succeeded);
}

function signUpWords(url: string, count: number, workers: number): readonly string[] {
  return ['--url', url, '--signups', String(count), '--workers', String(workers)];
}

function signUpCost(installed: Installation, url: string, count: number, threads: number): number {
  return costOf(count, (some) => load(installed, signUpWords(url, some, threads)));
}

/** CPU time of one private RSA operation of 2048 bits in milliseconds, as OpenSSL itself measures it. */
function opensslSpeed(): number | undefined {
  const { stdout } = spawnSync('openssl', ['speed', '-mr', '-seconds', '1', 'rsa2048'], {
    encoding: 'utf8',
  });
  const [, perSecond] = /^\+F2:\d+:2048:([\d.]+):/m.exec(stdout ?? '') ?? [];
  return perSecond === undefined ? undefined : 1000 / Number(perSecond);
}

/** The number of sign-ups or requests in one measurement. */
const sizes = {
  once: { signUps: 400, requests: 1200, rounds: 1, longRun: 200 },
  quick: { signUps: 40_000, requests: 80_000, rounds: 1, longRun: 2000 },
  whole: { signUps: 40_000, requests: 80_000, rounds: 5, longRun: 1_000_000 },
};

/** How many sign-ups `load` makes in the CPU time in which OpenSSL makes one private operation. */
const signUps: Benchmark = {
  name: 'load, sign-ups',
  against: 'openssl speed rsa2048',
  goal: { atLeast: 0.65 },
  run: async (installed, effort) => {
    if (opensslSpeed() === undefined) return { leftOut: 'no openssl' };
    const url = await installed.minimalApplication();
    const { signUps: count, rounds } = sizes[effort.extent];
    return compareValues(rounds, {
      own: () => signUpCost(installed, url, count, 1),
      against: () => opensslSpeed() ?? Number.NaN,
      ratio: (own, against) => against / own,
    });
  },
};

const key = 'q4XyVb0RkfM2sPzL8aWnTd6HjC1uEg9Y';

const request = JSON.stringify({ client_id: 'bench', secret_key: 's', ptn_token: 'x'.repeat(160) });

/** CPU time of one request of autocannon in milliseconds, its start taken off. */
function autocannonCost(url: string, count: number): number {
  const argv = (amount: number) => [
    ...['autocannon', '-c', '16', '-a', String(amount), '-m', 'POST', '-b', request],
    ...['-H', 'content-type=application/json', `${url}/process/token`],
  ];
  const start = cpuTimeOf({ argv: argv(16) }, 1);
  return (cpuTimeOf({ argv: argv(count) }, 1) - start) / count;
}

/** A sign-in is two requests and a passcode to decrypt: half would be as fast as autocannon, which judges nothing. */
const signIns: Benchmark = {
  name: 'load, sign-ins',
  against: 'requests of autocannon',
  goal: { atLeast: 0.5 },
  run: async (installed, effort) => {
    if (spawnSync('autocannon', ['--version']).error !== undefined) {
      return { leftOut: 'no autocannon (npm install -g autocannon)' };
    }
    const { requests, rounds } = sizes[effort.extent];
    installed.knowUsers('sign-ins', 1, key);
    const passcode = installed.output(['encrypt', 'passcode-0', '--key', key]);
    const url = await installed.minimalApplication(passcode);
    const words = ['--scenario', 'signin', '--auth-url', url, '--secret-key', 's'];
    const signIn = (some: number) =>
      load(installed, [...words, '--workers', '1', '--signups', String(some)], 'sign-ins');
    return compareValues(rounds, {
      own: () => costOf(requests / 2, signIn),
      against: () => autocannonCost(url, requests),
      ratio: (own, against) => against / own,
    });
  },
};

/**
 * What two threads do in the time in which one does one: 2 would be without any loss. It is worked out
 * of CPU time, since on two cores the application takes one of them.
 */
const workers: Benchmark = {
  name: 'load, two workers for one',
  against: 'one worker',
  goal: { atLeast: 1.8 },
  run: async (installed, effort) => {
    const { signUps: count, rounds } = sizes[effort.extent];
    const url = await installed.minimalApplication();
    return compareValues(rounds, {
      own: () => signUpCost(installed, url, count, 2),
      against: () => signUpCost(installed, url, count, 1),
      ratio: (own, against) => (2 * against) / own,
    });
  },
};

const mostMegabytes = 200;

/** Peak memory of a long run: it doesn't grow with the number of sign-ups. */
const memory: Benchmark = {
  name: 'load, memory of a long run',
  against: '200 MB',
  goal: { atMost: 1 },
  run: async (installed, effort): Promise<Comparison> => {
    const url = await installed.minimalApplication();
    const { longRun } = sizes[effort.extent];
    const { memory_mb: peak } = load(installed, signUpWords(url, longRun, 1));
    return once(peak / mostMegabytes, `${Math.round(peak)} MB for ${longRun} sign-ups`);
  },
};

/** What `load` promises. */
export const loads: readonly Benchmark[] = [signUps, signIns, workers, memory];
