import { spawnSync } from 'node:child_process';
import type { Benchmark, Comparison, Effort } from './benchmark.ts';
import { compareValues, cpuTimeOf } from './measure.ts';
import type { World } from './world.ts';

/** What `load` says of itself. */
interface LoadOutput {
  readonly succeeded: number;
  readonly cpu_ms: number;
  readonly memory_mb: number;
}

/** One load; every sign-up of it has to succeed, or the command fails. */
function load(world: World, words: readonly string[], config?: string): LoadOutput {
  return JSON.parse(world.output(['load', '--json', ...words], config)) as LoadOutput;
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
  const words = ['--url', url, '--signups', String(count), '--workers', String(workers)];
  return [...words, '--key-pairs', '1'];
}

function signUpCost(world: World, url: string, count: number, threads: number): number {
  return costOf(count, (some) => load(world, signUpWords(url, some, threads)));
}

/** CPU time of one private RSA operation of 2048 bits in milliseconds, as OpenSSL itself measures it. */
function opensslSpeed(): number | undefined {
  const { stdout } = spawnSync('openssl', ['speed', '-mr', '-seconds', '1', 'rsa2048'], {
    encoding: 'utf8',
  });
  const [, perSecond] = /^\+F2:\d+:2048:([\d.]+):/m.exec(stdout ?? '') ?? [];
  return perSecond === undefined ? undefined : 1000 / Number(perSecond);
}

/** Time per request of autocannon, its start taken off. */
function autocannonCost(url: string, count: number): number {
  const body = JSON.stringify({ client_id: 'bench', secret_key: 's', ptn_token: 'x'.repeat(160) });
  const argv = (amount: number) => [
    ...['autocannon', '-c', '16', '-a', String(amount), '-m', 'POST', '-b', body],
    ...['-H', 'content-type=application/json', `${url}/process/token`],
  ];
  const start = cpuTimeOf({ argv: argv(16) }, 1);
  return (cpuTimeOf({ argv: argv(count) }, 1) - start) / count;
}

/** So many sign-ups or requests in one measurement. */
function sizes({ rounds }: Effort) {
  const isQuick = rounds <= 5;
  return isQuick
    ? { isQuick, signUps: 8000, requests: 24_000, rounds: 1, longRun: 2000 }
    : { isQuick, signUps: 40_000, requests: 80_000, rounds: 5, longRun: 1_000_000 };
}

/** How many sign-ups `load` makes in the CPU time in which OpenSSL makes one private operation. */
function signUps(goal: number): Benchmark {
  return {
    name: 'load, sign-ups',
    against: 'openssl speed rsa2048',
    goal: { atLeast: goal },
    run: async (world, effort) => {
      if (opensslSpeed() === undefined) return { leftOut: 'no openssl' };
      const url = await world.leanApplication();
      const { signUps: count, rounds } = sizes(effort);
      return compareValues(rounds, {
        own: () => signUpCost(world, url, count, 1),
        against: () => opensslSpeed() ?? Number.NaN,
        ratio: (own, against) => against / own,
      });
    },
  };
}

const key = 'q4XyVb0RkfM2sPzL8aWnTd6HjC1uEg9Y';

/** A sign-in is two requests and a passcode to decrypt: half of autocannon's requests would be as fast as it. */
const signIns: Benchmark = {
  name: 'load, sign-ins',
  against: 'requests of autocannon',
  goal: { atLeast: 0.5 },
  run: async (world, effort) => {
    if (spawnSync('autocannon', ['--version']).error !== undefined) {
      return { leftOut: 'no autocannon (npm install -g autocannon)' };
    }
    const { requests, rounds } = sizes(effort);
    world.knowUsers('sign-ins', 1, key);
    const passcode = world.output(['encrypt', 'passcode-0', '--key', key]);
    const url = await world.leanApplication(passcode);
    const target = [
      '--scenario',
      'signin',
      '--auth-url',
      url,
      '--secret-key',
      's',
      '--workers',
      '1',
    ];
    return compareValues(rounds, {
      own: () =>
        costOf(requests / 2, (some) =>
          load(world, [...target, '--signups', String(some)], 'sign-ins'),
        ),
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
  run: async (world, effort) => {
    const { isQuick, signUps: count, rounds } = sizes(effort);
    if (isQuick) return { leftOut: 'takes longer: not with --quick' };
    const url = await world.leanApplication();
    return compareValues(rounds, {
      own: () => signUpCost(world, url, count, 2),
      against: () => signUpCost(world, url, count, 1),
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
  run: async (world, effort): Promise<Comparison> => {
    const url = await world.leanApplication();
    const { longRun } = sizes(effort);
    const { memory_mb: peak } = load(world, signUpWords(url, longRun, 1));
    const ratio = peak / mostMegabytes;
    const cost = `${Math.round(peak)} MB for ${longRun} sign-ups`;
    return { ratio, spread: [ratio, ratio], ms: 0, againstMs: 0, cost };
  },
};

/** What `load` promises; the share of RSA is less where Node's OpenSSL is slower beside the system's. */
export function loads(nodeMajor: number): readonly Benchmark[] {
  return [signUps(nodeMajor >= 24 ? 0.72 : 0.8), signIns, workers, memory];
}
