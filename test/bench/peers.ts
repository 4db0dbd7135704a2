import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark } from './benchmark.ts';
import type { Installation } from './installation.ts';
import { cpuTimeOf } from './measure.ts';

/** A load generator that sends requests and judges no response. */
export interface Peer {
  readonly name: string;
  readonly install: string;
  readonly goal?: Benchmark['goal'];
  /** CPU time of one request in milliseconds, over `count` of them. */
  readonly costOf: (installed: Installation, url: string, count: number) => number;
}

export const peers: readonly Peer[] = [
  // A sign-in is two requests and a passcode to decrypt: half would be as fast as autocannon.
  {
    name: 'autocannon',
    install: 'npm install -g autocannon',
    goal: { atLeast: 0.5 },
    costOf: (_, url, count) => autocannonCost(url, count),
  },
  // In C: what the kernel takes, and little else.
  { name: 'wrk', install: 'apt-get install wrk', costOf: wrkCost },
];

const body = JSON.stringify({ client_id: 'bench', secret_key: 's', ptn_token: 'x'.repeat(160) });

/** Time per request of autocannon, its start taken off. */
function autocannonCost(url: string, count: number): number {
  const argv = (amount: number) => [
    ...['autocannon', '-c', '16', '-a', String(amount), '-m', 'POST', '-b', body],
    ...['-H', 'content-type=application/json', `${url}/process/token`],
  ];
  const start = cpuTimeOf({ argv: argv(16) }, 1);
  return (cpuTimeOf({ argv: argv(count) }, 1) - start) / count;
}

/** Time per request of wrk, which gets a duration and prints a number; its start is less than a millisecond. */
function wrkCost(installed: Installation, url: string, count: number): number {
  const script = join(installed.folder, 'post.lua');
  const settings = { method: 'POST', body, 'headers["content-type"]': 'application/json' };
  const lines = Object.entries(settings).map(([name, text]) => `wrk.${name} = [[${text}]]\n`);
  writeFileSync(script, lines.join(''));
  const seconds = Math.ceil(count / 30_000); // about what the application handles in that time
  const said = join(installed.folder, 'wrk.txt');
  const target = `${url}/process/token`;
  const argv = ['wrk', '-t', '1', '-c', '16', '-d', `${seconds}s`, '-s', script, target];
  const ms = cpuTimeOf({ argv: ['sh', '-c', 'exec "$@" >"$0"', said, ...argv] }, 1);
  const [, requests] = /(\d+) requests in/.exec(readFileSync(said, 'utf8')) ?? [];
  return ms / Number(requests);
}
