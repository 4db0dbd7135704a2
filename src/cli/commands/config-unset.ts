import { verdict } from '../../reports/human.ts';
import type { SettingName } from '../../state/settings.ts';
import { defineCommand } from '../command.ts';
import { settingArgument } from '../named-things.ts';

export const configUnset = defineCommand({
  path: 'config unset',
  about: 'Removes a setting from the profile, so that the environment or the default counts again.',
  flags: {
    setting: settingArgument,
  },
  examples: [
    { about: 'go without a proxy again', line: 'authcli config unset proxy' },
    { about: 'back to the default cipher', line: 'authcli config unset cipher' },
    { about: 'in another profile', line: 'authcli config unset url --profile staging' },
  ],
  run: async ({ setting }, session) => {
    const removed = await (await session.state()).settings.unset(setting.name as SettingName);
    const text = removed ? `${setting.name} is removed.` : `${setting.name} was not set.`;
    return { fields: { name: setting.name, removed }, lines: [verdict(true, text, session.style)] };
  },
});
