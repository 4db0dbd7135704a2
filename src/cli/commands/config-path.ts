import { reveal } from '../../reports/redact.ts';
import { defineCommand } from '../command.ts';

export const configPath = defineCommand({
  path: 'config path',
  about: 'Prints where the config file is, whether it is there yet or not.',
  flags: {},
  examples: [
    { about: 'where it is', line: 'authcli config path' },
    { about: 'for a script', line: 'authcli config path --json | jq -r .path' },
    { about: 'of another config file', line: 'authcli config path --config ./authcli.json' },
  ],
  run: async (_, session) => {
    const path = reveal((await session.state()).configFile);
    return { fields: { path }, lines: [path] };
  },
});
