import { cipherPresets, defaultCipher, formatCipher, parseCipher } from '../../crypto/cipher.ts';
import { type DoctorCheck, fine, odd } from '../../diagnosis/doctor.ts';
import { AuthcliError, hasCode, stacks } from '../../errors.ts';
import { tokenUrl } from '../../protocol/endpoints.ts';
import { defaultClientId } from '../../protocol/user.ts';
import { fields, marks, verdict } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { type SettingName, type Settings, settingNames } from '../../state/settings.ts';
import { escapeControls } from '../../text.ts';
import {
  authUrlFlag,
  cipherFlag,
  clientIdFlag,
  expireTimeZoneFlag,
  secretKeyFlag,
  urlFlag,
} from '../args/flags.ts';
import { isReference } from '../args/input.ts';
import { type Flag, flag, type OptionsOf, sourceName } from '../args/options.ts';
import { readSetting, shownSetting } from '../args/setting-values.ts';
import { networkFlags } from '../args/shared-flags.ts';
import { confirmation, defineCommand, type Line } from '../command.ts';
import { examineReference, examineWay } from '../doctor/doctor.ts';
import { usage } from '../failure.ts';
import { openNetwork } from '../network.ts';
import type { Session } from '../session.ts';
import { findCipher } from '../simulate/cipher-finding.ts';
import type { Choice, Prompts } from '../terminal/prompts.ts';
import {
  type AgentResult,
  agentFiles,
  agentPlaces,
  writeAgentFiles,
} from './agent-instructions.ts';

/** Has the cipher found by a probe. */
const findIt = 'find';

const flags = {
  part: flag('[part]', '"agents": instructions for coding agents, in place of a profile', {
    choices: ['agents'],
  }),
  url: asked('url', urlFlag),
  clientId: asked('client-id', clientIdFlag),
  authUrl: asked('auth-url', authUrlFlag),
  secretKey: asked(
    'secret-key',
    secretKeyFlag,
    `${secretKeyFlag.about}: a reference (env:NAME, file:PATH, cmd:COMMAND), or the secret itself`,
  ),
  cipher: asked('cipher', cipherFlag, `${cipherFlag.about}; "${findIt}" probes it`),
  expireTimeZone: asked('expire-time-zone', expireTimeZoneFlag),
  ...networkFlags,
} as const;

type Options = OptionsOf<typeof flags>;

/** The flag of a setting as the text to store, which no setting is the default of. */
function asked(name: SettingName, { syntax, candidates, about: own }: Flag<unknown>, about = own) {
  return flag(syntax as '--setting <text>', about, {
    variable: true,
    candidates,
    parse: (text) => (name === 'cipher' && text === findIt ? text : readSetting(name, text)),
  });
}

export const init = defineCommand({
  path: 'init',
  about:
    'Sets up a profile interactively: callback endpoint, service address, client id, secret, cipher, time zone and language. Each value is checked at once, and nothing is written until you confirm. Each question has a flag, so a script can do the same. Run it again to change values: Enter keeps the current value.',
  flags,
  survives: ['usage'],
  notes: [
    'Without a terminal, or with --no-input, --json or CI set, it asks no questions: given values are checked and written, other values stay unchanged, and an endpoint that does not respond is a warning. A missing profile is created.',
    '`init agents` writes instructions for coding agents: a skill in the folder .claude or .agents where there is one, otherwise a section of AGENTS.md. It changes nothing but its own section, which two marks enclose. On a terminal, in a repository, init offers the same.',
    'Prefer a reference for the secret: env:NAME, file:PATH and cmd:COMMAND are stored as references and resolved at each use. A secret entered as text is stored in the config file (mode 0600).',
  ],
  examples: {
    'answer the questions': 'authcli init',
    'the same in a script':
      'authcli init --no-input --url http://localhost:8080/callback --client-id my-app --secret-key env:MY_SECRET_KEY',
    'tell coding agents how to use authcli': 'authcli init agents',
    'a profile for another environment, its cipher probed with test users':
      'authcli init --profile staging --url http://localhost:8080/callback --cipher find',
  },
  run: async (options, session) => {
    if (options.part === 'agents') {
      const { given } = session.line;
      const setting = Object.entries(flags).find(([key]) => key !== 'part' && given.has(key));
      if (setting) throw usage(`init agents takes no ${sourceName(setting[1])}.`, 'Leave it out.');
      const agents = await writeAgentFiles(await agentFiles(session), session);
      return { fields: { agents }, lines: agentLines(agents, session) };
    }
    const state = await session.state();
    const { profiles, configFile } = state;
    const { profile: wanted } = session.global;
    const isNew = wanted !== undefined && !profiles.list().includes(wanted);
    const name = isNew ? wanted : state.profile;
    const before = isNew ? {} : state.settings.list();
    const check = checksOnce(options, session);
    const prompts = await session.prompts();
    const answers = await collectAnswers(before, options, check, prompts, session);
    if (Object.keys(answers).length === 0 && prompts === undefined)
      throw usage(
        "init has nothing to set: it can't ask questions without a terminal, and no flags were given.",
        'Give --url, --client-id, --auth-url, --secret-key, --cipher, --expire-time-zone or --stack, or run it on a terminal.',
      );
    const found: DoctorCheck[] = [];
    for (const asked of ['url', 'auth-url', 'secret-key'] as const) {
      const value = answers[asked];
      const checked = value === undefined ? undefined : await check(asked, value);
      if (checked !== undefined) found.push(checked);
    }
    const result = { name, configFile, settings: { ...before, ...answers }, found };
    if (prompts === undefined) {
      for (const { id, status, message, hint } of found)
        if (status !== 'ok') session.warn(escapeControls(`${id}: ${message} ${hint}`.trim()));
    } else {
      for (const line of profileLines(result, session)) prompts.say(session.redact(line));
      const message = `Write this to ${configFile}?`;
      if (!(await prompts.confirm({ message, fallback: true })))
        return outcomeOf(result, undefined, session);
    }
    if (isNew) await profiles.create(name);
    await state.settings.assign(() => answers);
    const secret = answers['secret-key'];
    if (secret !== undefined && !isReference(secret))
      session.note(
        'the secret key itself is in the config file, which only you can read; `authcli config set secret-key env:NAME` stores a reference instead',
      );
    const agents = prompts === undefined ? [] : await offeredAgents(prompts, session);
    return outcomeOf(result, agents, session);
  },
});

/** Offered in a repository, where something would change, and nothing is in the way. */
async function offeredAgents(prompts: Prompts, session: Session): Promise<readonly AgentResult[]> {
  const { isUsed, isProject } = agentPlaces(session);
  const files = isProject ? await agentFiles(session).catch(() => []) : [];
  const names = files.filter(({ before, after }) => before !== after).map(({ file }) => file);
  if (names.length === 0) return [];
  const message = `Write instructions for coding agents to ${names.join(' and ')}?`;
  const isWanted = await prompts.confirm({ message, fallback: isUsed });
  return isWanted ? writeAgentFiles(files, session) : [];
}

function agentLines(agents: readonly AgentResult[], session: Session): readonly Line[] {
  return agents.map(({ file, result }) =>
    session.done(`${file} has the instructions for coding agents (${result}).`),
  );
}

/** The answers from flags and, where the user can be asked, questions. */
async function collectAnswers(
  before: Settings,
  options: Options,
  check: Interview['check'],
  prompts: Prompts | undefined,
  session: Session,
): Promise<Settings> {
  const given: Readonly<Record<Asked, string | undefined>> = {
    url: options.url,
    'client-id': options.clientId,
    'auth-url': options.authUrl,
    'secret-key': givenSecret(options, session),
    cipher: options.cipher,
    'expire-time-zone': options.expireTimeZone,
    stack: session.global.stack,
  };
  let answers: Settings = {};
  for (const name of Object.keys(given) as Asked[]) {
    const present = { ...before, ...answers };
    const probe = () => probed(present, options, session);
    const interview = prompts && { prompts, present, check, probe, session };
    const isProbed = name === 'cipher' && given.cipher === findIt;
    const asked = async () => interview && ask(name, interview);
    const value = isProbed ? await probe() : (given[name] ?? (await asked()));
    if (value !== undefined) answers = { ...answers, [name]: readSetting(name, value) };
  }
  return answers;
}

/** A secret from the environment is stored as a reference. */
function givenSecret({ secretKey }: Options, { secrets, context }: Session): string | undefined {
  if (secretKey === undefined || isReference(secretKey)) return secretKey;
  secrets.add(secretKey);
  return secretKey === context.env.AUTHCLI_SECRET_KEY ? 'env:AUTHCLI_SECRET_KEY' : secretKey;
}

/** The cipher that the application decrypts; throws the diagnosis of a probe that found none. */
async function probed(settings: Settings, options: Options, session: Session): Promise<string> {
  const { url, 'client-id': clientId = defaultClientId } = settings;
  if (url === undefined)
    throw usage('Probing the cipher needs a callback endpoint.', 'Give --url as well.');
  const transport = await openNetwork(options, session);
  const keyPair = await session.context.generateKeyPair(2048);
  const privateKey = [{ key: keyPair, notes: [] }];
  const { cipher, diagnosis } = await findCipher(
    {
      url: new URL(url),
      clientId,
      cipher: parseCipher(settings.cipher ?? formatCipher(defaultCipher)),
      limit: 256,
      privateKey,
      noUserInfo: false,
    },
    transport,
    session,
  );
  if (cipher !== undefined) return formatCipher(cipher);
  if (diagnosis === undefined) throw new TypeError('a probe without a result has a diagnosis');
  throw new AuthcliError(diagnosis.code, diagnosis.message, diagnosis);
}

/**
 * Whether the endpoint responds, and whether the reference leads to a secret; each value is examined once. Undefined
 * where there is nothing to check; problems are in the result.
 */
function checksOnce(options: Options, session: Session): Interview['check'] {
  const found = new Map<string, Promise<DoctorCheck | undefined>>();
  const network = { ...options, har: undefined, curl: false };
  const examine = async (name: Asked, value: string): Promise<DoctorCheck | undefined> => {
    if (name === 'secret-key') {
      const { status, message, hint } = await examineReference(name, value, session);
      return status === 'ok' ? fine(name, message) : odd(name, message, hint);
    }
    if (name !== 'url' && name !== 'auth-url') return undefined;
    const url = name === 'url' ? new URL(value) : tokenUrl(value);
    const found = await examineWay(url, network, await openNetwork(network, session), session);
    const trouble = found.find(({ status }) => status === 'failure');
    return trouble ? odd(name, trouble.message, trouble.hint) : fine(name, `${url.host} answers.`);
  };
  return async (name, value) => {
    if (name === 'secret-key' && !isReference(value)) return undefined;
    const key = `${name} ${value}`;
    const check = found.get(key) ?? examine(name, value);
    found.set(key, check);
    return check.catch((error: unknown) => {
      if (hasCode(error, 'usage')) return odd(name, error.message, error.hint);
      throw error;
    });
  };
}

interface Result {
  readonly name: string;
  readonly configFile: string;
  readonly settings: Settings;
  readonly found: readonly DoctorCheck[];
}

/** Each setting that has a value, as it may be shown. */
function shownSettings(settings: Settings, session: Session) {
  return settingNames.flatMap((name) => {
    const value = settings[name];
    return value === undefined ? [] : [{ name, value: shownSetting(name, value, session) }];
  });
}

function profileLines({ name, settings, found }: Result, session: Session): string[] {
  const { style } = session;
  const rows = shownSettings(settings, session).map(({ name: setting, value }) => {
    const check = found.find(({ id }) => id === setting);
    const trouble = `! ${escapeControls(check?.message ?? '')}`;
    const remark = check?.status === 'ok' ? style.good(marks.good) : style.warn(trouble);
    return [setting, [value].flat().join(', ') + (check ? `  ${remark}` : '')] as const;
  });
  return [`The profile ${style.bold(name)}:`, ...fields(rows, style)];
}

/** Without `agents`, nothing was written. */
function outcomeOf(result: Result, agents: readonly AgentResult[] | undefined, session: Session) {
  const { name, configFile, settings, found } = result;
  const command = settings.url === undefined ? 'doctor' : 'simulate-signup';
  const next = session.commandLine([command]);
  return {
    fields: {
      profile: reveal(name),
      config_file: reveal(configFile),
      written: agents !== undefined,
      settings: shownSettings(settings, session),
      checks: found.map(({ id, status, message, hint }) => ({ id, status, message, hint })),
    },
    lines: agents
      ? [
          session.done(`The profile ${name} is written to ${configFile}.`),
          ...agentLines(agents, session),
          confirmation(`${marks.arrowOut} next: ${session.style.accent(next)}`),
        ]
      : ['Nothing was written.'],
  };
}

interface Interview {
  readonly prompts: Prompts;
  /** The settings as they are with the answers so far: Enter alone keeps them. */
  readonly present: Settings;
  readonly check: (name: Asked, value: string) => Promise<DoctorCheck | undefined>;
  readonly probe: () => Promise<string>;
  readonly session: Session;
}

/** The settings whose text is asked for, and what leaving it open means, if it can be left open. */
const texts = {
  url: ["The application's callback URL", 'later'],
  'client-id': ['The Application Client ID', undefined],
  'auth-url': ["The service's address, {auth_url}", 'later'],
  'expire-time-zone': ['The time zone of expire_dt, such as Asia/Seoul or +09:00', 'not known'],
  stack: [`The language of your application, for fixes: ${stacks.join(', ')}`, 'as recognised'],
} as const;

type Asked = keyof typeof texts | 'secret-key' | 'cipher';

/** The answer, or undefined to leave the setting as it is. */
async function ask(name: Asked, interview: Interview): Promise<string | undefined> {
  if (name === 'secret-key') return askSecret(interview);
  if (name === 'cipher') return askCipher(interview);
  const { prompts, present, check } = interview;
  const [what, empty] = texts[name];
  const before = present[name];
  const open = before !== undefined || empty === undefined ? '' : ` (empty: ${empty})`;
  const answer = await prompts.text({
    message: `${what}${open}:`,
    fallback: before ?? (name === 'client-id' ? defaultClientId : undefined),
    check: refusedOrWarned(
      (text) => (text === '' && empty !== undefined ? undefined : wrongWith(name, text)),
      async (text) => (text === '' ? undefined : check(name, text)),
    ),
  });
  return answer === '' ? undefined : answer;
}

async function askSecret({ prompts, present, check, session }: Interview) {
  const before = present['secret-key'];
  const kept = before && shownSetting('secret-key', before, session);
  const how = await prompts.choose({
    message: 'The application server secret key:',
    choices: [
      ...(kept === undefined ? [] : [{ value: 'keep', label: `keep: ${kept}` } as const]),
      {
        value: 'reference',
        label: 'give a reference: env:NAME, file:PATH or cmd:COMMAND',
        about: 'Only the reference is stored; the secret is read at each use.',
      },
      {
        value: 'typed',
        label: 'enter it (hidden)',
        about: 'It is stored in the config file, which only you can read.',
      },
      ...(kept === undefined ? [{ value: 'keep', label: 'later' } as const] : []),
    ],
  });
  if (how === 'keep') return undefined;
  if (how === 'reference') {
    const noReference = 'A reference has the form env:NAME, file:PATH or cmd:COMMAND.';
    return prompts.text({
      message: 'The reference:',
      check: refusedOrWarned(
        (text) => (isReference(text) ? undefined : noReference),
        (text) => check('secret-key', text),
      ),
    });
  }
  const secret = await prompts.text({
    message: 'The secret key:',
    hidden: true,
    check: async (text) => (text === '' ? 'A value is required.' : undefined),
  });
  if (!isReference(secret)) session.secrets.add(secret);
  return secret;
}

async function askCipher(interview: Interview): Promise<string | undefined> {
  const { prompts, probe, session } = interview;
  const { url, cipher } = interview.present;
  const [usual] = cipherPresets;
  const before = cipher ?? usual?.cipher ?? '';
  const choices: Choice<string>[] = [
    cipher === undefined
      ? { value: before, label: `the default: ${before}`, about: usual?.description }
      : { value: before, label: `keep: ${before}` },
    {
      value: 'notation',
      label: 'enter the notation',
      about: `The notation: ${session.program} help ciphers`,
    },
    ...cipherPresets.map((preset) => ({
      value: preset.name,
      label: preset.description,
      about: preset.cipher,
    })),
  ];
  if (url !== undefined) {
    const about = `Signs up about 40 test users at ${url}, which retains them, and checks what it accepts.`;
    choices.splice(1, 0, { value: findIt, label: 'probe it', about });
  }
  const message = 'The cipher of the per-user key (not defined by the interface):';
  const how = await prompts.choose({ message, choices });
  if (how === 'notation') {
    const check = async (text: string) => wrongWith('cipher', text);
    return prompts.text({ message: 'The cipher:', fallback: before, check });
  }
  if (how !== findIt) return cipherPresets.find(({ name }) => name === how)?.cipher ?? how;
  try {
    const found = await probe();
    prompts.say(verdict(true, `The application expects ${found}.`, session.style));
    return found;
  } catch (error) {
    if (!(error instanceof AuthcliError) || session.context.signal.aborted) throw error;
    prompts.say(`  ${error.message} ${error.hint}`.trimEnd());
    return askCipher(interview);
  }
}

/** Undefined if the text is valid. */
function wrongWith(name: Asked, text: string): string | undefined {
  try {
    readSetting(name, text);
    return undefined;
  } catch (error) {
    if (hasCode(error, 'usage')) return `${error.message} ${error.hint}`.trim();
    throw error;
  }
}

/** Rejects invalid answers, and warns once: the same answer again is accepted. */
function refusedOrWarned(
  refusalOf: (answer: string) => string | undefined,
  check: (answer: string) => Promise<DoctorCheck | undefined>,
): (answer: string) => Promise<string | undefined> {
  let warnedOf: string | undefined;
  return async (answer) => {
    const refusal = refusalOf(answer);
    if (refusal !== undefined || answer === warnedOf) return refusal;
    const found = await check(answer);
    if (found === undefined || found.status === 'ok') return undefined;
    warnedOf = answer;
    const trouble = escapeControls(`${found.message} ${found.hint}`.trim());
    return `${trouble} Press Enter again to keep it anyway.`;
  };
}
