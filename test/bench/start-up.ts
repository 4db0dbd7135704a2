import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands } from '../../src/cli/commands/index.ts';
import type { Benchmark } from './benchmark.ts';
import type { Installation } from './installation.ts';
import { type Command, compare } from './measure.ts';

const against = 'the start of Node';

function startUp(
  name: string,
  atMost: number,
  command: (installed: Installation) => Command,
): Benchmark {
  return {
    name,
    against,
    goal: { atMost },
    run: async (installed, effort) => compare(command(installed), installed.floor, effort),
  };
}

const helpOfAll: Benchmark = {
  name: 'COMMAND --help, every command',
  against,
  goal: { atMost: 1.1 },
  run: async (installed, { rounds }) => {
    const all = commands.map(({ path }) => installed.authcli([...path.split(' '), '--help']));
    const floor = all.map(() => installed.floor);
    return compare(all, floor, { rounds: Math.ceil(rounds / 5), runs: 1 });
  },
};

/** What a start costs, as a multiple of `node -e 0`; Node has a cache of compiled code from 22.1 on. */
export const startUps = (hasCache: boolean): readonly Benchmark[] => [
  startUp('--version', 1.05, (installed) => installed.authcli(['--version'])),
  startUp('--help', 1.05, (installed) => installed.authcli(['--help'])),
  helpOfAll,
  startUp('key generate', hasCache ? 2.2 : 2.9, (installed) =>
    installed.authcli(['key', 'generate']),
  ),
  startUp('completion', 2.2, (installed) =>
    installed.authcli(['__complete', 'fish', 'verify', '--check', 'key']),
  ),
  startUp('key unwrap', hasCache ? 2.5 : 3.3, (installed) => {
    const { privateKey, publicKey } = installed.keyPair();
    const wrapped = installed.output(['key', 'wrap', '--public-key', `@${publicKey}`, perUserKey]);
    return installed.authcli(['key', 'unwrap', wrapped, '--private-key', privateKey]);
  }),
  startUp('decrypt', hasCache ? 2.5 : 3.3, (installed) => {
    const key = join(installed.folder, 'per-user-key');
    writeFileSync(key, perUserKey, { mode: 0o600 });
    const payload = installed.output(['encrypt', 'passcode', '--key', `file:${key}`]);
    return installed.authcli(['decrypt', payload, '--key', `file:${key}`]);
  }),
];

const perUserKey = 'q4XyVb0RkfM2sPzL8aWnTd6HjC1uEg9Y';
