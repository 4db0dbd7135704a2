import { AuthcliError } from '../../errors.ts';
import type { SettingName } from '../../state/settings.ts';
import { defineCommand } from '../command.ts';
import { settingArgument } from '../named-things.ts';
import { shownSetting } from '../setting-values.ts';

export const configGet = defineCommand({
  path: 'config get',
  about: 'Prints one setting of the profile; a secret only with --show-secrets.',
  flags: {
    setting: settingArgument,
  },
  examples: [
    { about: 'the callback URL', line: 'authcli config get url' },
    { about: 'the cipher of another profile', line: 'authcli config get cipher --profile staging' },
    { about: 'for a script', line: 'authcli config get client-id --json' },
  ],
  run: async ({ setting }, session) => {
    const name = setting.name as SettingName;
    const value = (await session.state()).settings.get(name);
    if (value === undefined) throw notSet(name);
    const shown = shownSetting(name, value, session);
    return { fields: { name, value: shown }, lines: [shown].flat() };
  },
});

function notSet(name: string): Error {
  return new AuthcliError('not-set', `The setting ${name} is not set in this profile.`, {
    hint: `\`authcli config set ${name} …\` sets it; \`authcli config list --origin\` shows what is in force.`,
  });
}
