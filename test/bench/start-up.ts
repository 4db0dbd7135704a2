import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands } from '../../src/cli/commands/index.ts';
import type { Benchmark } from './benchmark.ts';
import { type Command, compare } from './measure.ts';
import type { World } from './world.ts';

const against = 'the start of Node';

function startUp(name: string, atMost: number, command: (world: World) => Command): Benchmark {
  return {
    name,
    against,
    goal: { atMost },
    run: async (world, effort) => compare(command(world), world.floor, effort),
  };
}

const helpOfAll: Benchmark = {
  name: 'COMMAND --help, every command',
  against,
  goal: { atMost: 1.05 },
  run: async (world, { rounds }) => {
    const all = commands.map(({ path }) => world.authcli([...path.split(' '), '--help']));
    const floor = all.map(() => world.floor);
    return compare(all, floor, { rounds: Math.ceil(rounds / 5), runs: 1 });
  },
};

/** What a start costs, as a multiple of `node -e 0`. */
export const startUps: readonly Benchmark[] = [
  startUp('--version', 1.05, (world) => world.authcli(['--version'])),
  startUp('--help', 1.05, (world) => world.authcli(['--help'])),
  helpOfAll,
  startUp('key generate', 1.5, (world) => world.authcli(['key', 'generate'])),
  startUp('a press of Tab', 2, (world) =>
    world.authcli(['__complete', 'fish', '--', 'verify', '--check', 'key']),
  ),
  startUp('key unwrap', 1.7, (world) => {
    const { privateKey, publicKey } = world.keyPair();
    const wrapped = world.output(['key', 'wrap', '--public-key', `@${publicKey}`, perUserKey]);
    return world.authcli(['key', 'unwrap', wrapped, '--private-key', privateKey]);
  }),
  startUp('decrypt', 1.7, (world) => {
    const key = join(world.folder, 'per-user-key');
    writeFileSync(key, perUserKey, { mode: 0o600 });
    const payload = world.output(['encrypt', 'passcode', '--key', `file:${key}`]);
    return world.authcli(['decrypt', payload, '--key', `file:${key}`]);
  }),
];

const perUserKey = 'q4XyVb0RkfM2sPzL8aWnTd6HjC1uEg9Y';
