import { AuthcliError } from '../../errors.ts';
import { fields } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { settingNames } from '../../state/settings.ts';
import { escapeControls, shellWord } from '../../text.ts';
import { settingArgument } from '../args/flags.ts';
import { isReference } from '../args/input.ts';
import { flag, variableOfSetting } from '../args/options.ts';
import { readSetting, settingDefault, shownSetting } from '../args/setting-values.ts';
import { nonEmpty } from '../args/values.ts';
import { type CommandDefinition, defineCommand } from '../command.ts';
import type { Session } from '../session.ts';
import { shownValue } from '../terminal/style.ts';

export const configList = defineCommand({
  path: 'config list',
  about:
    'Lists the effective settings, secrets hidden, and where each comes from: environment, profile or default.',
  flags: {},
  examples: { 'of another profile, for a script': 'authcli config list --profile staging --json' },
  run: async (_, session) => {
    const state = await session.state();
    const settings = await effectiveSettings(session);
    const rows = settings.map(({ name, value, origin, source }) => {
      const place = origin === 'default' ? origin : `${origin} ${source}`;
      const from = session.style.dim(`(${escapeControls(place)})`);
      return [name, `${escapeControls([value].flat().join(', '))}  ${from}`] as const;
    });
    const { profile, configFile } = state;
    return {
      fields: { profile: reveal(profile), config_file: reveal(configFile), settings },
      lines: fields(rows, session.style, ''),
    };
  },
});

/** Each setting that has a value, as it is shown, and where that comes from in this run. */
async function effectiveSettings(session: Session) {
  const { settings, profile } = await session.state();
  const stored = settings.list();
  return settingNames.flatMap((name) => {
    const variable = variableOfSetting(name);
    const sources = [
      [session.context.env[variable] || undefined, 'environment', variable],
      [stored[name], 'profile', profile],
      [settingDefault(name), 'default', 'default'],
    ] as const;
    const [value, origin, source] = sources.find(([found]) => found !== undefined) ?? [];
    return value ? [{ name, value: shownSetting(name, value, session), origin, source }] : [];
  });
}

export const configGet = defineCommand({
  path: 'config get',
  about: 'Prints one setting of the profile; a secret only with --show-secrets.',
  flags: { name: settingArgument },
  examples: { 'the callback URL': 'authcli config get url' },
  run: async ({ name }, session) => {
    const value = (await session.state()).settings.list()[name];
    if (value === undefined)
      throw new AuthcliError('not-set', `The setting ${name} is not set in this profile.`, {
        hint: `\`authcli config set ${name} …\` sets it; \`authcli config list\` shows the effective settings.`,
      });
    const shown = shownSetting(name, value, session);
    return {
      fields: { name, value: shown },
      lines: [shown].flat().map((line) => shownValue(line, session.context)),
    };
  },
});

export const configSet = defineCommand({
  path: 'config set',
  about:
    'Sets a setting of the profile. Prefer a reference for a secret (env:NAME, file:PATH, cmd:COMMAND): only the reference is stored, and it is resolved at each use. `headers` takes one header per call and leaves headers with other names unchanged.',
  flags: {
    name: settingArgument,
    value: flag('<value>', 'its value; "-" reads standard input', { references: false }),
  },
  examples: {
    'where your callback endpoint is': 'authcli config set url http://localhost:8080/callback',
    'a secret by reference': 'authcli config set secret-key env:MY_SECRET_KEY',
    'the time zone of expire_dt': 'authcli config set expire-time-zone Asia/Seoul',
  },
  run: async ({ name, value }, session) => {
    if (name === 'secret-key' && !isReference(value)) {
      session.secrets.add(value);
      if (session.context.stderr.isTerminal) session.note(keptAsText);
    }
    const text = readSetting(name, value);
    const { settings, profile } = await session.state();
    await settings.assign(({ headers = [] }) => ({
      [name]: name === 'headers' ? withHeader(headers, text) : text,
    }));
    const shown = shownSetting(name, settings.list()[name] ?? text, session);
    return {
      fields: { name, value: shown, profile: reveal(profile) },
      lines: [session.done(`${name} is ${[shown].flat().join(', ')} in the profile ${profile}.`)],
    };
  },
});

const keptAsText =
  'the secret is stored as text in the config file (mode 0600); use env:NAME, file:PATH or cmd:COMMAND to store only a reference';

/** Replaces an earlier header of the same name. */
function withHeader(headers: readonly string[], line: string): readonly string[] {
  const nameOf = (text: string): string => text.slice(0, text.indexOf(':')).toLowerCase();
  return [...headers.filter((other) => nameOf(other) !== nameOf(line)), line];
}

export const configUnset = defineCommand({
  path: 'config unset',
  about:
    'Removes a setting from the profile, so that the environment or the default applies again.',
  flags: { name: settingArgument },
  examples: { 'back to the default cipher': 'authcli config unset cipher' },
  run: async ({ name }, session) => {
    const { settings, profile } = await session.state();
    const removed = await settings.unset(name);
    const text = removed
      ? `${name} is removed from the profile ${profile}.`
      : `${name} was not set in the profile ${profile}.`;
    return { fields: { name, removed }, lines: [session.done(text)] };
  },
});

export const configPath = defineCommand({
  path: 'config path',
  about: 'Prints the path of the config file, whether it exists or not.',
  flags: {},
  examples: { 'where it is': 'authcli config path' },
  run: async (_, session) => {
    const path = (await session.state()).configFile;
    return { fields: { path: reveal(path) }, lines: [reveal(shownValue(path, session.context))] };
  },
});

export const configProfileList = defineCommand({
  path: 'config profile list',
  about: 'Lists the profiles and marks the active one.',
  flags: {},
  examples: { 'the profiles': 'authcli config profile list' },
  run: async (_, session) => {
    const { profiles } = await session.state();
    const names = profiles.list();
    const active = profiles.active();
    return {
      fields: { active: reveal(active), profiles: names.map(reveal) },
      lines: names.map((name) => {
        const mark = name === active ? session.style.good('*') : ' ';
        return `${mark} ${escapeControls(name)}`;
      }),
    };
  },
});

export const configProfileUse = profileCommand('use', (name) => `The profile ${name} is active.`, {
  about: 'Makes a profile active: commands use it unless --profile names another.',
  examples: { 'switch to a profile': 'authcli config profile use staging' },
});

export const configProfileCreate = profileCommand(
  'create',
  (name) =>
    `The profile ${name} is created. To use it: \`authcli config profile use ${shellWord(name)}\``,
  {
    about:
      'Creates a profile with its own settings and users, for another environment or application.',
    examples: {
      'for another environment': 'authcli config profile create staging',
      'give it a setting':
        'authcli config set url https://staging.example/callback --profile staging',
    },
  },
);

export const configProfileRemove = profileCommand(
  'remove',
  (name) => `The profile ${name} is removed, with its settings, users and key pairs.`,
  {
    about:
      'Removes a profile with its settings, users and key pairs. The profile "default" can\'t be removed.',
    examples: { 'remove it': 'authcli config profile remove staging' },
  },
);

/** `done` confirms it. */
function profileCommand(
  verb: 'use' | 'create' | 'remove',
  done: (name: string) => string,
  texts: Pick<CommandDefinition, 'about' | 'examples'>,
) {
  return defineCommand({
    path: `config profile ${verb}`,
    ...texts,
    flags: {
      name: flag('<name>', 'the name of the profile', {
        input: 'word',
        parse: nonEmpty,
        ...(verb === 'create' ? {} : { candidates: 'profile' }),
      }),
    },
    run: async ({ name }, session) => {
      await (await session.state()).profiles[verb](name);
      return { fields: { profile: reveal(name) }, lines: [session.done(done(name))] };
    },
  });
}
