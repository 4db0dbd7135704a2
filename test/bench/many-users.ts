import { existsSync } from 'node:fs';
import type { Benchmark } from './benchmark.ts';
import type { Installation } from './installation.ts';
import { type Command, compare } from './measure.ts';

/** The config files that know few users and many; made once, since many take long to import. */
function configs(
  installed: Installation,
  many: number,
): { readonly few: string; readonly many: string } {
  const names = { few: 'few', many: 'many' };
  if (existsSync(installed.configFile(names.many))) return names;
  installed.knowUsers(names.few, 10);
  installed.knowUsers(names.many, many);
  return names;
}

function withMany(
  name: string,
  command: (installed: Installation, config: string) => Promise<Command>,
): Benchmark {
  return {
    name: `${name}, many users known`,
    against: 'the same with 10',
    goal: { atMost: 1.5 },
    run: async (installed, effort) => {
      const { few, many } = configs(installed, effort.manyUsers);
      return compare(await command(installed, many), await command(installed, few), effort);
    },
  };
}

const client = ['--client-id', 'bench', '--secret-key', 'bench-secret'] as const;

/** The cost of a command must not grow with the users that are known. */
export const manyUsers: readonly Benchmark[] = [
  withMany('simulate-signup', async (installed, config) => {
    const url = await installed.application();
    return installed.authcli(['simulate-signup', '--url', url, '--ptn-cd', 'user-3'], config);
  }),
  withMany('signin', async (installed, config) => {
    const url = await installed.emulate('service', config, client);
    const token = installed.output(['issue-ptn-token', '--ptn-cd', 'user-7', ...client], config);
    return installed.authcli(
      ['signin', '--ptn-token', token, '--auth-url', url, ...client],
      config,
    );
  }),
];
