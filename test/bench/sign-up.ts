import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { Benchmark } from './benchmark.ts';
import { type Command, compare } from './measure.ts';
import type { World } from './world.ts';

/** A whole sign-up at an application on loopback, with the key pair at hand. */
async function signUp(world: World): Promise<Command> {
  const url = await world.application();
  return world.authcli([
    'simulate-signup',
    '--url',
    url,
    '--private-key',
    world.keyPair().privateKey,
  ]);
}

const tools = ['curl', 'openssl', 'jq'];

export const signUps: readonly Benchmark[] = [
  {
    name: 'simulate-signup',
    against: 'the start of Node',
    goal: { atMost: 3 },
    run: async (world, effort) => compare(await signUp(world), world.floor, effort),
  },
  {
    name: 'simulate-signup, by a script',
    against: 'curl, openssl and jq',
    goal: { atMost: 1 },
    run: async (world, effort) => {
      const missing = tools.filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
      if (missing.length > 0) return { leftOut: `no ${missing.join(', ')}` };
      const { privateKey, publicKey } = world.keyPair();
      const url = await world.application();
      const script = ['bash', resolve('test/bench/signup.sh'), url, privateKey, publicKey];
      return compare(await signUp(world), { argv: script }, effort);
    },
  },
];
