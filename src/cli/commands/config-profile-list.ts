import { reveal } from '../../reports/redact.ts';
import { defineCommand } from '../command.ts';

export const configProfileList = defineCommand({
  path: 'config profile list',
  about: 'Lists the profiles; the one in use is marked.',
  flags: {},
  examples: [
    { about: 'the profiles', line: 'authcli config profile list' },
    { about: 'the one in use', line: 'authcli config profile list --json | jq -r .active' },
    { about: 'run one command with another', line: 'authcli config list --profile default' },
  ],
  run: async (_, session) => {
    const { profiles } = await session.state();
    const names = profiles.list();
    const active = profiles.active();
    return {
      fields: { active: reveal(active), profiles: names.map(reveal) },
      lines: names.map((name) =>
        name === active ? `${session.style.good('*')} ${name}` : `  ${name}`,
      ),
    };
  },
});
