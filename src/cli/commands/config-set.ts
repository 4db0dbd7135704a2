import { verdict } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import type { SettingName, SettingValue } from '../../state/settings.ts';
import { defineCommand } from '../command.ts';
import { settingArgument } from '../named-things.ts';
import { required } from '../options.ts';
import { isReference, readSetting, shownSetting } from '../setting-values.ts';

export const configSet = defineCommand({
  path: 'config set',
  about:
    'Sets a setting of the profile. A secret is best given as a reference (env:NAME, file:PATH, cmd:COMMAND), which is stored as it is and followed at each use. `headers` takes one header a call and keeps those of other names.',
  flags: {
    setting: settingArgument,
    value: required('<value>', 'its value; "-" reads standard input', { references: false }),
  },
  examples: [
    {
      about: 'where your callback endpoint is',
      line: 'authcli config set url http://localhost:8080/callback',
    },
    { about: 'a secret by reference', line: 'authcli config set secret-key env:MY_SECRET_KEY' },
    { about: 'the time zone of expire_dt', line: 'authcli config set expireTimeZone Asia/Seoul' },
  ],
  run: async ({ setting, value }, session) => {
    const name = setting.name as SettingName;
    if (setting.kind === 'secret' && !isReference(value)) {
      session.secrets.add(value);
      if (session.context.stderr.isTerminal) session.note(keptAsText);
    }
    const text = readSetting(setting, value);
    const { settings, profile } = await session.state();
    if (name === 'headers') await settings.update(name, (before = []) => withHeader(before, text));
    else await settings.set(name, text as SettingValue<typeof name>);
    const shown = shownSetting(name, settings.get(name) ?? text, session);
    return {
      fields: { name, value: shown, profile: reveal(profile) },
      lines: [
        verdict(
          true,
          `${name} is ${[shown].flat().join(', ')} in the profile ${profile}.`,
          session.style,
        ),
      ],
    };
  },
});

const keptAsText =
  'the secret is kept as text in the config file, mode 0600; env:NAME, file:PATH or cmd:COMMAND would keep only where it is';

/** The headers with this one in the place of an earlier one of its name. */
function withHeader(headers: readonly string[], line: string): readonly string[] {
  const nameOf = (text: string): string => text.slice(0, text.indexOf(':')).toLowerCase();
  return [...headers.filter((other) => nameOf(other) !== nameOf(line)), line];
}
