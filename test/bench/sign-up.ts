import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { Benchmark } from './benchmark.ts';
import type { Installation } from './installation.ts';
import { type Command, compare } from './measure.ts';

/** A whole sign-up at an application on loopback, with the key pair at hand. */
async function signUp(installed: Installation): Promise<Command> {
  const url = await installed.application();
  return installed.authcli([
    'simulate-signup',
    '--url',
    url,
    '--private-key',
    installed.keyPair().privateKey,
  ]);
}

const tools = ['curl', 'openssl', 'jq'];

export const signUps = (hasCache: boolean): readonly Benchmark[] => [
  {
    name: 'simulate-signup',
    against: 'the start of Node',
    goal: { atMost: hasCache ? 4.4 : 6.5 },
    run: async (installed, effort) => compare(await signUp(installed), installed.floor, effort),
  },
  {
    name: 'simulate-signup, by a script',
    against: 'curl, openssl and jq',
    goal: { atMost: 1 },
    run: async (installed, effort) => {
      const missing = tools.filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
      if (missing.length > 0) return { leftOut: `no ${missing.join(', ')}` };
      const { privateKey, publicKey } = installed.keyPair();
      const url = await installed.application();
      const script = ['bash', resolve('test/bench/signup.sh'), url, privateKey, publicKey];
      return compare(await signUp(installed), { argv: script }, effort);
    },
  },
];
