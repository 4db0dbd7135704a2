import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { commands } from '../../src/cli/commands/index.ts';
import type { Installation } from './installation.ts';
import { type Benchmark, type Command, compare } from './measure.ts';

const perUserKey = 'q4XyVb0RkfM2sPzL8aWnTd6HjC1uEg9Y';

/** The cost of a command, as a multiple of `node -e 0`. */
function timesNode(
  name: string,
  atMost: number,
  command: (installed: Installation) => Command | Promise<Command>,
): Benchmark {
  return {
    name,
    against: 'the start of Node',
    goal: { atMost },
    run: async (installed, effort) =>
      compare([await command(installed)], [installed.floor], effort),
  };
}

const helpOfAll: Benchmark = {
  ...timesNode('COMMAND --help, every command', 1.1, (installed) => installed.floor),
  run: async (installed, { rounds }) => {
    const all = commands.map(({ path }) => installed.authcli([...path.split(' '), '--help']));
    const floor = all.map(() => installed.floor);
    return compare(all, floor, { rounds: Math.ceil(rounds / 5), runs: 1 });
  },
};

/** A whole sign-up at an application on loopback, with the key pair at hand. */
async function signUp(installed: Installation): Promise<Command> {
  const key = ['--private-key', installed.keyPair().privateKey];
  return installed.authcli(['simulate-signup', '--url', await installed.application(), ...key]);
}

const tools = ['curl', 'openssl', 'jq'];

const byScript: Benchmark = {
  name: 'simulate-signup, by a script',
  against: 'curl, openssl and jq',
  goal: { atMost: 1 },
  run: async (installed, effort) => {
    const missing = tools.filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
    if (missing.length > 0) return { leftOut: `no ${missing.join(', ')}` };
    const { privateKey, publicKey } = installed.keyPair();
    const url = await installed.application();
    const script = ['bash', resolve('test/bench/signup.sh'), url, privateKey, publicKey];
    return compare([await signUp(installed)], [{ argv: script }], effort);
  },
};

/** Single commands; Node has a cache of compiled code from 22.1 on. */
export const startUps = (hasCache: boolean): readonly Benchmark[] => [
  timesNode('--version', 1.05, (installed) => installed.authcli(['--version'])),
  timesNode('--help', 1.05, (installed) => installed.authcli(['--help'])),
  helpOfAll,
  timesNode('key generate', hasCache ? 2.2 : 2.9, (installed) =>
    installed.authcli(['key', 'generate']),
  ),
  timesNode('completion', 2.2, (installed) =>
    installed.authcli(['__complete', 'fish', 'verify', '--check', 'key']),
  ),
  timesNode('key unwrap', hasCache ? 2.5 : 3.3, (installed) => {
    const { privateKey, publicKey } = installed.keyPair();
    const wrapped = installed.output(['key', 'wrap', '--public-key', `@${publicKey}`, perUserKey]);
    return installed.authcli(['key', 'unwrap', wrapped, '--private-key', privateKey]);
  }),
  timesNode('decrypt', hasCache ? 2.5 : 3.3, (installed) => {
    const key = join(installed.folder, 'per-user-key');
    writeFileSync(key, perUserKey, { mode: 0o600 });
    const payload = installed.output(['encrypt', 'passcode', '--key', `file:${key}`]);
    return installed.authcli(['decrypt', payload, '--key', `file:${key}`]);
  }),
  timesNode('simulate-signup', hasCache ? 4.4 : 6.5, signUp),
  byScript,
];

/** The cost of a command must not grow with the users that are known. */
function withMany(
  name: string,
  command: (installed: Installation, config: string) => Promise<Command>,
): Benchmark {
  return {
    name: `${name}, many users known`,
    against: 'the same with 10',
    goal: { atMost: 1.5 },
    run: async (installed, effort) => {
      // Made once, since many take long to import.
      if (!existsSync(installed.configFile('many'))) {
        installed.knowUsers('few', 10);
        installed.knowUsers('many', effort.manyUsers);
      }
      const [many, few] = [await command(installed, 'many'), await command(installed, 'few')];
      return compare([many], [few], effort);
    },
  };
}

const client = ['--client-id', 'bench', '--secret-key', 'bench-secret'] as const;

export const manyUsers: readonly Benchmark[] = [
  withMany('simulate-signup', async (installed, config) => {
    const url = await installed.application();
    return installed.authcli(['simulate-signup', '--url', url, '--ptn-cd', 'user-3'], config);
  }),
  withMany('signin', async (installed, config) => {
    const url = await installed.emulate('service', config, client);
    const token = installed.output(['issue-ptn-token', '--ptn-cd', 'user-7', ...client], config);
    const argv = ['signin', '--ptn-token', token, '--auth-url', url, ...client];
    return installed.authcli(argv, config);
  }),
];
