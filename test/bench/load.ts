import { spawnSync } from 'node:child_process';
import type { Installation } from './installation.ts';
import { type Benchmark, compareCosts, costOfOne, cpuTimeOf, once, speedRatio } from './measure.ts';

/** One load, as it says of itself; every sign-up of it has to succeed, or the command fails. */
function load(installed: Installation, words: readonly string[], config?: string) {
  const output = installed.output(['load', '--json', ...words], config);
  return JSON.parse(output) as { readonly cpu_ms: number; readonly memory_mb: number };
}

function signUpWords(url: string, count: number, workers = 1): readonly string[] {
  return ['--url', url, '--signups', String(count), '--workers', String(workers)];
}

/** CPU time of one sign-up in milliseconds, all threads together. */
function signUpCost(installed: Installation, url: string, count: number, threads: number): number {
  return costOfOne(count, (some) => load(installed, signUpWords(url, some, threads)).cpu_ms);
}

/** CPU time of one private RSA operation of 2048 bits in milliseconds, as OpenSSL itself measures it. */
function opensslSpeed(): number {
  const argv = ['speed', '-mr', '-seconds', '1', 'rsa2048'];
  const { stdout } = spawnSync('openssl', argv, { encoding: 'utf8' });
  const [, perSecond] = /^\+F2:\d+:2048:([\d.]+):/m.exec(stdout ?? '') ?? [];
  return 1000 / Number(perSecond);
}

/** How many sign-ups `load` makes in the CPU time in which OpenSSL makes one private operation. */
const signUps: Benchmark = {
  name: 'load, sign-ups',
  against: 'openssl speed rsa2048',
  goal: { atLeast: 0.65 },
  run: async (installed, { signUps: count, longRounds }) => {
    if (Number.isNaN(opensslSpeed())) return { leftOut: 'no openssl' };
    const url = await installed.minimalApplication();
    const own = () => signUpCost(installed, url, count, 1);
    return compareCosts(longRounds, own, opensslSpeed, speedRatio);
  },
};

const key = 'q4XyVb0RkfM2sPzL8aWnTd6HjC1uEg9Y';
const request = JSON.stringify({ client_id: 'bench', secret_key: 's', ptn_token: 'x'.repeat(160) });

/** CPU time of one request of autocannon in milliseconds. */
function autocannonCost(url: string, count: number): number {
  return costOfOne(count, (amount) => {
    const sent = ['-m', 'POST', '-b', request, '-H', 'content-type=application/json'];
    const argv = ['autocannon', '-c', '16', '-a', String(amount), ...sent, `${url}/process/token`];
    return cpuTimeOf({ argv });
  });
}

/** A sign-in is two requests and a passcode to decrypt: half would be as fast as autocannon, which judges nothing. */
const signIns: Benchmark = {
  name: 'load, sign-ins',
  against: 'requests of autocannon',
  goal: { atLeast: 0.5 },
  run: async (installed, { signUps: count, longRounds }) => {
    if (spawnSync('autocannon', ['--version']).error !== undefined)
      return { leftOut: 'no autocannon (npm install -g autocannon)' };
    installed.knowUsers('sign-ins', 1, key);
    const url = await installed.minimalApplication(
      installed.output(['encrypt', 'passcode-0', '--key', key]),
    );
    const words = [
      '--scenario',
      'signin',
      '--auth-url',
      url,
      '--secret-key',
      's',
      '--workers',
      '1',
    ];
    const signIn = (some: number) =>
      load(installed, [...words, '--signups', String(some)], 'sign-ins').cpu_ms;
    const own = () => costOfOne(count, signIn);
    return compareCosts(longRounds, own, () => autocannonCost(url, count * 2), speedRatio);
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
  run: async (installed, { signUps: count, longRounds }) => {
    const url = await installed.minimalApplication();
    const costOf = (threads: number) => () => signUpCost(installed, url, count, threads);
    return compareCosts(longRounds, costOf(2), costOf(1), (own, against) => (2 * against) / own);
  },
};

const mostMegabytes = 200;

/** Peak memory of a long run: it doesn't grow with the number of sign-ups. */
const memory: Benchmark = {
  name: 'load, memory of a long run',
  against: '200 MB',
  goal: { atMost: 1 },
  run: async (installed, { longLoad }) => {
    const url = await installed.minimalApplication();
    const { memory_mb: peak } = load(installed, signUpWords(url, longLoad));
    return once(peak / mostMegabytes, `${Math.round(peak)} MB for ${longLoad} sign-ups`);
  },
};

/** What `load` promises. */
export const loads: readonly Benchmark[] = [signUps, signIns, workers, memory];
