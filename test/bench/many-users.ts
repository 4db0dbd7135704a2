import { existsSync } from 'node:fs';
import type { Benchmark } from './benchmark.ts';
import { type Command, compare } from './measure.ts';
import type { World } from './world.ts';

/** The config files that know few users and many; made once, since many take long to import. */
function configs(world: World, many: number): { readonly few: string; readonly many: string } {
  const names = { few: 'few', many: 'many' };
  if (existsSync(world.configFile(names.many))) return names;
  world.knowUsers(names.few, 10);
  world.knowUsers(names.many, many);
  return names;
}

function withMany(
  name: string,
  command: (world: World, config: string) => Promise<Command>,
): Benchmark {
  return {
    name: `${name}, many users known`,
    against: 'the same with 10',
    goal: { atMost: 1.5 },
    run: async (world, effort) => {
      const { few, many } = configs(world, effort.manyUsers);
      return compare(await command(world, many), await command(world, few), effort);
    },
  };
}

const client = ['--client-id', 'bench', '--secret-key', 'bench-secret'] as const;

/** The cost of a command must not grow with the users that are known. */
export const manyUsers: readonly Benchmark[] = [
  withMany('simulate-signup', async (world, config) => {
    const url = await world.application();
    return world.authcli(['simulate-signup', '--url', url, '--ptn-cd', 'user-3'], config);
  }),
  withMany('signin', async (world, config) => {
    const url = await world.emulate('service', config, client);
    const token = world.output(['issue-ptn-token', '--ptn-cd', 'user-7', ...client], config);
    return world.authcli(['signin', '--ptn-token', token, '--auth-url', url, ...client], config);
  }),
];
