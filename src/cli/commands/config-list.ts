import { defaultClientId } from '../../protocol/stand-ins.ts';
import { fields } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { type SettingName, settingDefinitions } from '../../state/settings.ts';
import { cipherFlag } from '../cipher-flag.ts';
import { defineCommand } from '../command.ts';
import { networkFlags } from '../network-flags.ts';
import { toggle } from '../options.ts';
import type { Session } from '../session.ts';
import { shownSetting } from '../setting-values.ts';

/** Where the value of a setting comes from in this run. */
type Origin = 'environment' | 'profile' | 'default';

interface EffectiveSetting {
  readonly name: SettingName;
  readonly value: string | readonly string[];
  readonly origin: Origin;
  /** The variable or the profile. */
  readonly source: string;
}

const defaults: Partial<Record<SettingName, string>> = {
  'client-id': defaultClientId,
  cipher: cipherFlag.fallback,
  timeout: networkFlags.timeout.fallback,
};

export const configList = defineCommand({
  path: 'config list',
  about:
    'Lists the settings that are in force, secrets hidden; --origin says where each comes from.',
  flags: {
    origin: toggle('--origin', 'say where each value comes from: environment, profile or default'),
  },
  examples: [
    { about: 'the settings of the profile in use', line: 'authcli config list' },
    { about: 'and where they come from', line: 'authcli config list --origin' },
    {
      about: 'of another profile, for a script',
      line: 'authcli config list --profile staging --json',
    },
  ],
  run: async ({ origin }, session) => {
    const state = await session.state();
    const settings = await effectiveSettings(session);
    return {
      fields: {
        profile: reveal(state.profile),
        config_file: reveal(state.configFile),
        settings: settings.map(({ name, value, origin: from, source }) => ({
          name,
          value: shownSetting(name, value, session),
          ...(origin ? { origin: from, source } : {}),
        })),
      },
      lines: fields(
        settings.map(({ name, value, origin: from, source }) => {
          const shown = [shownSetting(name, value, session)].flat().join(', ');
          return [
            name,
            origin ? `${shown}  ${session.style.dim(`(${originText(from, source)})`)}` : shown,
          ];
        }),
        session.style,
        '',
      ),
    };
  },
});

async function effectiveSettings(session: Session): Promise<readonly EffectiveSetting[]> {
  const { settings, profile } = await session.state();
  const stored = settings.list();
  return settingDefinitions.flatMap(({ name, alias }): EffectiveSetting[] => {
    const variable = `AUTHCLI_${(alias ?? name).replaceAll('-', '_').toUpperCase()}`;
    const fromEnvironment = session.context.env[variable];
    if (fromEnvironment)
      return [{ name, value: fromEnvironment, origin: 'environment', source: variable }];
    const value = stored[name];
    if (value !== undefined) return [{ name, value, origin: 'profile', source: profile }];
    const fallback = defaults[name];
    return fallback === undefined
      ? []
      : [{ name, value: fallback, origin: 'default', source: 'default' }];
  });
}

function originText(origin: Origin, source: string): string {
  return origin === 'default' ? 'default' : `${origin} ${source}`;
}
