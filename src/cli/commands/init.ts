import type { DoctorCheck } from '../../diagnosis/doctor.ts';
import { fields, marks } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { type SettingName, type Settings, settingDefinitions } from '../../state/settings.ts';
import { escapeControls } from '../../text.ts';
import { isReference } from '../args/input.ts';
import { shownSetting } from '../args/setting-values.ts';
import { confirmation, defineCommand, type Outcome } from '../command.ts';
import { usage } from '../failure.ts';
import { type Answers, collectAnswers, without } from '../init/init-answers.ts';
import { InitChecks } from '../init/init-checks.ts';
import { initFlags } from '../init/init-questions.ts';
import { plainLine } from '../next-command.ts';
import type { Session } from '../session.ts';

export const init = defineCommand({
  path: 'init',
  about:
    'Sets up a profile interactively: callback endpoint, service address, client id, secret, cipher, time zone and language. Each value is checked at once, and nothing is written until you confirm. Each question has a flag, so a script can do the same. Run it again to change values: Enter keeps the current value, - removes it.',
  flags: initFlags,
  makesProfile: true,
  notes: [
    'Without a terminal, or with --yes, --no-input, --json or CI set, it asks no questions: given values are checked and written, other values stay unchanged, and an endpoint that does not respond is a warning. A missing profile is created.',
    'Prefer a reference for the secret: env:NAME, file:PATH and cmd:COMMAND are stored as references and resolved at each use. A secret entered as text is stored in the config file (mode 0600).',
  ],
  examples: {
    'answer the questions': 'authcli init',
    'the same in a script':
      'authcli init --yes --url http://localhost:8080/callback --client-id my-app --secret-key env:MY_SECRET_KEY',
    'a profile for another environment, its cipher probed with test users':
      'authcli init --profile staging --url http://localhost:8080/callback --cipher find',
  },
  run: async (options, session) => {
    const profile = await profileOf(session);
    const checks = new InitChecks(options, session);
    const prompts = options.yes ? undefined : await session.prompts();
    const answers = await collectAnswers({ ...profile, options, checks, prompts, session });
    const { set, removed } = answers;
    if (Object.keys(set).length + removed.length === 0 && prompts === undefined)
      throw nothingGiven();
    const found = await checks.ofAll(set);
    const settings = { ...without(profile.present, removed), ...set };
    const result = { ...profile, settings, removed, found };
    if (prompts === undefined) {
      for (const { id, status, message, hint } of found)
        if (status !== 'ok') session.warn(escapeControls(`${id}: ${message} ${hint}`.trim()));
    } else {
      for (const line of profileLines(result, session)) prompts.say(session.redact(line));
      const message = `Write this to ${profile.configFile}?`;
      if (!(await prompts.confirm({ message, fallback: true })))
        return outcomeOf(result, false, session);
    }
    await write(profile, answers, session);
    return outcomeOf(result, true, session);
  },
});

interface Profile {
  readonly name: string;
  readonly isNew: boolean;
  readonly configFile: string;
  readonly present: Settings;
}

interface Result extends Profile {
  readonly settings: Settings;
  readonly removed: readonly SettingName[];
  readonly found: readonly DoctorCheck[];
}

async function profileOf(session: Session): Promise<Profile> {
  const state = await session.state();
  const { profile: wanted } = session.global;
  const { configFile } = state;
  if (wanted !== undefined && !state.profiles.list().includes(wanted))
    return { name: wanted, isNew: true, configFile, present: {} };
  return { name: state.profile, isNew: false, configFile, present: state.settings.list() };
}

async function write({ name, isNew }: Profile, answers: Answers, session: Session): Promise<void> {
  const { profiles, settings } = await session.state();
  if (isNew) await profiles.create(name);
  await settings.assign(answers.set, answers.removed);
  const secret = answers.set['secret-key'];
  if (secret !== undefined && !isReference(secret)) {
    session.note(
      'the secret key itself is in the config file, which only you can read; `authcli config set secret-key env:NAME` stores a reference instead',
    );
  }
}

function profileLines(
  { name, present, settings, removed, found }: Result,
  session: Session,
): string[] {
  const { style } = session;
  const rows = settingDefinitions.flatMap(({ name: setting }) => {
    const value = settings[setting];
    if (value === undefined) return [];
    const check = found.find(({ id }) => id === setting);
    const text = [shownSetting(setting, value, session)].flat().join(', ');
    return [[setting, text + remark(check, style.good, style.warn)] as const];
  });
  const gone = removed.filter((setting) => present[setting] !== undefined);
  return [
    `The profile ${style.bold(name)}:`,
    ...fields(
      [...rows, ...gone.map((setting) => [setting, style.warn('removed')] as const)],
      style,
    ),
  ];
}

type Colour = (text: string) => string;

function remark(check: DoctorCheck | undefined, good: Colour, warn: Colour): string {
  if (check === undefined) return '';
  return check.status === 'ok'
    ? `  ${good(marks.good)}`
    : `  ${warn(`! ${escapeControls(check.message)}`)}`;
}

function outcomeOf(result: Result, written: boolean, session: Session): Outcome {
  const { name, configFile, settings, found } = result;
  const { style } = session;
  const command = settings.url === undefined ? 'doctor' : 'simulate-signup';
  const next = plainLine([command], session.typed);
  return {
    fields: {
      profile: reveal(name),
      config_file: reveal(configFile),
      written,
      settings: settingDefinitions.flatMap(({ name: setting }) => {
        const value = settings[setting];
        return value === undefined
          ? []
          : [{ name: setting, value: shownSetting(setting, value, session) }];
      }),
      removed: result.removed,
      checks: found.map(({ id, status, message, hint }) => ({ id, status, message, hint })),
    },
    lines: written
      ? [
          session.done(`The profile ${name} is written to ${configFile}.`),
          confirmation(`${marks.arrowOut} next: ${style.accent(next)}`),
        ]
      : ['Nothing was written.'],
  };
}

function nothingGiven(): Error {
  return usage(
    "init has nothing to set: it can't ask questions without a terminal, and no flags were given.",
    'Give --url, --client-id, --auth-url, --secret-key, --cipher, --expire-time-zone, --stack or --unset, or run it on a terminal.',
  );
}
